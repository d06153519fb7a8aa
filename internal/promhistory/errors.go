package promhistory

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
)

// explain says in one line what went wrong and what to do. The address is left
// out: it may hold a password, and the caller knows it.
func explain(err error, timeout time.Duration) error {
	var answered *v1.Error
	var sent *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("a query took longer than %v; raise --prometheus.timeout", timeout)
	case errors.As(err, &answered):
		return fmt.Errorf("the answer of Prometheus is %s: %s%s", answered.Type, answered.Msg, advice(answered))
	case errors.As(err, &sent):
		return sent.Err
	}
	return err
}

// advice is what to do about an answer, if there is something to say.
func advice(e *v1.Error) string {
	switch e.Type {
	case v1.ErrTimeout, v1.ErrExec:
		return "; see its --query.timeout and --query.max-samples"
	case v1.ErrClient:
		return "; check the address, its path and the credentials"
	case v1.ErrBadResponse:
		return "; is this the address of a Prometheus?"
	}
	return ""
}
