package restapi

import (
	"context"
	"errors"
	"io"
)

// buffer holds one body.
type buffer struct{ b []byte }

// fill reads a body of at most limit bytes; size is what the server announced,
// or -1. What was read before an error stays in b. permit is asked before b
// grows beyond largeBody.
func (buf *buffer) fill(r io.Reader, size, limit int64, permit func() error) error {
	if size > limit {
		return errTooLarge
	}
	first := size
	if size < 0 {
		first = firstBuffer
	}
	// One byte more shows the end without growing. A server that announces much
	// and sends nothing does not get the memory in advance.
	if need := int(min(first, keepBuffer-1)) + 1; cap(buf.b) < need {
		buf.b = make([]byte, 0, need)
	}
	for {
		if len(buf.b) == cap(buf.b) {
			if err := buf.grow(size, limit, permit); err != nil {
				return err
			}
		}
		n, err := r.Read(buf.b[len(buf.b):cap(buf.b)])
		buf.b = buf.b[:len(buf.b)+n]
		if int64(len(buf.b)) > limit {
			buf.b = buf.b[:limit]
			return errTooLarge
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// grow doubles the capacity, but not beyond one byte more than the announced
// size or the limit, which is all that will be read.
func (buf *buffer) grow(size, limit int64, permit func() error) error {
	most := limit
	if size >= int64(len(buf.b)) {
		most = size
	}
	next := min(2*int64(cap(buf.b)), most+1)
	if next > largeBody {
		if err := permit(); err != nil {
			return err
		}
	}
	grown := make([]byte, len(buf.b), next)
	copy(grown, buf.b)
	buf.b = grown
	return nil
}

// place is the one place for a large body, of one request.
type place struct {
	ctx context.Context
	of  chan struct{}
	has bool
}

// take waits for the place; the error is that of the ended context.
func (p *place) take() error {
	if p.has {
		return nil
	}
	select {
	case p.of <- struct{}{}:
		p.has = true
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// leave frees the place if it was taken.
func (p *place) leave() {
	if p.has {
		<-p.of
	}
}
