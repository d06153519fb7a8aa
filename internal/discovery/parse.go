package discovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Labels of a group that are honoured. All others are left alone: what labels
// our series have is a contract, and labels of targets belong to whoever
// scrapes, who can join them by cluster.
const (
	// LabelCluster names the cluster; targets of one list that have the same
	// are JobManagers of one cluster. Without it each target is a cluster that
	// is named by its host:port.
	LabelCluster = "cluster"
	// LabelScheme is http or https, http by default.
	LabelScheme = "__scheme__"
	// LabelPath is the path prefix of the REST API, none by default.
	LabelPath = "__flink_path__"
	// LabelModule names the module of the configuration that is used.
	LabelModule = "__flink_module__"
)

// Cluster is one cluster of a list.
type Cluster struct {
	// Name is the cluster's name, empty when it is to be that of its address.
	Name string
	// Addresses are the URLs of its JobManagers, at least one.
	Addresses []string
	// Module names a module, empty when the list's own is meant.
	Module string
}

// errEmpty says that a list is valid and holds nothing. Nobody can tell an
// inventory that lost its content from one that never had any.
var errEmpty = errors.New("no targets in it")

// group is one element of a list.
type group struct {
	Targets []string          `json:"targets" yaml:"targets"`
	Labels  map[string]string `json:"labels" yaml:"labels"`
}

func parseJSON(text []byte) ([]group, error) {
	var all []group
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("not a list of targets in JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a list of targets in JSON: more follows after its end")
	}
	return all, nil
}

func parseYAML(text []byte) ([]group, error) {
	var all []group
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("not a list of targets in YAML: %s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return all, nil
}

// clusters turns the groups of one list into clusters, in its order.
func clusters(groups []group) ([]Cluster, error) {
	var out []Cluster
	byName := map[string]int{}
	for _, g := range groups {
		for _, target := range g.Targets {
			address, err := g.address(target)
			if err != nil {
				return nil, err
			}
			c := Cluster{Name: g.Labels[LabelCluster], Addresses: []string{address}, Module: g.Labels[LabelModule]}
			name := c.Name
			if name == "" {
				name = address
			}
			i, known := byName[name]
			switch {
			case !known:
				byName[name] = len(out)
				out = append(out, c)
			case out[i].Module != c.Module:
				return nil, fmt.Errorf("cluster %q has two modules, %q and %q; give its targets one", name, out[i].Module, c.Module)
			case !slices.Contains(out[i].Addresses, address):
				out[i].Addresses = append(out[i].Addresses, address)
			}
		}
	}
	if len(out) == 0 {
		return nil, errEmpty
	}
	return out, nil
}

// address makes a target's URL. A target that is one already, as in lists for
// probes, stays as it is.
func (g group) address(target string) (string, error) {
	target = strings.TrimSpace(target)
	if target == "" {
		return "", errors.New("a target is empty")
	}
	if strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://") {
		return target, nil
	}
	scheme := g.Labels[LabelScheme]
	if scheme == "" {
		scheme = "http"
	}
	path := strings.Trim(g.Labels[LabelPath], "/")
	if path != "" {
		path = "/" + path
	}
	return scheme + "://" + target + path, nil
}
