// Package page draws the status page: the fleet, a job, a vertex.
//
// Pages are made on the server by html/template from what the last polls left;
// no request here waits for a JobManager. They work without JavaScript: the one
// script only fetches the page again and puts it in place. Nothing comes from
// elsewhere, and nothing is inline, so that the strictest content security
// policy holds: geometry is in SVG attributes and CSS classes, never in style
// attributes.
//
// Every sentence is the report package's, so that the page, the terminal and
// the JSON cannot drift apart; this package adds labels and pictures. Names of
// clusters, jobs, vertices and workers are hostile text: they come cleaned from
// report and are escaped by html/template.
//
// Size is bounded whatever the cluster: see the max… constants. It may import
// analysis, analysis/report and internal/web/history, and reads no clock.
package page
