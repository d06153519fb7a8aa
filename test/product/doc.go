// Package product drives the built binary of the exporter from outside, as its
// users do: its commands, its exit codes, its JSON, its /metrics. It must not
// import the product's code: what it knows of the product is the contract with
// users, written down here a second time on purpose.
package product
