package config

import (
	"fmt"
	"net/netip"
	"path"
	"strings"
)

// defaultTargetPort is the port of a pattern that names none: Flink's own.
const defaultTargetPort = "8081"

// TargetPattern says which hosts and ports may be probed.
type TargetPattern struct {
	// host is a pattern of path.Match over a lower-case name or address; unset
	// when network is.
	host    string
	network netip.Prefix
	// port is a number or *.
	port string
}

// ParseTargetPattern reads HOST[:PORT]. HOST is a name or an address in which
// * stands for any letters, digits, dots and dashes, or a network such as
// 10.0.0.0/8, which only addresses can be in; PORT is a number, * or 8081.
func ParseTargetPattern(text string) (TargetPattern, error) {
	const form = "give HOST[:PORT], such as *.flink.svc:8081 or 10.0.0.0/8:8081"
	host, port := text, defaultTargetPort
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") && (strings.Count(text, ":") == 1 || strings.Contains(text[:i], "]")) {
		host, port = text[:i], text[i+1:]
	}
	if port != "*" && !isPort(port) {
		return TargetPattern{}, fmt.Errorf("%q has a port that is neither 1 to 65535 nor *; %s", text, form)
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	host = strings.ToLower(host)
	if network, err := netip.ParsePrefix(host); err == nil {
		return TargetPattern{network: network.Masked(), port: port}, nil
	}
	if host == "" || strings.ContainsAny(host, "/@?#\\ []") {
		return TargetPattern{}, fmt.Errorf("%q names no host or network; %s", text, form)
	}
	return TargetPattern{host: host, port: port}, nil
}

// Matches reports whether a host (without brackets) and port may be probed.
func (p TargetPattern) Matches(host, port string) bool {
	if p.port != "*" && p.port != port {
		return false
	}
	if p.network.IsValid() {
		address, err := netip.ParseAddr(host)
		return err == nil && p.network.Contains(address.Unmap())
	}
	ok, err := path.Match(p.host, strings.ToLower(host))
	return err == nil && ok
}
