package weekly

// scenes are vertices whose report is known. Each has one trouble.
func scenes() ([]vertex, []outage) {
	const eu, us = "prod-eu", "prod-us"
	one := func(float64) string { return "j1" }
	base := func(job, name string, required func(float64) float64) vertex {
		return vertex{
			cluster: eu, job: job, name: name, maxParallelism: 128, parallelism: constant(64), required: required, id: one, here: always,
			wasted: 0, state: 40e9,
		}
	}
	growth := func(from, perDay float64) func(float64) float64 {
		return func(day float64) float64 { return from + perDay*day }
	}

	// 60 at the beginning and one and a half more a day: 128 on day 45.3, which is 17.3 days after the end.
	orders := base("orders", "enrich", growth(60, 1.5))
	orders.parallelism, orders.state = constant(100), 4e12
	flat := base("billing", "aggregate", constant(40))
	falling := base("legacy", "join", growth(90, -1.2))
	step := base("clicks", "sessionize", func(day float64) float64 {
		if day >= 17 {
			return 80
		}
		return 50
	})
	// Three days in the middle were not seen; the pace is that of orders.
	gappy := base("gappy", "dedupe", growth(60, 1.5))
	gappy.here = func(day float64) bool { return day < 11 || day >= 14 }
	// A new id on day 10 and another one in the last week.
	redeployed := base("redeployed", "score", growth(60, 1.5))
	redeployed.id = func(day float64) string {
		switch {
		case day < 10:
			return "r1"
		case day < 25:
			return "r2"
		}
		return "r3"
	}
	rescaled := base("rescaled", "window", constant(30))
	rescaled.parallelism = func(day float64) float64 {
		if day >= 24 {
			return 64
		}
		return 32
	}
	source := base("ingest", "Source: clicks", constant(31))
	source.partitions, source.parallelism = 24, constant(24)
	fresh := base("fresh", "parse", growth(20, 1))
	fresh.here = between(23, 99)
	gone := base("gone", "old", constant(10))
	gone.here = between(0, 25)
	// Hot for the last 30 hours, with its busiest subtask saturated.
	hot := base("payments", "by customer", constant(20))
	last := func(hours float64) func(float64) bool {
		return func(day float64) bool { return day > historyDays-hours/24 }
	}
	hot.verdict = func(day float64) string {
		if last(30)(day) {
			return "hot_key"
		}
		return "balanced"
	}
	hot.busy = func(day float64) float64 {
		if last(30)(day) {
			return 1
		}
		return 0.5
	}
	wasteful := base("wasteful", "count", constant(40))
	wasteful.parallelism, wasteful.wasted = constant(100), 36

	abroad := base("abroad", "map", constant(12))
	abroad.cluster = us
	// In the last week the cluster did not answer for three hours, and the
	// exporter was gone for five.
	outages := []outage{
		{us, between(22, 22+3.0/24), true},
		{us, between(24, 24+5.0/24), false},
	}
	return []vertex{orders, flat, falling, step, gappy, redeployed, rescaled, source, fresh, gone, hot, wasteful, abroad}, outages
}
