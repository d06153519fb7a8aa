package savepoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// firstBuffer is enough for most strings, and for every field of fixed size.
	firstBuffer = 4 << 10
	// maxBuffer holds the longest string, 65,535 bytes, twice.
	maxBuffer = 128 << 10
	// seekFrom is how many bytes are worth a seek instead of reading them.
	seekFrom = 256 << 10
	// emptyReads is how many reads without data and without an error in a row
	// mean that the source is broken.
	emptyReads = 100
	// unknownSize stands for the size of a stream.
	unknownSize = -1
)

// input reads fields in order and knows its offset. Its error sticks: after the
// first, every read returns zero and reads nothing, so that callers check once
// in a while, and in every loop.
type input struct {
	src io.Reader
	// seeker is src if it can skip what is not needed, else nil.
	seeker io.Seeker
	// size is that of the whole input in bytes, or unknownSize.
	size int64
	// base is the offset of buf[0]; buf[r:w] is read and not yet consumed.
	base int64
	buf  []byte
	r, w int
	err  *Error
}

// newInput finds out how long src is, if it can seek, and reads from where it stands.
func newInput(src io.Reader) *input {
	in := &input{src: src, size: unknownSize, buf: make([]byte, firstBuffer)}
	if s, ok := src.(io.Seeker); ok {
		if left, ok := bytesLeft(s); ok {
			in.seeker, in.size = s, left
		}
	}
	return in
}

// bytesLeft returns how many bytes follow. A pipe cannot seek, and a device or a
// file that the kernel makes up says 0: they are streams of unknown length.
func bytesLeft(s io.Seeker) (int64, bool) {
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, false
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, false
	}
	if back, err := s.Seek(at, io.SeekStart); err != nil || back != at {
		return 0, false
	}
	return end - at, end > at
}

func (in *input) offset() int64 { return in.base + int64(in.r) }

func (in *input) ok() bool { return in.err == nil }

// fail keeps the first error.
func (in *input) fail(at int64, format string, args ...any) {
	if in.err == nil {
		in.err = &Error{Offset: at, What: fmt.Sprintf(format, args...)}
	}
}

// short keeps the error of a file that ends too early.
func (in *input) short(at int64, what string, missing int64) {
	if in.err == nil {
		in.err = &Error{Offset: at, Err: errShort,
			What: fmt.Sprintf("the file ends inside %s, %d bytes short", what, missing)}
	}
}

// fill reads until n bytes are buffered, n being at most maxBuffer. It returns
// false at the end of the source or on its error, which it keeps unless it is
// the end.
func (in *input) fill(n int) bool {
	if in.w-in.r >= n {
		return true
	}
	kept := in.buf[in.r:in.w]
	// The buffer grows with what was read, and for a string that does not fit.
	for n > len(in.buf) || len(in.buf) < maxBuffer && in.offset() > int64(4*len(in.buf)) {
		in.buf = make([]byte, 2*len(in.buf))
	}
	copy(in.buf, kept)
	in.base += int64(in.r)
	in.r, in.w = 0, len(kept)
	for empty := 0; in.w < n; {
		k, err := in.src.Read(in.buf[in.w:])
		in.w += k
		switch {
		case in.w >= n:
			return true
		case errors.Is(err, io.EOF):
			return false
		case err != nil:
			in.broken(err)
			return false
		case k > 0:
			empty = 0
		default:
			if empty++; empty >= emptyReads {
				in.broken(io.ErrNoProgress)
				return false
			}
		}
	}
	return true
}

func (in *input) broken(err error) {
	if in.err == nil {
		in.err = &Error{Offset: in.base + int64(in.w), What: "cannot be read", Err: err}
	}
}

// take consumes n bytes, which stay valid until the next read; nil on an error.
func (in *input) take(n int, what string) []byte {
	if in.err != nil {
		return nil
	}
	if in.w-in.r < n {
		if in.size != unknownSize && int64(n) > in.size-in.offset() || !in.fill(n) {
			in.short(in.offset(), what, int64(n)-in.left(n))
			return nil
		}
	}
	b := in.buf[in.r : in.r+n]
	in.r += n
	return b
}

// left is how many bytes there are before the end, for a message about n that do
// not fit.
func (in *input) left(n int) int64 {
	if in.size != unknownSize {
		return max(0, min(int64(n), in.size-in.offset()))
	}
	return int64(in.w - in.r)
}

func (in *input) u8(what string) byte {
	if b := in.take(1, what); b != nil {
		return b[0]
	}
	return 0
}

func (in *input) i32(what string) int32 {
	if b := in.take(4, what); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (in *input) i64(what string) int64 {
	if b := in.take(8, what); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// skip leaves out n ≥ 0 bytes: by seeking where that is worth it and the size of
// the source proves that they are there, else by reading them.
func (in *input) skip(n int64, what string) {
	if in.err != nil {
		return
	}
	at := in.offset()
	if in.size != unknownSize && n > in.size-at {
		in.short(at, what, n-max(0, in.size-at))
		return
	}
	if in.seeker != nil && n-int64(in.w-in.r) >= seekFrom {
		if _, err := in.seeker.Seek(n-int64(in.w-in.r), io.SeekCurrent); err != nil {
			in.broken(err)
			return
		}
		in.base, in.r, in.w = at+n, 0, 0
		return
	}
	for n > 0 {
		if in.r == in.w && !in.fill(1) {
			in.short(at, what, n)
			return
		}
		k := min(n, int64(in.w-in.r))
		in.r += int(k)
		n -= k
	}
}

// rest counts what follows, up to limit bytes.
func (in *input) rest(limit int64) int64 {
	if in.err != nil {
		return 0
	}
	if in.size != unknownSize {
		return max(0, in.size-in.offset())
	}
	var n int64
	for n < limit && (in.r < in.w || in.fill(1)) {
		n += int64(in.w - in.r)
		in.r = in.w
	}
	return n
}

// count reads how many entries follow, each of at least smallest bytes. It
// refuses a negative number, and one that the bytes left cannot hold where their
// number is known; where it is not, the entries themselves run into the end.
func (in *input) count(what string, smallest int64) int {
	at := in.offset()
	n := in.i32("the number of " + what)
	switch {
	case in.err != nil:
		return 0
	case n < 0:
		in.fail(at, "%d %s: the number is negative; the file is damaged or no Flink metadata", n, what)
		return 0
	case in.size != unknownSize && int64(n) > (in.size-in.offset())/smallest:
		in.fail(at, "%d %s, but only %d bytes follow; the file is damaged or incomplete", n, what, max(0, in.size-in.offset()))
		return 0
	}
	return int(n)
}

// length reads the length of a blob and refuses a negative one or one past the end.
func (in *input) length(what string) int64 {
	at := in.offset()
	n := in.i32("the length of " + what)
	switch {
	case in.err != nil:
		return 0
	case n < 0:
		in.fail(at, "the length of %s is %d, which is negative; the file is damaged", what, n)
		return 0
	case in.size != unknownSize && int64(n) > in.size-in.offset():
		in.fail(at, "the length of %s is %d bytes, but only %d follow; the file is damaged or incomplete", what, n, in.size-in.offset())
		return 0
	}
	return int64(n)
}

// bytesize reads a size in bytes, which Java keeps as a signed long.
func (in *input) bytesize(what string) int64 {
	at := in.offset()
	n := in.i64(what)
	if in.err == nil && n < 0 {
		in.fail(at, "%s is %d, which is negative; the file is damaged", what, n)
		return 0
	}
	return n
}
