package restapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

func free() error { return nil }

func TestBufferFill(t *testing.T) {
	body := strings.Repeat("x", 100_000)
	for _, tc := range []struct {
		size, limit int64
		ok          bool
	}{
		{-1, 100_000, true}, {-1, 99_999, false}, {100_000, 100_000, true}, {100_000, 99_999, false}, {5, 100_000, true}, {1 << 40, 1 << 50, true},
	} {
		b := buffer{b: make([]byte, 0, 10)}
		err := b.fill(bytes.NewReader([]byte(body)), tc.size, tc.limit, free)
		if (err == nil) != tc.ok || (tc.ok && string(b.b) != body) || cap(b.b) > keepBuffer {
			t.Errorf("size %d, limit %d: %v, %d bytes of %d", tc.size, tc.limit, err, len(b.b), cap(b.b))
		}
	}
}

// TestBufferEndsAtTheLimit: the last doubling must not take twice the limit,
// and an announced size is taken as a whole once half a buffer proved it.
func TestBufferEndsAtTheLimit(t *testing.T) {
	const limit = 9 << 20
	for size, want := range map[int64]int{-1: limit + 1, 6 << 20: 6<<20 + 1} {
		var b buffer
		length := size
		if size < 0 {
			length = 2 * limit
		}
		body := io.LimitReader(endlessBody{}, length)
		err := b.fill(body, size, limit, free)
		if cap(b.b) != want || (err == nil) != (size > 0) {
			t.Errorf("size %d: %v, capacity %d, want %d", size, err, cap(b.b), want)
		}
	}
}

type endlessBody struct{}

func (endlessBody) Read(p []byte) (int, error) { return len(p), nil }

// TestOneLargeBodyAtATime feeds two bodies at once: one grows, the other stays
// below largeBody until the first is done with.
func TestOneLargeBodyAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := make(chan struct{}, 1)
		var bodies [2]buffer
		var places [2]place
		var ends [2]*io.PipeWriter
		done := make(chan int, 2)
		for i := range bodies {
			read, write := io.Pipe()
			places[i], ends[i] = place{ctx: t.Context(), of: of}, write
			go func() {
				if err := bodies[i].fill(read, -1, 64<<20, places[i].take); err != nil {
					t.Error(err)
				}
				done <- i
			}()
			go func() {
				// An error is that of the reader, which the test sees as well.
				_, _ = write.Write(make([]byte, largeBody+1))
			}()
		}
		synctest.Wait()
		if a, b := cap(bodies[0].b) > largeBody, cap(bodies[1].b) > largeBody; a == b {
			t.Errorf("capacities %d and %d", cap(bodies[0].b), cap(bodies[1].b))
		}
		first := 0
		if cap(bodies[1].b) > largeBody {
			first = 1
		}
		second := 1 - first
		finish := func(i int) {
			_ = ends[i].Close() // never fails
			if got := <-done; got != i {
				t.Errorf("body %d came to its end, not %d", got, i)
			}
			places[i].leave()
		}
		finish(first)
		synctest.Wait()
		if cap(bodies[second].b) <= largeBody {
			t.Errorf("the other body did not go on: capacity %d", cap(bodies[second].b))
		}
		finish(second)
		if len(of) != 0 {
			t.Error("the place is not free again")
		}
	})
}

func TestWaitingForThePlaceEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	of := make(chan struct{}, 1)
	of <- struct{}{}
	p := place{ctx: ctx, of: of}
	if err := p.take(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	p.leave()
	if len(of) != 1 {
		t.Error("left a place that another has")
	}
}
