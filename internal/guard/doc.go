// Package guard holds the project's structure to its rules by tests alone:
// who may import whom, where the wall clock may be read, how long a file may
// be. It has no code of its own.
package guard
