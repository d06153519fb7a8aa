// Package json compares JSON libraries on the answer that the exporter reads
// most: the details of one vertex with all its subtasks.
//
// It is a module of its own so that the libraries that are not used stay out
// of the product's go.mod. Every reader here decodes the same members into the
// same [Vertex]; the test says that they agree on recorded answers, and the
// benchmark reports nanoseconds per subtask:
//
//	cd bench/json && go test -bench . -benchmem
//
// The product's own reader (package restapi, wire_scan.go) is measured against
// encoding/json by the benchmark of the same name there:
//
//	go test -run '^$' -bench DecodeVertex -benchmem ./restapi
//
// One run on a lightly loaded machine with 2 cores and Go 1.26, in ns per
// subtask of 630 bytes, for 100 and 5000 subtasks a body:
//
//	encoding/json                    5510   5910
//	tidwall/gjson v1.20.3            2570   3110   MIT, tree walk after validation
//	buger/jsonparser v1.6.1          2800   3030   MIT, callbacks
//	go-json-experiment v1.27.2       1940   2140   BSD, jsontext tokens
//	valyala/fastjson v1.6.10         1180   2640   MIT, tree with reused parsers
//	bytedance/sonic v1.15.5          1220   1250   Apache-2.0, code generated at run time
//	goccy/go-json v0.12.0             650    930   MIT, unsafe memory access
//	restapi's scanner                 690    660   this project, no unsafe
//
// The scanner was chosen. It is about as fast as the fastest library while it
// also interns TaskManager ids and makes the analysis' own types, in 15
// allocations a body instead of 3 a subtask, at the same cost whatever the
// body's size; it uses no unsafe memory access and no generated machine code;
// and it reads a number, "NaN" and the bare words NaN and Infinity alike. Of
// the libraries only fastjson does not fail, or stop half-way, at a bare NaN.
package json
