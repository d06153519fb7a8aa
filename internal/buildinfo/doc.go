// Package buildinfo says what this program was built from: what the linker was
// told (make build sets the variables of prometheus/common/version), or else
// what the go command puts into every binary, so that those of a plain go build
// and go install say it too. It imports no other package of this module.
package buildinfo
