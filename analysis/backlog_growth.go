package analysis

import (
	"math"
	"time"
)

// backlogTrack measures by how much a source's backlog grows.
type backlogTrack struct {
	last Num
	at   time.Time
	// grown and span are records and seconds, halved as sums are.
	grown, span float64
}

// advance takes this poll's backlog. The same number again is an old reading
// shown once more (sources take turns), unless it is 0.
func (b backlogTrack) advance(now Num, at time.Time, p *pace) backlogTrack {
	n, ok := now.Get()
	if !ok {
		return backlogTrack{}
	}
	last, known := b.last.Get()
	if !known {
		return backlogTrack{last: now, at: at}
	}
	span := at.Sub(b.at).Seconds()
	if n == last && n != 0 || span <= 0 {
		return b
	}
	keep := math.Exp2(-span / p.halfLife)
	return backlogTrack{last: now, at: at, grown: b.grown*keep + n - last, span: b.span*keep + span}
}

// growth is in records a second, absent before two readings.
func (b backlogTrack) growth() Num {
	if b.span <= 0 {
		return Num{}
	}
	return Of(b.grown / b.span)
}
