package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func start() time.Time { return time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC) }

// poll is a result of one job with vertices of a parallelism, subtask i being
// busy as busy says.
func poll(at time.Time, vertices, parallelism int, busy func(i int) analysis.Num) *analysis.Result {
	r := &analysis.Result{At: at, Jobs: []analysis.JobResult{{ID: "j"}}}
	for k := range vertices {
		v := analysis.VertexResult{ID: fmt.Sprint("v", k), Parallelism: parallelism}
		for i := range parallelism {
			v.Subtasks = append(v.Subtasks, analysis.SubtaskResult{Index: int32(i), Busy: busy(i)})
		}
		r.Jobs[0].Vertices = append(r.Jobs[0].Vertices, v)
	}
	return r
}

func share(v float64) func(int) analysis.Num { return func(int) analysis.Num { return analysis.Of(v) } }

func TestCellsAreHalfPercents(t *testing.T) {
	s := New(DefaultBudget)
	s.Record("c", poll(start(), 1, 4, func(i int) analysis.Num {
		return []analysis.Num{analysis.Of(0), analysis.Of(0.505), analysis.Of(1.5), {}}[i]
	}))
	m := s.Vertex("c", "j", "v0")
	if m == nil || m.Rows != 4 || len(m.Columns) != 1 || m.PollsPerColumn != 1 || m.SubtasksPerRow != 1 {
		t.Fatalf("got %+v", m)
	}
	for row, want := range []byte{0, 101, Full, Absent} {
		if got := m.At(0, row); got != want {
			t.Errorf("row %d: got %d, want %d", row, got, want)
		}
	}
	for _, other := range [][3]string{{"d", "j", "v0"}, {"c", "k", "v0"}, {"c", "j", "v1"}} {
		if s.Vertex(other[0], other[1], other[2]) != nil {
			t.Errorf("%v was never recorded", other)
		}
	}
}

func TestRowsKeepTheBusiest(t *testing.T) {
	s := New(DefaultBudget)
	s.Record("c", poll(start(), 1, 1000, func(i int) analysis.Num {
		if i == 777 {
			return analysis.Of(1)
		}
		return analysis.Of(0.1)
	}))
	m := s.Vertex("c", "j", "v0")
	if m.SubtasksPerRow != 16 || m.Rows != 63 {
		t.Fatalf("%d rows of %d subtasks", m.Rows, m.SubtasksPerRow)
	}
	for row := range m.Rows {
		if hot := m.At(0, row) == Full; hot != (row == 777/16) {
			t.Errorf("row %d is %d", row, m.At(0, row))
		}
	}
}

// TestAnHourIsKept: columns are polls, are merged until they cover the hour,
// and then the oldest go.
func TestAnHourIsKept(t *testing.T) {
	s := New(DefaultBudget)
	const interval = 5 * time.Second
	record := func(n int, busy float64) {
		s.Record("c", poll(start().Add(time.Duration(n)*interval), 1, 2, share(busy)))
	}
	for n := range Columns {
		record(n, 0.2)
	}
	if m := s.Vertex("c", "j", "v0"); len(m.Columns) != Columns || m.PollsPerColumn != 1 {
		t.Fatalf("%d columns of %d polls", len(m.Columns), m.PollsPerColumn)
	}
	for n := Columns; n < 2000; n++ {
		record(n, float64(n%2)) // The busiest of a column's polls stays.
	}
	m := s.Vertex("c", "j", "v0")
	covered := m.Columns[len(m.Columns)-1].Sub(m.Columns[0])
	if len(m.Columns) > Columns || m.PollsPerColumn != 8 || covered < Span-8*interval || covered >= 2*Span {
		t.Errorf("%d columns of %d polls cover %s", len(m.Columns), m.PollsPerColumn, covered)
	}
	if last := m.Columns[len(m.Columns)-1]; !last.Equal(start().Add(1999 * interval)) {
		t.Errorf("the newest column is of %s", last)
	}
	for col := range m.Columns {
		if got := m.At(col, 0); got != Full {
			t.Errorf("column %d: got %d", col, got)
		}
		if col > 0 && !m.Columns[col].After(m.Columns[col-1]) {
			t.Errorf("column %d is not after the one before", col)
		}
	}
}

func TestAPollSeenTwiceCountsOnce(t *testing.T) {
	s := New(DefaultBudget)
	r := poll(start(), 1, 2, share(0.5))
	s.Record("c", r)
	s.Record("c", r)
	s.Record("c", poll(start().Add(-time.Minute), 1, 2, share(1)))
	if m := s.Vertex("c", "j", "v0"); len(m.Columns) != 1 || m.At(0, 0) != 100 {
		t.Errorf("%d columns, %d", len(m.Columns), m.At(0, 0))
	}
}

// TestRescaleBeginsAnew, and what came before it is not shown as empty.
func TestRescaleBeginsAnew(t *testing.T) {
	s := New(DefaultBudget)
	s.Record("c", poll(start(), 1, 2, share(0.5)))
	s.Record("c", poll(start().Add(time.Minute), 1, 3, share(0.5)))
	if m := s.Vertex("c", "j", "v0"); m.Rows != 3 || len(m.Columns) != 1 {
		t.Errorf("%d rows, %d columns", m.Rows, len(m.Columns))
	}
}

func TestMissingVerticesAreForgotten(t *testing.T) {
	s := New(DefaultBudget)
	s.Record("c", poll(start(), 2, 2, share(0.5)))
	for n := 1; n <= patience; n++ {
		s.Record("c", poll(start().Add(time.Duration(n)*time.Minute), 1, 2, share(0.5)))
	}
	if s.Vertex("c", "j", "v1") == nil {
		t.Error("forgotten too early: a torn poll would cost the hour")
	}
	s.Record("c", poll(start().Add(time.Hour), 1, 2, share(0.5)))
	if s.Vertex("c", "j", "v1") != nil || s.Vertex("c", "j", "v0") == nil {
		t.Error("the missing vertex is remembered, or the other forgotten")
	}
}

// cells is what is really held.
func cells(s *Store) int {
	n := 0
	for _, c := range s.clusters {
		for _, one := range c.series {
			n += len(one.cells)
		}
	}
	return n
}

// TestBudgetHolds whatever comes: rows are merged, the hot one staying, then
// nothing is kept, and with room again new vertices have rows.
func TestBudgetHolds(t *testing.T) {
	const budget = 64 * Columns * 10 // ten vertices of 64 rows
	s := New(budget)
	hot := func(i int) analysis.Num {
		if i == 100 {
			return analysis.Of(1)
		}
		return analysis.Of(0.1)
	}
	at := start()
	for _, step := range []struct{ vertices, rows int }{{1, 64}, {10, 64}, {11, 32}, {40, 16}, {80, 8}, {81, 0}, {5000, 0}, {30, 8}, {1, 64}} {
		for range Columns + 5 {
			at = at.Add(time.Minute)
			s.Record("c", poll(at, step.vertices, 128, hot))
			if n := cells(s); n > budget {
				t.Fatalf("%d vertices: %d bytes of %d", step.vertices, n, budget)
			}
			if step.vertices > 1000 {
				break
			}
		}
		if got := s.Rows(); got != step.rows {
			t.Errorf("%d vertices: up to %d rows, want %d", step.vertices, got, step.rows)
		}
		m := s.Vertex("c", "j", "v0")
		if step.rows == 0 {
			if m != nil {
				t.Errorf("%d vertices: something is remembered", step.vertices)
			}
			continue
		}
		if m == nil {
			t.Errorf("%d vertices: nothing is remembered", step.vertices)
		} else if m.At(len(m.Columns)-1, 100/m.SubtasksPerRow) != Full {
			t.Errorf("%d vertices: the hot subtask has gone", step.vertices)
		}
	}
}

func TestOffAndKeep(t *testing.T) {
	for _, s := range []*Store{nil, New(0)} {
		s.Record("c", poll(start(), 1, 2, share(1)))
		s.Keep(nil)
		if s.Vertex("c", "j", "v0") != nil || s.Rows() != 0 {
			t.Error("something is remembered while off")
		}
	}
	s := New(DefaultBudget)
	s.Record("a", poll(start(), 1, 2, share(1)))
	s.Record("b", poll(start(), 1, 2, share(1)))
	s.Record("b", nil)
	s.Keep([]string{"b"})
	if s.Vertex("a", "j", "v0") != nil || s.Vertex("b", "j", "v0") == nil {
		t.Error("Keep keeps the wrong cluster")
	}
}

// BenchmarkRecordMillion is what a poll of 1,000,000 subtasks pays.
func BenchmarkRecordMillion(b *testing.B) {
	s := New(DefaultBudget)
	r := poll(start(), 10_000, 100, share(0.5))
	for b.Loop() {
		r.At = r.At.Add(15 * time.Second)
		s.Record("c", r)
	}
	b.ReportMetric(float64(s.Rows()), "rows")
	b.ReportMetric(float64(cells(s)), "bytes")
}
