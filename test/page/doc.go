// Package page holds tests of the status page in a real Chromium: what a person
// who clicks sees, whether the console stays silent, and whether the page can
// be used by keyboard and by a screen reader. The pages are those of the built
// binary's demo, and of a JobManager with hostile names.
//
// It must not import the product's code. Chromium is found as $CHROMIUM,
// chromium or google-chrome; without one the tests fail.
package page
