package scrape

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
)

// packer keeps the compressed data of the frame last asked for. Data changes
// once a poll, compressing costs far more than writing, and Prometheus asks
// for gzip every time, often from two replicas. What is kept is about a
// thirtieth of the text: a few megabytes at 10,000 vertices.
type packer struct {
	mu   sync.Mutex
	last *packed
	// writers holds *flate.Writer, of which each takes about a megabyte.
	writers sync.Pool
}

// packed is the beginning of a gzip body: whole deflate blocks, of which none
// is marked as the last, so that more may follow.
type packed struct {
	key     string
	deflate []byte
	crc     uint32
	size    uint32
}

// write writes one gzip member: the frame's data, kept or compressed now, and
// what tail writes. The tail is compressed by itself and appended as further
// blocks of the same member, because some clients read only the first member.
func (p *packer) write(w io.Writer, frame *collector.Frame, tail func(io.Writer) error) error {
	data, err := p.data(frame)
	if err != nil {
		return err
	}
	end, err := p.pack(data.crc, true, tail)
	if err != nil {
		return err
	}
	// RFC 1952: magic, method deflate, no flags, no time, fastest, unknown system.
	header := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255}
	trailer := binary.LittleEndian.AppendUint32(nil, end.crc)
	trailer = binary.LittleEndian.AppendUint32(trailer, data.size+end.size)
	for _, part := range [][]byte{header, data.deflate, end.deflate, trailer} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// data returns the frame's compressed data. Scrapes that come while it is
// being compressed wait for it rather than doing the same again; none waits
// for a poll or for another scrape's client.
func (p *packer) data(frame *collector.Frame) (*packed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil && p.last.key == frame.DataKey() {
		return p.last, nil
	}
	// Let go of the old one first, so that two are never held for long.
	p.last = nil
	data, err := p.pack(0, false, frame.WriteData)
	if err != nil {
		return nil, err
	}
	data.key = frame.DataKey()
	p.last = data
	return data, nil
}

// pack compresses what write writes, continuing the checksum crc. last marks
// the final block of the member.
func (p *packer) pack(crc uint32, last bool, write func(io.Writer) error) (*packed, error) {
	var out bytes.Buffer
	deflater, err := p.writer(&out)
	if err != nil {
		return nil, err
	}
	sum := &summing{w: deflater, crc: crc}
	if err := write(sum); err != nil {
		return nil, err
	}
	finish := deflater.Flush
	if last {
		finish = deflater.Close
	}
	if err := finish(); err != nil {
		return nil, err
	}
	p.writers.Put(deflater)
	return &packed{deflate: bytes.Clone(out.Bytes()), crc: sum.crc, size: sum.size}, nil
}

// writer returns a compressor from the pool or a new one.
func (p *packer) writer(w io.Writer) (*flate.Writer, error) {
	if old, ok := p.writers.Get().(*flate.Writer); ok {
		old.Reset(w)
		return old, nil
	}
	return flate.NewWriter(w, flate.BestSpeed)
}

// summing counts and sums what passes, modulo 2^32 as gzip wants it.
type summing struct {
	w    io.Writer
	crc  uint32
	size uint32
}

func (s *summing) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b[:n])
	s.size += uint32(n)
	return n, err
}
