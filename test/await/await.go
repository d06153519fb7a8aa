// Package await holds the one way in which tests wait: a condition is asked
// again and again until it holds or a generous deadline passes. Nothing sleeps
// for a fixed time and hopes. It must not import other packages of this module.
package await

import (
	"errors"
	"testing"
	"time"
)

// every is the pause between two askings.
const every = 250 * time.Millisecond

// Hopeless marks err as one that no waiting will mend: Until fails at once.
func Hopeless(err error) error { return hopeless{err} }

type hopeless struct{ error }

func (h hopeless) Unwrap() error { return h.error }

// Until asks condition until it returns nil. It ends the test when the
// condition is hopeless, or still has an error after the deadline, naming what
// was waited for and the last error.
func Until(t testing.TB, deadline time.Duration, what string, condition func() error) {
	t.Helper()
	from := time.Now()
	for {
		err := condition()
		if err == nil {
			return
		}
		if errors.As(err, new(hopeless)) {
			t.Fatalf("waiting for %s: %v", what, err)
		}
		if time.Since(from) > deadline {
			t.Fatalf("waiting for %s: not within %s: %v", what, deadline, err)
		}
		time.Sleep(every)
	}
}
