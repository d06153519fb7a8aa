// Package flink runs a real Apache Flink cluster on this machine, JobManager
// and TaskManagers as JVM processes of their own on 127.0.0.1, and speaks just
// enough of its REST API to run jobs on it. It must not import anything of the
// product: what it says about the cluster is independent of what is tested.
//
// The distribution comes from the Python package apache-flink-libraries, which
// holds the jars of the binary release and nothing that starts them. So the
// classes are run directly:
//   - org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
//   - org.apache.flink.runtime.taskexecutor.TaskManagerRunner, which then wants
//     every part of its memory (TaskExecutorProcessUtils, FLIP-49): the start
//     scripts would have computed them, and their sum has to agree.
//
// The configuration file is flink-conf.yaml before Flink 2.0 and config.yaml
// from then on (FLIP-366); flat keys are right in both.
package flink
