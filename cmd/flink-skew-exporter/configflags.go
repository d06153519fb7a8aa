package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kingpin/v2"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

// configFlags are the flags of a command that stand for the configuration: its
// file, single keys of it, and clusters. What a flag sets replaces what the
// file says.
type configFlags struct {
	file *string
	// set are the keys given by flags, in order.
	set []struct{ key, text string }
	// lists are the items given by flags, by the key of their list.
	lists map[string][]string

	urls, names *[]string
	// shared is what every cluster given by --flink.url has in common.
	shared     config.Cluster
	sharedFlag string
}

// addConfigFlags adds --config.file, the flags of clusters, and those of keys.
func addConfigFlags(c *kingpin.CmdClause, keys ...string) *configFlags {
	f := &configFlags{}
	f.file = c.Flag("config.file", "Configuration file; deploy/reference-config.yaml shows every key.").PlaceHolder("FILE").String()
	f.addClusterFlags(c)
	f.addKeyFlags(c, config.Default(), keys...)
	return f
}

// addKeyFlags adds one flag for each key: poll.include_jobs becomes
// --poll.include-jobs. Their help tells the value that defaults has.
func (f *configFlags) addKeyFlags(c *kingpin.CmdClause, defaults *config.Config, keys ...string) {
	for _, key := range keys {
		if defaults.IsList(key) {
			f.addListFlag(c, key)
			continue
		}
		clause := c.Flag(flagOf(key), fmt.Sprintf("%s (default %s)", config.Meaning(key), defaults.Text(key)))
		clause.PlaceHolder(strings.ToUpper(key[strings.LastIndexByte(key, '.')+1:])).SetValue(setter{
			set: func(text string) error {
				f.set = append(f.set, struct{ key, text string }{key, text})
				return config.Default().Set(key, text)
			},
		})
	}
}

// addListFlag adds a flag that is repeated, once for each item of the list.
func (f *configFlags) addListFlag(c *kingpin.CmdClause, key string) {
	help := config.Meaning(key) + " Repeat the flag for more; in the variable, one a line."
	c.Flag(flagOf(key), help).PlaceHolder("ID").SetValue(setter{
		cumulative: true,
		set: func(text string) error {
			if f.lists == nil {
				f.lists = map[string][]string{}
			}
			f.lists[key] = append(f.lists[key], text)
			return nil
		},
	})
}

// pollKeys are the keys that every command that polls has flags for.
func pollKeys() []string {
	return []string{"poll.timeout", "poll.concurrency", "poll.max_response_bytes", "poll.include_jobs", "poll.exclude_jobs", "poll.watermark_budget", "poll.backlog_budget"}
}

// analysisKeys are the keys that the commands which judge have flags for.
func analysisKeys() []string { return []string{"analysis.exclude_vertices", "analysis.silence"} }

func (f *configFlags) addClusterFlags(c *kingpin.CmdClause) {
	f.urls = c.Flag("flink.url", "REST address of a JobManager, such as http://jobmanager:8081; for high availability those of all, divided by commas. Repeat it for more clusters; in the variable, one a line.").PlaceHolder("URL").Strings()
	f.names = c.Flag("flink.name", "Name of the cluster of --flink.url, in the same order when repeated. (default the URL's host:port)").PlaceHolder("NAME").Strings()
	text := func(flag, help, placeholder string, into *string) {
		c.Flag(flag, help).PlaceHolder(placeholder).SetValue(setter{set: func(v string) error {
			*into, f.sharedFlag = v, flag
			return nil
		}})
	}
	s := &f.shared
	text("flink.username", "User name for --flink.url.", "USER", &s.BasicAuth.Username)
	text("flink.password-file", "File that holds its password.", "FILE", &s.BasicAuth.PasswordFile)
	text("flink.bearer-token-file", "File that holds a token for the header Authorization: Bearer.", "FILE", &s.BearerTokenFile)
	text("flink.ca-file", "PEM file of the authorities to trust for https. (default the system's)", "FILE", &s.TLS.CAFile)
	text("flink.cert-file", "PEM file of our client certificate.", "FILE", &s.TLS.CertFile)
	text("flink.key-file", "PEM file of its key.", "FILE", &s.TLS.KeyFile)
	text("flink.server-name", "Name to expect in the JobManager's certificate. (default the URL's host)", "NAME", &s.TLS.ServerName)
	c.Flag("flink.insecure-skip-verify", "Accept any certificate. Whoever is in between can then read the credentials.").BoolVar(&s.TLS.InsecureSkipVerify)
}

// load returns the configuration: defaults, then the file, then the flags. It
// is validated, and the files it names can be read.
func (f *configFlags) load() (*config.Config, error) {
	c := config.Default()
	if *f.file != "" {
		var err error
		if c, err = config.Read(*f.file); err != nil {
			return nil, err
		}
	}
	if err := f.apply(c); err != nil {
		return nil, err
	}
	if err := f.clusters(c); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, asFlag(err)
	}
	if err := c.CheckFiles(); err != nil {
		return nil, asFlag(err)
	}
	return c, nil
}

// apply sets the keys that flags gave.
func (f *configFlags) apply(c *config.Config) error {
	for _, s := range f.set {
		if err := c.Set(s.key, s.text); err != nil {
			return usagef("--%s: %w", flagOf(s.key), err)
		}
	}
	for key, texts := range f.lists {
		if err := c.SetList(key, texts); err != nil {
			return usagef("--%s: %w", flagOf(key), err)
		}
	}
	return nil
}

// clusters replaces the file's clusters by those of --flink.url, if any.
func (f *configFlags) clusters(c *config.Config) error {
	if len(*f.urls) == 0 {
		if f.sharedFlag != "" || f.shared.TLS.InsecureSkipVerify || len(*f.names) > 0 {
			return usagef("flags --flink.… say how to reach --flink.url, which is missing; give it, or put them into the configuration file")
		}
		return nil
	}
	if len(*f.names) > 0 && len(*f.names) != len(*f.urls) {
		return usagef("--flink.name is given %d times for %d times --flink.url; give one name for each URL, or none", len(*f.names), len(*f.urls))
	}
	clusters := make([]config.Cluster, len(*f.urls))
	for i, u := range *f.urls {
		clusters[i] = f.shared
		clusters[i].URL, clusters[i].URLs = u, addresses(u)
		if len(clusters[i].URLs) > 0 {
			clusters[i].URL = ""
		}
		if len(*f.names) > 0 {
			clusters[i].Name = (*f.names)[i]
		}
	}
	c.SetClusters(clusters)
	return nil
}

// addresses takes the addresses of several JobManagers of one cluster apart;
// nil when the text is one address.
func addresses(text string) []string {
	parts := regexp.MustCompile(`,\s*(https?://)`).ReplaceAllString(text, "\n$1")
	if !strings.Contains(parts, "\n") {
		return nil
	}
	return strings.Split(parts, "\n")
}

// need returns an error unless there is at least one cluster.
func need(c *config.Config) error {
	if len(c.Clusters) == 0 {
		return usagef("no cluster to poll; give --flink.url=http://jobmanager:8081, or clusters: in --config.file")
	}
	return nil
}

// flagOf is the flag of a configuration key.
func flagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }

// asFlag makes errors about values that are in no file name the flags that
// gave them.
func asFlag(err error) error {
	all := apart(err)
	if len(all) > 1 {
		for i := range all {
			all[i] = asFlag(all[i])
		}
		return errors.Join(all...)
	}
	var e *config.Error
	if !errors.As(err, &e) || e.File != "" {
		return err
	}
	key := regexp.MustCompile(`^clusters\[\d+\]\.`).ReplaceAllString(e.Key, "flink.")
	key = regexp.MustCompile(`\[\d+\]$`).ReplaceAllString(key, "")
	key = strings.NewReplacer("basic_auth.", "", "tls_config.", "").Replace(key)
	switch key {
	case "flink.basic_auth":
		key = "flink.username"
	case "flink.tls_config":
		key = "flink.ca-file and other TLS flags"
	}
	return usagef("--%s: %s", flagOf(key), e.Problem)
}
