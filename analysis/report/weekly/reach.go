package weekly

import (
	"math"
	"time"
)

// ReachKind is whether and when a vertex needs all of its ceiling. The set is closed.
type ReachKind string

// The kinds.
const (
	// ReachNow: a peak of the week needed the ceiling or more.
	ReachNow ReachKind = "now"
	// ReachDates: between two days, if the trend goes on.
	ReachDates ReachKind = "dates"
	// ReachFar: the trend rises, but not so far within the horizon.
	ReachFar ReachKind = "far"
	// ReachNone: there is no rising trend.
	ReachNone ReachKind = "none"
	// ReachUnknown: the ceiling, the need or the trend is not known.
	ReachUnknown ReachKind = "unknown"
)

// Reach is when a busy day needs all of the ceiling.
type Reach struct {
	Kind ReachKind `json:"kind"`
	// Earliest and Latest bound the day, in UTC; only with ReachDates. Latest is
	// null when it lies beyond the horizon.
	Earliest *time.Time `json:"earliest"`
	Latest   *time.Time `json:"latest"`
}

const (
	// horizonFactor is how many times the days seen are looked ahead.
	horizonFactor = 4
	// reachError is the least error of a forecast, as a share of the time left:
	// the interval of the slope alone would promise a single day for smooth data.
	reachError = 0.1
)

// reachOf extends the line to the ceiling. days is the number of days of the
// daily values, the last of which ends at until.
func reachOf(t Trend, ceiling, peak float64, days int, until time.Time) Reach {
	switch {
	case peak >= ceiling:
		return Reach{Kind: ReachNow}
	case t.Kind == TrendShort || t.Kind == TrendUnclear:
		return Reach{Kind: ReachUnknown}
	case t.Kind != TrendRising:
		return Reach{Kind: ReachNone}
	}
	now := float64(days - 1)
	left := func(perDay float64) float64 {
		if perDay <= 0 {
			return math.Inf(1)
		}
		return math.Max(0, (ceiling-t.line.busy-t.line.at(now, perDay))/perDay)
	}
	likely, soon, late := left(t.line.perDay), left(t.line.high), left(t.line.low)
	if math.IsInf(t.line.high, 1) {
		soon = 0
	}
	soon, late = math.Min(soon, likely*(1-reachError)), math.Max(late, likely*(1+reachError))
	horizon := float64(horizonFactor * t.Days)
	if soon > horizon {
		return Reach{Kind: ReachFar}
	}
	day := func(left float64) *time.Time {
		d := until.UTC().Add(time.Duration(left * 24 * float64(time.Hour))).Truncate(24 * time.Hour)
		return &d
	}
	r := Reach{Kind: ReachDates, Earliest: day(math.Floor(soon))}
	if late <= horizon {
		r.Latest = day(math.Ceil(late))
	}
	return r
}
