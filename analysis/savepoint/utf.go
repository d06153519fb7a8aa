package savepoint

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// utf reads a string in Java's modified UTF-8 and checks it. The bytes stay
// valid until the next read.
func (in *input) utf(what string) []byte {
	b := in.take(2, what)
	if b == nil {
		return nil
	}
	n := int(binary.BigEndian.Uint16(b))
	if n == 0 {
		return nil
	}
	at := in.offset()
	b = in.take(n, what)
	if bad := badUTF(b); b != nil && bad >= 0 {
		in.fail(at+int64(bad), "%s is not modified UTF-8 at its byte %d; the file is damaged", what, bad)
		return nil
	}
	return b
}

// text reads a string to keep.
func (in *input) text(what string) string { return decodeUTF(in.utf(what)) }

// ascii reports whether b holds ASCII alone, eight bytes at a time.
func ascii(b []byte) bool {
	for len(b) >= 8 {
		if binary.NativeEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// badUTF returns the index of the first byte that is not modified UTF-8 as
// DataInputStream.readUTF takes it, or -1. Sequences of four bytes are none:
// Java writes two surrogates of three bytes each.
func badUTF(b []byte) int {
	if ascii(b) {
		return -1
	}
	for i := 0; i < len(b); {
		n := 0
		switch c := b[i]; {
		case c < 0x80:
			n = 1
		case c>>5 == 0b110:
			n = 2
		case c>>4 == 0b1110:
			n = 3
		default:
			return i
		}
		if i+n > len(b) {
			return i
		}
		for _, c := range b[i+1 : i+n] {
			if c>>6 != 0b10 {
				return i
			}
		}
		i += n
	}
	return -1
}

// decodeUTF turns checked modified UTF-8 into a string. A surrogate without its
// partner, which Java allows, becomes the replacement character.
func decodeUTF(b []byte) string {
	if ascii(b) {
		return string(b)
	}
	units := make([]uint16, 0, len(b))
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c < 0x80:
			units = append(units, uint16(c))
			i++
		case c>>5 == 0b110:
			units = append(units, uint16(c&0x1f)<<6|uint16(b[i+1]&0x3f))
			i += 2
		default:
			units = append(units, uint16(c&0x0f)<<12|uint16(b[i+1]&0x3f)<<6|uint16(b[i+2]&0x3f))
			i += 3
		}
	}
	return string(utf16.Decode(units))
}
