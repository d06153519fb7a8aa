package config

import (
	"maps"
	"strings"
)

// Meaning returns the one-line meaning of the key at path, without the
// default, or "" for an unknown key. List items are written clusters[].url.
func Meaning(path string) string {
	all := meanings()
	if text, ok := all[path]; ok {
		return text
	}
	// Sources and modules share keys with clusters and thresholds.
	for _, list := range []string{"http_sd_configs[].", "file_sd_configs[].", "modules[]."} {
		key, found := strings.CutPrefix(path, list)
		switch {
		case !found:
		case strings.HasPrefix(key, "thresholds."):
			return all[key]
		default:
			return all["clusters[]."+key]
		}
	}
	return ""
}

// meanings is the one place where keys are explained; the reference file and
// the help of flags are made from it.
func meanings() map[string]string {
	all := sourceMeanings()
	maps.Copy(all, ownMeanings())
	return all
}

// sourceMeanings explains how clusters are found and probed.
func sourceMeanings() map[string]string {
	return map[string]string{
		"file_sd_configs":                    "Files of targets in the format of Prometheus' file_sd; each target becomes a cluster. See docs/discovery.md.",
		"file_sd_configs[].files":            "Paths that end in .json, .yml or .yaml; * may stand in the last part.",
		"file_sd_configs[].refresh_interval": "How often they are read. 0s means 15s.",
		"file_sd_configs[].module":           "Module for the clusters found. Default: the one named default, if any.",
		"http_sd_configs":                    "Addresses of targets in the format of Prometheus' http_sd; each target becomes a cluster. See docs/discovery.md.",
		"http_sd_configs[].url":              "Address that answers with the list.",
		"http_sd_configs[].refresh_interval": "How often it is asked. 0s means 1m.",
		"http_sd_configs[].module":           "Module for the clusters found. Default: the one named default, if any.",
		"http_sd_configs[].basic_auth":       "User and password for the address itself; not together with bearer_token_file.",
		"modules":                            "How clusters of probes and discovery are asked and judged. The one named default is for those that name none.",
		"modules[].name":                     "Name, as in /probe?module=NAME.",
		"modules[].interval":                 "Overrides poll.interval. In probe mode three of them are how long data outlives a failure.",
		"modules[].timeout":                  "Overrides poll.timeout. A probe is bounded by Prometheus' scrape timeout as well.",
		"modules[].include_jobs":             "Overrides poll.include_jobs.",
		"modules[].exclude_jobs":             "Overrides poll.exclude_jobs; ^$ excludes none.",
		"modules[].exclude_vertices":         "Overrides analysis.exclude_vertices; ^$ excludes none.",
		"modules[].subtasks":                 "Overrides collector.subtasks for probes.",
		"modules[].thresholds":               "Overrides single keys of thresholds.",
		"probe":                              "What /probe may be asked for. See docs/probe.md.",
		"probe.allow_targets":                "Hosts that may be probed, as HOST[:PORT]: a name or address with * in it, or a network; the port is 8081 unless given, * is any. Empty allows none.",
		"probe.max_targets":                  "Of how many targets the state is kept between probes; the least recently probed goes first.",
		"probe.reuse":                        "How long the last poll of a target answers further probes of it, so that a pair of Prometheus servers costs Flink one. 0s polls at every probe.",
	}
}

// ownMeanings explains the rest.
func ownMeanings() map[string]string {
	return map[string]string{
		"clusters":                                   "The Flink clusters to poll. Flags --flink.url replace the list.",
		"clusters[].name":                            "Value of the label cluster, and part of API paths. Default: the URL's host:port.",
		"clusters[].url":                             "The JobManager's REST address, with a path prefix where a proxy needs one.",
		"clusters[].urls":                            "Instead of url: the addresses of all JobManagers of a highly available cluster. The leader is found among them.",
		"clusters[].module":                          "Module of modules: that says what is not said here.",
		"clusters[].interval":                        "Overrides poll.interval for this cluster.",
		"clusters[].include_jobs":                    "Overrides poll.include_jobs for this cluster.",
		"clusters[].exclude_jobs":                    "Overrides poll.exclude_jobs for this cluster; ^$ excludes none.",
		"clusters[].exclude_vertices":                "Overrides analysis.exclude_vertices for this cluster; ^$ excludes none.",
		"clusters[].basic_auth":                      "User and password for the REST address; not together with bearer_token_file.",
		"clusters[].basic_auth.username":             "User name.",
		"clusters[].basic_auth.password":             "Password; better in a file.",
		"clusters[].basic_auth.password_file":        "File that holds the password. Read again at each poll.",
		"clusters[].bearer_token_file":               "File that holds the token for the header Authorization: Bearer. Read again at each poll.",
		"clusters[].tls_config":                      "How the JobManager's certificate is verified, and what is shown to it.",
		"clusters[].tls_config.ca_file":              "PEM file of the authorities to trust. Default: the system's.",
		"clusters[].tls_config.cert_file":            "PEM file of our client certificate.",
		"clusters[].tls_config.key_file":             "PEM file of its key.",
		"clusters[].tls_config.server_name":          "Name to expect in the certificate. Default: the URL's host.",
		"clusters[].tls_config.insecure_skip_verify": "Accepts any certificate. Whoever is in between can then read the credentials.",
		"poll":                           "How clusters are asked.",
		"poll.interval":                  "Time between the starts of two polls. Flink refreshes its metrics at most every 10s, so keep it above that.",
		"poll.timeout":                   "Deadline of one whole poll, below the interval. 0s means four fifths of the interval.",
		"poll.concurrency":               "Requests that one JobManager gets at once, 1 to 64.",
		"poll.max_response_bytes":        "Largest answer in bytes that is read of a JobManager, 1048576 to 1073741824. The details of a vertex of Flink's largest parallelism, 32768, take about 20 MB.",
		"poll.include_jobs":              "Regular expression; only jobs whose name it matches are read. Empty includes all.",
		"poll.exclude_jobs":              "Regular expression; jobs whose name it matches are not read. Empty excludes none.",
		"poll.watermark_budget":          "Vertices whose watermarks are read in one poll, at one request each, in turn; an answer counts for 10m. 0 means the larger of 4 and a 25th of all, -1 none.",
		"poll.backlog_budget":            "Sources whose backlog (pendingRecords) is read in one poll, at 1 to 8 requests each, in turn; an answer counts for 2m. 0 means 50, -1 none.",
		"collector":                      "How much is exported.",
		"collector.subtasks":             "Series per subtask: all, top (the hottest of each vertex) or off.",
		"collector.top":                  "How many subtasks of a vertex top keeps.",
		"collector.series_budget":        "Bound on per-subtask series of all clusters; what exceeds it falls back from all to top and on to off, and says so.",
		"analysis":                       "What is judged, and what is said of it.",
		"analysis.exclude_vertices":      "Regular expression; vertices whose name it matches get no verdict and no finding. Empty excludes none.",
		"analysis.silence":               "Ids of verdicts and findings that keep quiet, such as costly_records or wasted_subtasks: the verdict is given with severity none, the finding is left out.",
		"thresholds":                     "What verdicts and findings are held against. Ratios of time are shares, 0 to 1.",
		"thresholds.window":              "Span over which evidence is weighed; a window this old counts half as much as the newest.",
		"thresholds.warm_up":             "How long an attempt must have been running before it is judged.",
		"thresholds.max_age":             "How long a subtask's last values are held while Flink repeats its cached answer.",
		"thresholds.min_coverage":        "Least share of subtasks with fresh values; below it the verdict is not_enough_data.",
		"thresholds.activity_busy":       "A vertex whose busiest subtask is below this busy ratio, and waits for output less than that, is quiet.",
		"thresholds.activity_rate":       "Records a second that the fastest subtask must have for anything to be said of how they are spread.",
		"thresholds.saturated_enter":     "Busy ratio at or above which a subtask becomes saturated.",
		"thresholds.saturated_leave":     "Busy ratio below which it ceases to be.",
		"thresholds.backpressured_enter": "Share of time waiting for output at or above which a vertex becomes back-pressured.",
		"thresholds.backpressured_leave": "Share below which it ceases to be.",
		"thresholds.skew_enter":          "Max/mean from which load is uneven.",
		"thresholds.skew_leave":          "Max/mean below which it is even again.",
		"thresholds.hot_enter":           "How many times the others' records per owned key group or partition make a subtask hot.",
		"thresholds.hot_leave":           "The same, below which it is not any more.",
		"thresholds.few_keys_idle":       "Share of subtasks without any record from which the keys are too few, whatever the load of the others looks like.",
		"thresholds.layout_enter":        "Layout ratio, of key groups or partitions, from which the layout is worth a word.",
		"thresholds.layout_excess_enter": "Excess skew (records per owned key group, max/mean) up to which the layout explains the load.",
		"thresholds.layout_excess_leave": "Excess skew above which it does not any more.",
		"thresholds.slots_bind":          "Counts free task slots as a limit. Leave it off where workers are started on demand.",
		"thresholds.cost_enter":          "Cost per record over the median from which a subtask is dear.",
		"thresholds.cost_leave":          "Cost per record over the median below which it is not any more.",
		"thresholds.cost_busy":           "Busy ratio below which what a record costs is no matter.",
		"thresholds.waiting_cpu":         "CPU seconds a busy second below which a TaskManager waits rather than computes.",
		"thresholds.target_utilisation":  "Busy ratio that sizing aims at.",
		"thresholds.state_enter":         "Skew of state size (max/mean), beyond what the layout explains, from which it is worth a word.",
		"thresholds.state_floor":         "Bytes of state that the largest subtask must have for that.",
		"thresholds.straggler_enter":     "How many times the median the slowest subtask's checkpoint takes to be a straggler.",
		"thresholds.straggler_floor":     "Least duration of a straggler's checkpoint.",
		"thresholds.watermark_held":      "How far behind the others a subtask's watermark must be to be said to hold them back.",
		"thresholds.catch_up":            "Time in which a source's backlog is expected to be cleared.",
		"thresholds.windows_in":          "Windows in a row that must agree before a verdict is entered.",
		"thresholds.windows_out":         "Windows in a row that must agree before it is left for balanced or quiet.",
	}
}
