package restapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// redacted stands where a secret was.
const redacted = "(redacted)"

// redactor takes out of a tape what its owner may not want to give away.
//
// Hosts become host-1, host-2 … in the order of their appearance, and stay the
// same within a tape, so that the analysis can still tell machines apart. They
// are known from the fields that name them (host, endpoint, TaskManager ids and
// paths), from URLs, as IP addresses, and before a port; a host once known is
// replaced wherever it stands as a whole word. Secrets are values whose name
// says so, passwords in URLs, settings within other text such as a JAAS
// configuration or a stack trace, and tokens that can be told by their form.
// Any other name, such as a customer's in that of a job, stays.
type redactor struct {
	fakes map[string]string
	// free are the patterns of what is told by its form alone.
	free freePatterns

	word, ipv4, ipv6, authority              *regexp.Regexp
	addressName, addressField                *regexp.Regexp
	secretName, assignment, commandLineValue *regexp.Regexp
}

func newRedactor() *redactor {
	const secrets = `passw(?:or)?d|pwd|passphrase|secret|token|credential|private|authorization|` +
		`(?:access|api|account|shared)[._-]?key`
	return &redactor{
		fakes: map[string]string{},
		free:  newFreePatterns(),
		// A whole word, so that the host "jobmanager" is not replaced in
		// "jobmanager.rpc.address".
		word:             regexp.MustCompile(`[\w.-]*\w`),
		ipv4:             regexp.MustCompile(`\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`),
		ipv6:             regexp.MustCompile(`\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]`),
		authority:        regexp.MustCompile(`\b([A-Za-z][A-Za-z0-9+.-]*)://(?:([^/?#\s@"']*)@)?(\[[0-9A-Fa-f:.]+\]|[^/?#\s@:"'<>,;()]+)`),
		addressName:      regexp.MustCompile(`(?i)(?:^|[._-])(?:hosts?|hostname|endpoint|address|servers|brokers|quorum|taskmanager-?id)$`),
		addressField:     regexp.MustCompile(`"(?:host|endpoint|taskmanager-id)"\s*:\s*"([^"]*)"`),
		secretName:       regexp.MustCompile(`(?i)` + secrets + `|jaas|keytab|principal`),
		assignment:       regexp.MustCompile(`(?i)([\w.-]*(?:` + secrets + `)[\w.-]*["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&"']+)`),
		commandLineValue: regexp.MustCompile(`(?i)(--?[\w.-]*(?:` + secrets + `)[\w.-]*\s+)("[^"]*"|'[^']*'|[^\s,;&"']+)`),
	}
}

// json redacts a JSON text. Numbers keep their spelling; members are sorted.
func (r *redactor) json(body []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return []byte(`"` + redacted + `"`)
	}
	r.learn(tree)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(r.value(tree)); err != nil {
		return []byte(`"` + redacted + `"`)
	}
	return bytes.TrimSpace(out.Bytes())
}

// learn remembers the hosts that an answer names in fields of its own for them.
func (r *redactor) learn(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			r.learn(e)
		}
	case map[string]any:
		key, _ := v["key"].(string)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			text, _ := v[name].(string)
			switch {
			case r.addressName.MatchString(name), name == "value" && r.addressName.MatchString(key):
				for address := range strings.SplitSeq(text, ",") {
					r.host(hostOf(strings.TrimSpace(address)))
				}
			case name == "path":
				r.host(hostOfPath(text))
			case name == "taskmanagers":
				r.learnIDs(v[name])
			}
			r.learn(v[name])
		}
	}
}

// learnIDs remembers the hosts in a list of TaskManagers: their ids are
// "host:port-random", or a pod's name.
func (r *redactor) learnIDs(list any) {
	elements, _ := list.([]any)
	for _, e := range elements {
		if m, ok := e.(map[string]any); ok {
			id, _ := m["id"].(string)
			r.host(hostOf(id))
		}
	}
}

// host returns the made-up name of a host, a new one when it is not known yet.
func (r *redactor) host(name string) string {
	switch name {
	case "", "localhost", "true", "false", unassigned:
		return name
	}
	if strings.Contains(name, "/") {
		return name // a URL, which text takes apart
	}
	fake, known := r.fakes[name]
	if !known {
		fake = fmt.Sprintf("host-%d", len(r.fakes)+1)
		r.fakes[name] = fake
	}
	return fake
}

// value redacts a decoded JSON value.
func (r *redactor) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case []any:
		for i := range v {
			v[i] = r.value(v[i])
		}
	case map[string]any:
		key, _ := v["key"].(string)
		for name, e := range v {
			_, isText := e.(string)
			if isText && (r.secretName.MatchString(name) || name == "value" && r.secretName.MatchString(key)) {
				v[name] = redacted
			} else {
				v[name] = r.value(e)
			}
		}
	}
	return v
}

// text redacts a string of any kind.
func (r *redactor) text(s string) string {
	if fake, known := r.fakes[s]; known {
		return fake
	}
	s = r.authority.ReplaceAllStringFunc(s, func(match string) string {
		m := r.authority.FindStringSubmatch(match)
		scheme, user, host := m[1], m[2], strings.Trim(m[3], "[]")
		if !strings.HasPrefix(scheme, "akka") && !strings.HasPrefix(scheme, "pekko") {
			return scheme + "://" + r.host(host)
		}
		if user == "" {
			return match // the name of an actor system, which is no host
		}
		return scheme + "://" + user + "@" + r.host(host)
	})
	s = r.assignment.ReplaceAllString(s, "${1}"+redacted)
	s = r.commandLineValue.ReplaceAllString(s, "${1}"+redacted)
	s = r.ipv4.ReplaceAllStringFunc(s, r.host)
	s = r.ipv6.ReplaceAllStringFunc(s, func(match string) string { return r.host(strings.Trim(match, "[]")) })
	s = r.freeText(s)
	return r.word.ReplaceAllStringFunc(s, func(word string) string {
		if fake, known := r.fakes[word]; known {
			return fake
		}
		return word
	})
}

// body redacts an answer that is not JSON, such as a proxy's page or an
// answer with the bare word NaN in it.
func (r *redactor) body(text string) string {
	for _, m := range r.addressField.FindAllStringSubmatch(text, -1) {
		r.host(hostOf(m[1]))
	}
	return r.text(text)
}

// path redacts a request's path and query. In the path only TaskManager ids
// name hosts; in the query metric names may.
func (r *redactor) path(p string) string {
	const before = "/taskmanagers/"
	p, query, hasQuery := strings.Cut(p, "?")
	if strings.HasPrefix(p, before) {
		id, rest, more := strings.Cut(p[len(before):], "/")
		if plain, err := url.PathUnescape(id); err == nil {
			id = plain
		}
		r.host(hostOf(id))
		p = before + r.text(id)
		if more {
			p += "/" + rest
		}
	}
	if !hasQuery {
		return p
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return p + "?" + r.text(query)
	}
	for _, list := range values {
		for i := range list {
			list[i] = r.text(list[i])
		}
	}
	return p + "?" + values.Encode()
}
