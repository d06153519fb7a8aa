package restapi

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis"

// counters reads a block of I/O metrics, of a subtask or of a whole vertex.
//
// Each I/O counter comes with a "…-complete" flag, and is 0 or too small while
// the flag is false: then it is absent. The accumulated times (from 1.17) have
// no flag and are 0 as well as long as Flink's metric store has nothing of the
// subtask, which it has exactly when one of the flags is true.
func (s *scanner) counters() analysis.Counters {
	var c analysis.Counters
	var f completeFlags
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "read-records":
			c.RecordsIn = notNegative(s.num())
		case "write-records":
			c.RecordsOut = notNegative(s.num())
		case "read-bytes":
			c.BytesIn = notNegative(s.num())
		case "read-records-complete":
			f.set(recordsIn, s.flag())
		case "write-records-complete":
			f.set(recordsOut, s.flag())
		case "read-bytes-complete":
			f.set(bytesIn, s.flag())
		case "write-bytes-complete":
			f.set(bytesOut, s.flag())
		case "accumulated-busy-time":
			c.BusyMs = notNegative(s.num())
		case "accumulated-backpressured-time":
			c.BackPressuredMs = notNegative(s.num())
		case "accumulated-idle-time":
			c.IdleMs = notNegative(s.num())
		default:
			s.skip()
		}
	}
	f.clear(&c)
	return c
}

// completeFlags collects the "…-complete" flags of one block of I/O metrics.
type completeFlags struct{ yes, no uint8 }

// One bit for each I/O counter.
const (
	recordsIn uint8 = 1 << iota
	recordsOut
	bytesIn
	bytesOut
)

func (f *completeFlags) set(counter uint8, complete bool) {
	if complete {
		f.yes |= counter
	} else {
		f.no |= counter
	}
}

// clear makes absent what the flags say is not there yet.
func (f *completeFlags) clear(c *analysis.Counters) {
	if f.no == 0 {
		return
	}
	if f.yes == 0 {
		*c = analysis.Counters{}
		return
	}
	if f.no&recordsIn != 0 {
		c.RecordsIn = analysis.Num{}
	}
	if f.no&recordsOut != 0 {
		c.RecordsOut = analysis.Num{}
	}
	if f.no&bytesIn != 0 {
		c.BytesIn = analysis.Num{}
	}
}
