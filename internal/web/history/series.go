package history

import (
	"math"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	// Absent is the cell of a subtask that gave no value.
	Absent = 255
	// Full is the cell of a busy share of 1; cells are half percents.
	Full = 200
)

// series is one vertex's rows. Cells lie by column, so that the oldest can be
// dropped by moving the rest once.
type series struct {
	parallelism int
	per         int // subtasks a row
	rows        int
	cells       []byte // columns × rows, the oldest column first
	missing     int    // polls in a row without this vertex
}

// rowsAt is how many rows a vertex has when level is the most.
func rowsAt(parallelism, level int) int {
	if level <= 0 || parallelism <= 0 {
		return 0
	}
	per := perRow(parallelism, level)
	return (parallelism + per - 1) / per
}

// perRow is how many subtasks share a row. It is a power of two, so that
// merging rows two by two leads to the same rows.
func perRow(parallelism, level int) int {
	per := 1
	for per*level < parallelism {
		per *= 2
	}
	return per
}

func newSeries(parallelism, level, columns int) *series {
	one := &series{parallelism: parallelism, rows: rowsAt(parallelism, level)}
	if one.rows > 0 {
		one.per = perRow(parallelism, level)
	}
	one.grow(columns)
	return one
}

// grow appends absent columns up to n.
func (one *series) grow(n int) {
	for len(one.cells) < n*one.rows {
		one.cells = append(one.cells, Absent)
	}
}

// put lays a poll into a column; a busier one of the same column stays.
func (one *series) put(column int, subtasks []analysis.SubtaskResult) {
	if one.rows == 0 {
		return
	}
	cells := one.cells[column*one.rows:][:one.rows]
	for i := range subtasks {
		s := &subtasks[i]
		busy, ok := s.Busy.Get()
		row := int(s.Index) / one.per
		if !ok || row < 0 || row >= one.rows {
			continue
		}
		cells[row] = busier(cells[row], byte(math.Round(min(1, max(0, busy))*Full)))
	}
}

// busier returns the larger cell; any is more than an absent one.
func busier(a, b byte) byte {
	switch {
	case a == Absent:
		return b
	case b == Absent:
		return a
	}
	return max(a, b)
}

// halve merges columns two by two.
func (one *series) halve() {
	half := len(one.cells) / 2
	for column := 0; column*one.rows < half; column++ {
		for row := range one.rows {
			a, b := one.cells[2*column*one.rows+row], one.cells[(2*column+1)*one.rows+row]
			one.cells[column*one.rows+row] = busier(a, b)
		}
	}
	one.cells = one.cells[:half]
}

// drop forgets the oldest column.
func (one *series) drop() { one.cells = append(one.cells[:0], one.cells[one.rows:]...) }

// shrink merges rows two by two until they are at most level.
func (one *series) shrink(level int) {
	if level == 0 {
		*one = series{parallelism: one.parallelism, missing: one.missing}
		return
	}
	for one.rows > level {
		columns, rows := len(one.cells)/one.rows, (one.rows+1)/2
		cells := make([]byte, 0, Columns*rows)
		for c := range columns {
			for r := range rows {
				v := one.cells[c*one.rows+2*r]
				if 2*r+1 < one.rows {
					v = busier(v, one.cells[c*one.rows+2*r+1])
				}
				cells = append(cells, v)
			}
		}
		one.cells, one.rows, one.per = cells, rows, 2*one.per
	}
}

// Map is a vertex's remembered hour, a copy that nothing changes.
type Map struct {
	// Columns are when each column's newest poll began, oldest first.
	Columns []time.Time
	// PollsPerColumn is how many polls share a column, SubtasksPerRow how many
	// subtasks a row; each cell shows the busiest of them.
	PollsPerColumn, SubtasksPerRow int
	Rows                           int
	cells                          []byte
}

// At returns a cell: busy share in half percents, or Absent.
func (m *Map) At(column, row int) byte { return m.cells[column*m.Rows+row] }

// Vertex returns what is remembered of a vertex, beginning with the first
// column in which it had a value. It returns nil when that is nothing.
func (s *Store) Vertex(name, job, vertex string) *Map {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.clusters[name]
	if c == nil {
		return nil
	}
	one := c.series[key{job, vertex}]
	if one == nil || one.rows == 0 {
		return nil
	}
	first := 0
	for first < len(one.cells) && one.cells[first] == Absent {
		first++
	}
	if first == len(one.cells) {
		return nil
	}
	from := first / one.rows
	return &Map{
		Columns:        append([]time.Time(nil), c.columns[from:]...),
		PollsPerColumn: c.stride, SubtasksPerRow: one.per, Rows: one.rows,
		cells: append([]byte(nil), one.cells[from*one.rows:]...),
	}
}

// Rows is how many rows a vertex may have now; 0 while nothing is remembered.
func (s *Store) Rows() int {
	if s == nil || s.budget <= 0 {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.level
}
