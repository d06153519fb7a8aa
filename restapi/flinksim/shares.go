package flinksim

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"

// shares returns what part of an edge's records each of p subtasks gets; with
// BROADCAST each gets all.
func shares(v *Vertex, ship string, p int) []float64 {
	out := make([]float64, p)
	switch {
	case ship == Hash:
		keyShares(&v.Keys, out, v.groups(p))
	case ship == Custom && len(v.InputShares) > 0:
		total := sum(v.InputShares)
		for i := range out {
			out[i] = v.InputShares[i%len(v.InputShares)] / total
		}
		normalise(out)
	case ship == Broadcast:
		for i := range out {
			out[i] = 1
		}
	default:
		for i := range out {
			out[i] = 1 / float64(p)
		}
	}
	return out
}

// keyShares fills out by the key groups that each subtask owns of m.
func keyShares(k *Keys, out []float64, m int) {
	p := len(out)
	rest := 1 - k.HotShare
	switch {
	case k.Distinct > 0:
		for key := range k.Distinct {
			g := keygroup.Group(int32(key), m)
			out[keygroup.Owner(g, p, m)] += rest / float64(k.Distinct)
		}
	case len(k.GroupWeights) > 0:
		total := sum(k.GroupWeights)
		for g, w := range k.GroupWeights {
			out[keygroup.Owner(g, p, m)] += rest * w / total
		}
	default:
		for i := range out {
			first, last := keygroup.Range(i, p, m)
			out[i] += rest * float64(last-first+1) / float64(m)
		}
	}
	if k.HotShare > 0 {
		out[keygroup.Owner(keygroup.Group(k.HotHash, m), p, m)] += k.HotShare
	}
}

// stateShares returns what part of the vertex's state each subtask holds: keyed
// state follows the keys, other state is even. A hot key counts as any other,
// since it is one key's worth of state however often it comes.
func stateShares(v *Vertex, p int) []float64 {
	if !v.keyed() {
		return shares(v, Rebalance, p)
	}
	out := make([]float64, p)
	keys := v.Keys
	keys.HotShare = 0
	keyShares(&keys, out, v.groups(p))
	return out
}

func normalise(xs []float64) {
	if t := sum(xs); t > 0 {
		for i := range xs {
			xs[i] /= t
		}
	}
}

// ownPartitions returns which partitions each reader owns, nil for a source
// without partitions: partition n belongs to reader
// ((hash(topic)·31) & 0x7FFFFFFF + n) mod p (KafkaSourceEnumerator.getSplitOwner).
func ownPartitions(v *Vertex, p int) [][]int {
	if !v.kafka() {
		return nil
	}
	own := make([][]int, p)
	start := int(uint32(javaHash(v.Topic)*31)&0x7FFFFFFF) % p
	for n := range v.Partitions {
		i := (start + n) % p
		own[i] = append(own[i], n)
	}
	return own
}

// sourceRates returns the records a second that each reader is offered.
func sourceRates(v *Vertex, p int, own [][]int) []float64 {
	rates := make([]float64, p)
	total := sum(v.Partitions)
	for i := range rates {
		if own == nil {
			rates[i] = v.Rate / float64(p)
			continue
		}
		for _, n := range own[i] {
			rates[i] += v.Rate * v.Partitions[n] / total
		}
	}
	return rates
}
