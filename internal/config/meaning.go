package config

// Meaning returns the one-line meaning of the key at path, without the
// default, or "" for an unknown key. List items are written clusters[].url.
func Meaning(path string) string { return meanings()[path] }

// meanings is the one place where keys are explained; the reference file and
// the help of flags are made from it.
func meanings() map[string]string {
	return map[string]string{
		"clusters":                                   "The Flink clusters to poll. Flags --flink.url replace the list.",
		"clusters[].name":                            "Value of the label cluster, and part of API paths. Default: the URL's host:port.",
		"clusters[].url":                             "The JobManager's REST address, with a path prefix where a proxy needs one.",
		"clusters[].interval":                        "Overrides poll.interval for this cluster.",
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
		"poll.include_jobs":              "Regular expression; only jobs whose name it matches are read. Empty includes all.",
		"poll.exclude_jobs":              "Regular expression; jobs whose name it matches are not read. Empty excludes none.",
		"poll.watermarks":                "Reads watermarks too, which costs one more request a vertex and poll.",
		"collector":                      "How much is exported.",
		"collector.subtasks":             "Series per subtask: all, top (the hottest of each vertex) or off.",
		"collector.top":                  "How many subtasks of a vertex top keeps.",
		"collector.series_budget":        "Bound on per-subtask series of all clusters; what exceeds it falls back from all to top and on to off, and says so.",
		"thresholds":                     "What verdicts and findings are held against. Ratios of time are shares, 0 to 1.",
		"thresholds.window":              "Span over which evidence is weighed; a window this old counts half as much as the newest.",
		"thresholds.warm_up":             "How long an attempt must have been running before it is judged.",
		"thresholds.max_age":             "How long a subtask's last values are held while Flink repeats its cached answer.",
		"thresholds.min_coverage":        "Least share of subtasks with fresh values; below it the verdict is not_enough_data.",
		"thresholds.activity_busy":       "A vertex whose busiest subtask is below this busy ratio, and below activity_rate, is quiet.",
		"thresholds.activity_rate":       "The same in records a second.",
		"thresholds.saturated_enter":     "Busy ratio at or above which a subtask becomes saturated.",
		"thresholds.saturated_leave":     "Busy ratio below which it ceases to be.",
		"thresholds.backpressured_enter": "Share of time waiting for output at or above which a vertex becomes back-pressured.",
		"thresholds.backpressured_leave": "Share below which it ceases to be.",
		"thresholds.skew_enter":          "Max/mean from which load is uneven.",
		"thresholds.skew_leave":          "Max/mean below which it is even again.",
		"thresholds.hot_enter":           "How many times the others' records per owned key group or partition make a subtask hot.",
		"thresholds.hot_leave":           "The same, below which it is not any more.",
		"thresholds.layout_enter":        "Layout ratio, of key groups or partitions, from which the layout is worth a word.",
		"thresholds.layout_excess_enter": "Excess skew (records per owned key group, max/mean) up to which the layout explains the load.",
		"thresholds.layout_excess_leave": "Excess skew above which it does not any more.",
		"thresholds.slots_bind":          "Counts free task slots as a limit. Leave it off where workers are started on demand.",
		"thresholds.cost_enter":          "Cost per record over the median from which a subtask is dear.",
		"thresholds.cost_leave":          "Cost per record over the median below which it is not any more.",
		"thresholds.waiting_cpu":         "CPU seconds a busy second below which a TaskManager waits rather than computes.",
		"thresholds.target_utilisation":  "Busy ratio that sizing aims at.",
		"thresholds.windows_in":          "Windows in a row that must agree before a verdict is entered.",
		"thresholds.windows_out":         "Windows in a row that must agree before it is left for balanced or quiet.",
	}
}
