package restapi

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// freePatterns find hosts and secrets in any text, such as the name that a user
// gave to a job, by nothing but their form.
type freePatterns struct {
	colons, hostPort, sourceFile, telling, made *regexp.Regexp
	user, token, bearer                         *regexp.Regexp
}

func newFreePatterns() freePatterns {
	return freePatterns{
		// What may be an IPv6 address: a word with two colons at least.
		colons:   regexp.MustCompile(`[0-9A-Za-z.%]*:[0-9A-Za-z.%]*:[0-9A-Za-z:.%]*`),
		hostPort: regexp.MustCompile(`\b([A-Za-z0-9][\w-]*(?:\.[\w-]+)*):([1-9]\d{1,4})\b`),
		// A line of a stack trace is no port.
		sourceFile: regexp.MustCompile(`\.(?:java|scala|kt|groovy|clj|py|go|sql)$`),
		// Names of hosts mostly have one of these, words before a number do not.
		telling: regexp.MustCompile(`[.\d-]`),
		made:    regexp.MustCompile(`^host-\d+$`),
		user:    regexp.MustCompile(`(?i)\b((?:[\w.-]+[._-])?(?:user(?:[._-]?(?:name|id))?|login)["']?\s*=\s*)("[^"]*"|'[^']*'|[^\s,;&"']+)`),
		// Access keys of AWS, tokens of GitHub, GitLab and Slack, JSON web tokens.
		token: regexp.MustCompile(`\b(?:(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{12,}|gh[pousr]_[A-Za-z0-9]{20,}|` +
			`glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)`),
		bearer: regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)([\w+/.~=-]{12,})`),
	}
}

// servicePorts are ports whose number alone says that a host stands before
// them: ZooKeeper, Kafka, Flink, databases, queues and file systems.
func servicePorts() []int {
	return []int{
		443, 1433, 1521, 2181, 3306, 5432, 5672, 6122, 6123, 6379, 6650, 8020, 8080, 8081, 8443, 9000, 9042, 9083, 9092, 9093, 9094, 9200, 27017,
	}
}

// freeText redacts what is told by its form alone.
func (r *redactor) freeText(s string) string {
	f := &r.free
	s = f.token.ReplaceAllString(s, redacted)
	s = f.bearer.ReplaceAllString(s, "${1}"+redacted)
	s = f.user.ReplaceAllString(s, "${1}"+redacted)
	s = f.colons.ReplaceAllStringFunc(s, r.address6)
	return f.hostPort.ReplaceAllStringFunc(s, func(match string) string {
		m := f.hostPort.FindStringSubmatch(match)
		if !r.isHost(m[1], m[2]) {
			return match
		}
		return r.host(m[1]) + ":" + m[2]
	})
}

// address6 replaces an IPv6 address that stands without brackets. That of the
// own machine is no secret.
func (r *redactor) address6(word string) string {
	text := strings.TrimRight(word, ".")
	address, err := netip.ParseAddr(text)
	if err != nil || address.IsLoopback() || address.IsUnspecified() {
		return word
	}
	return r.host(text) + word[len(text):]
}

// isHost reports whether name, which stands before a number after a colon,
// looks like a host and not like a word with a value.
func (r *redactor) isHost(name, number string) bool {
	port, err := strconv.Atoi(number)
	switch {
	case err != nil || port > 65535, r.free.sourceFile.MatchString(name), r.free.made.MatchString(name):
		return false
	case slices.Contains(servicePorts(), port):
		return true
	}
	// Digits alone are a time or a ratio, such as 12:30 or 10:1000.
	return port >= 1000 && r.free.telling.MatchString(name) && strings.ContainsFunc(name, isLetter)
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
