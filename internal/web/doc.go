// Package web owns the HTTP surface of serve and demo: the JSON API and its
// description (openapi.yaml), health and readiness, and the headers and time
// limits of our own server. The status page is drawn by internal/web/page;
// /metrics comes in as a handler.
//
// It answers from what the last polls left (Options.View): no request here
// makes one to Flink, so that none waits for a JobManager. It may import
// analysis, collector and analysis/report; it must not import restapi or cmd,
// and reads no clock.
//
// Objects of the API are those of report.Document, so that diagnose
// --format=json and the API cannot drift apart.
package web
