package flinksim

// Versions lists the Flink versions that can be simulated.
func Versions() []string { return []string{"1.15.4", "1.17.2", "1.18.1", "1.20.3", "2.3.0"} }

// features are the ways in which versions answer differently.
type features struct {
	commit string
	// accumulated: accumulated-*-time, status-duration, aggregated; mailbox metrics.
	accumulated bool
	// host and endpoint name a subtask's worker.
	host, endpoint bool
	// two is Flink 2: jobType, schedulerType, application-id, pending-operators,
	// assignedTasks; no execution-mode, no memory segments.
	two bool
	// jobType is "job-type" in job details; slotSharing is slotSharingGroupId.
	jobType, slotSharing bool
	// savepointFormat stands in checkpoints.
	savepointFormat bool
	// jobConfig is /jobs/:id/jobmanager/config.
	jobConfig bool
	// webHistory and webRescale stand in /config.
	webHistory, webRescale bool
	// resources is /jobs/:id/resource-requirements; aggSkew is agg=skew.
	resources, aggSkew bool
	// kafkaRecordsIn: the task counts what a Kafka reader reads.
	kafkaRecordsIn bool
	// akka names the RPC system of worker paths.
	akka bool
}

// featuresOf describes a version out of Versions.
func featuresOf(version string) features {
	f := features{host: true}
	switch version {
	case "1.15.4":
		f.commit, f.akka = "fc679b6", true
		return f
	case "1.17.2":
		f.commit, f.akka = "c0027e5", true
	case "1.18.1":
		f.commit = "a8c8b1c"
	case "1.20.3":
		f.commit, f.endpoint, f.jobType, f.slotSharing = "01e3a6d", true, true, true
	case "2.3.0":
		f.commit, f.host, f.endpoint, f.jobType, f.slotSharing = "c0f8d1a", false, true, true, true
		f.two = true
	}
	f.accumulated, f.savepointFormat, f.jobConfig, f.webHistory = true, true, true, true
	if version != "1.17.2" {
		f.webRescale, f.resources, f.aggSkew, f.kafkaRecordsIn = true, true, true, true
	}
	return f
}
