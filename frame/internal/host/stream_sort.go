package host

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// Rows that do not fit in memory are sorted in runs, each of which is written to a temporary file in blocks; runs are merged block by
// block: the blocks at hand of all runs are sorted together, and the rows up to the end of the first one that ends are in order. So a merge
// is as fast as sorting, whatever the keys are. Source: Knuth, The Art of Computer Programming, volume 3, section 5.4 (1973), but for the
// step of a merge.

// fan is how many runs are merged at once.
const fan = 16

// run is sorted rows in a file, of which those from its block on are not merged yet.
type run struct {
	*spill
	next  int            // table
	head  []*table.Table // rows at hand
	block int            // rows of a table
}

// fill reads until half a table is at hand, so that a step of a merge is worth its sort.
func (r *run) fill() error {
	have := 0
	for _, t := range r.head {
		have += t.Rows
	}
	for ; have <= r.block/2 && r.next < r.tables(); r.next++ {
		t, err := r.read(r.next)
		if err != nil {
			return err
		}
		r.head, r.block, have = append(r.head, t), max(r.block, t.Rows), have+t.Rows
	}
	return nil
}

// sorter sorts the rows of a plan within a limit.
type sorter struct {
	*Exec
	p     *plan.Plan
	all   plan.Plan // p with all columns of its input, of which keys may be
	parts []*table.Table
	bytes int64
	runs  []*run
}

// eachSorted calls emit for the rows of a sort over a plan that flows, in order.
func (x *Exec) eachSorted(p *plan.Plan, emit func(*table.Table) error) (err error) {
	s := &sorter{Exec: x, p: p, all: *p}
	s.all.Schema = p.In[0].Schema
	defer func() {
		x.live.Add(-s.bytes)
		for _, r := range s.runs {
			err = errors.Join(err, r.close())
		}
	}()
	if err := x.each(p.In[0], s.add); err != nil {
		return err
	}
	start, theirs := time.Now(), time.Duration(0)
	defer func() { p.Stats.Time += time.Since(start) - theirs }()
	out := emit
	emit = func(t *table.Table) error {
		begin := time.Now()
		defer func() { theirs += time.Since(begin) }()
		return out(table.Pick(t, p.Names()))
	}
	if len(s.runs) == 0 { // all rows are in memory
		t, err := s.sorted()
		if err != nil || t == nil {
			return err
		}
		return s.cut(t, BatchRows, emit)
	}
	if err := s.spill(); err != nil {
		return err
	}
	for len(s.runs) > fan {
		if err := s.fewer(); err != nil {
			return err
		}
	}
	return s.merge(s.runs, emit)
}

// budget is how many bytes of rows a run has: to sort them takes a copy and the keys.
func (s *sorter) budget() int64 {
	if s.limit <= 0 {
		return math.MaxInt64
	}
	return max(s.limit/8, 1)
}

// add keeps rows until they are a run.
func (s *sorter) add(t *table.Table) error {
	s.parts = append(s.parts, t)
	s.bytes += t.Bytes()
	s.live.Add(t.Bytes())
	if s.bytes < s.budget() {
		return nil
	}
	start := time.Now()
	defer func() { s.p.Stats.Time += time.Since(start) }()
	if err := s.spill(); err != nil {
		return expr.Wrong(s.p.Op, s.p.At, err)
	}
	return nil
}

// sorted returns the rows at hand in order, nil without any.
func (s *sorter) sorted() (*table.Table, error) {
	if len(s.parts) == 0 {
		return nil, nil
	}
	t := s.parts[0]
	if len(s.parts) > 1 {
		var err error
		if t, err = s.stacked(s.all.Names(), s.parts); err != nil {
			return nil, err
		}
	}
	s.parts = nil
	return s.sort(&s.all, t)
}

// spill writes the rows at hand as a run.
func (s *sorter) spill() error {
	t, err := s.sorted()
	if err != nil || t == nil {
		return err
	}
	r, err := s.newRun()
	if err != nil {
		return err
	}
	s.runs = append(s.runs, r)
	perRow := max(t.Bytes()/int64(max(t.Rows, 1)), 1)
	rows := int(max(s.limit/(16*fan)/perRow, 1))
	if err := s.cut(t, rows, r.write); err != nil {
		return err
	}
	s.live.Add(-s.bytes)
	s.bytes = 0
	return r.flush()
}

func (s *sorter) newRun() (*run, error) {
	f, err := newSpill(s.temp, s.all.Schema)
	if err != nil {
		return nil, err
	}
	return &run{spill: f}, nil
}

// cut calls f for a table in parts of some rows.
func (s *sorter) cut(t *table.Table, rows int, f func(*table.Table) error) error {
	for from := 0; from < t.Rows; from += rows {
		if err := s.Pool.Context.Err(); err != nil {
			return err
		}
		if err := f(t.Slice(from, min(from+rows, t.Rows))); err != nil {
			return err
		}
	}
	return nil
}

// fewer merges neighbours until there are few enough, or all were merged once.
func (s *sorter) fewer() error {
	for i := 0; i+1 < len(s.runs) && len(s.runs) > fan; i++ {
		old := slices.Clone(s.runs[i:min(i+fan, len(s.runs))])
		out, err := s.newRun()
		if err != nil {
			return err
		}
		if err = s.merge(old, out.write); err == nil {
			err = out.flush()
		}
		s.runs = slices.Replace(s.runs, i, i+len(old), out)
		for _, r := range old {
			err = errors.Join(err, r.close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// merge calls emit for the rows of runs in order. Of equal rows, those of earlier runs come first.
func (s *sorter) merge(runs []*run, emit func(*table.Table) error) error {
	var held int64
	defer func() { s.live.Add(-held) }()
	for {
		if err := s.Pool.Context.Err(); err != nil {
			return err
		}
		var parts []*table.Table
		var from []int // of each part, which run it is of
		for i, r := range runs {
			if err := r.fill(); err != nil {
				return err
			}
			for _, t := range r.head {
				parts, from = append(parts, t), append(from, i)
			}
		}
		if len(parts) == 0 {
			return nil
		}
		t := parts[0]
		if len(parts) > 1 {
			var err error
			if t, err = s.stacked(s.all.Names(), parts); err != nil {
				return err
			}
		}
		s.live.Add(2*t.Bytes() - held)
		held = 2 * t.Bytes()
		if err := s.Reserve(0); err != nil {
			return err
		}
		n, err := s.ready(t, parts, from, runs)
		if err != nil {
			return err
		}
		if err := emit(n); err != nil {
			return err
		}
	}
}

// ready returns the rows of blocks, which stand in t one after the other, that no row which is still in a file comes before, and leaves the
// others to their runs.
func (s *sorter) ready(t *table.Table, parts []*table.Table, from []int, runs []*run) (*table.Table, error) {
	digits, err := s.sortDigits(t, s.p.Order)
	if err != nil {
		return nil, expr.Wrong(s.p.Op, s.p.At, err)
	}
	order, err := keys.Sort(s.Pool, digits, t.Rows)
	if err != nil {
		return nil, err
	}
	ends := map[uint32]bool{} // last rows of blocks that have others behind them
	starts, at := make([]int, len(parts)), 0
	for k, p := range parts {
		starts[k] = at
		at += p.Rows
		r := runs[from[k]]
		if last := k+1 == len(parts) || from[k+1] != from[k]; last && r.next < r.tables() {
			ends[uint32(at-1)] = true
		}
	}
	n := len(order)
	if len(ends) > 0 {
		for i, row := range order {
			if ends[row] {
				n = i + 1
				break
			}
		}
	}
	left := make([]int, len(parts)) // rows of each part that are not ready: its last ones
	k := 0
	for _, row := range order[n:] {
		for int(row) < starts[k] {
			k--
		}
		for k+1 < len(parts) && int(row) >= starts[k+1] {
			k++
		}
		left[k]++
	}
	for _, r := range runs {
		r.head = nil
	}
	for k, p := range parts {
		if left[k] > 0 {
			r := runs[from[k]]
			r.head = append(r.head, p.Slice(p.Rows-left[k], p.Rows))
		}
	}
	return s.Gather(t, order[:n])
}
