package flinksim

import "fmt"

// mix returns a number that depends on all of its arguments and nothing else
// (the finaliser of SplitMix64 over each in turn).
func mix(vs ...uint64) uint64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, v := range vs {
		h = splitmix(h ^ v)
	}
	return h
}

func splitmix(z uint64) uint64 {
	z += 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// unit maps h to [0, 1).
func unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }

// hashString is FNV-1a, enough to tell names apart.
func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// hexID returns the 32 hexadecimal digits that Flink's ids have.
func hexID(vs ...uint64) string {
	h := mix(vs...)
	return fmt.Sprintf("%016x%016x", h, splitmix(h))
}

// javaHash is java.lang.String.hashCode for ASCII strings.
func javaHash(s string) int32 {
	var h int32
	for i := range len(s) {
		h = 31*h + int32(s[i])
	}
	return h
}
