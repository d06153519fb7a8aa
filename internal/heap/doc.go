// Package heap sets how a daemon trades memory for CPU time. It imports
// nothing but the standard library.
package heap
