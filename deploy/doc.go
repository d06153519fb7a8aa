// Package deploy holds what the exporter is installed with: a Helm chart,
// plain manifests for kustomize, a systemd unit, a compose file with a demo
// cluster, and examples for Prometheus and Alertmanager. It has no code; its
// tests read each of these with the library of the tool that will read it, and
// hold every flag, file and metric that they name against the product.
//
// It is a module of its own, so that those libraries stay out of the product's.
// Nothing imports it. What Helm and kustomize cannot read outside their folders
// is copied there by "go generate".
package deploy

//go:generate go run ./gen -root ..
