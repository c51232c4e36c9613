package host

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// The rows of a source are grouped while they are read, in parts that stay in a core's cache from the filter to the sums. Each worker has
// parts of its own, and their groups are merged at the end, in the order of the parts. So are aggregates of all rows of a frame, where a
// filter or computed columns are below them. Source: Leis et al., Morsel-Driven Parallelism (2014), section 4.4.

// PartRows is how many rows a part has. Tests make it small.
var PartRows = 64 << 10

// apart reports whether the rows below a group can be computed in parts, in any order. Those of a frame only if they are one group: with
// keys, to number groups once is faster than to do so for each part.
func apart(group *plan.Plan) bool {
	p := group.In[0]
	for p.Op == "filter" || p.Op == "project" {
		p = p.In[0]
	}
	return p.Op == "scan" || p.Op == "frame" && len(group.Keys) == 0 && p != group.In[0] && p.Frame.Rows >= 4*PartRows
}

// fewGroups reports whether parts have so few groups that it pays to merge them.
func fewGroups(rows, groups int) bool { return rows < PartRows/16 || groups <= rows/8 }

// partGrouper groups parts.
type partGrouper struct {
	*grouper
	base  *plan.Plan   // a source or a frame
	steps []*plan.Plan // from the base's to the group's
	mu    sync.Mutex   // guards parts, and the statistics of steps
	whole bool         // rows are kept, and grouped at the end
	parts []*table.Table
}

// groupApart groups the rows of a source or a frame in parts; false if all have to be grouped together.
func (x *Exec) groupApart(p *plan.Plan) (t *table.Table, err error, ok bool) {
	g := &partGrouper{grouper: x.newGrouper(p)}
	defer func() { x.live.Add(-g.bytes) }()
	scan := p.In[0]
	for ; scan.Op != "scan" && scan.Op != "frame"; scan = scan.In[0] {
		g.steps = append([]*plan.Plan{scan}, g.steps...)
	}
	g.base = scan
	if err = g.groupParts(x); err == nil {
		t, err = g.end(x)
	}
	if over := (*overflow)(nil); errors.As(err, &over) || errors.Is(err, expr.ErrDecimal) { // of a part, which that of all may not do
		forget(p)
		return nil, nil, false
	}
	return t, err, true
}

// framePart is a part of a frame that is to be grouped.
type framePart struct {
	at   int
	t    *table.Table
	left *atomic.Int32 // parts of its frame that are not grouped yet
	done chan struct{} // closed after the last
}

// grouped counts the part among those of its frame that are.
func (f framePart) grouped() {
	if f.left.Add(-1) == 0 {
		close(f.done)
	}
}

// groupParts has workers group the parts of all frames of the base.
func (g *partGrouper) groupParts(x *Exec) error {
	work := make(chan framePart, x.Pool.Workers)
	stop := make(chan struct{})
	errs := make([]error, x.Pool.Workers)
	var wg sync.WaitGroup
	var once sync.Once
	for w := range errs {
		alone := New(x.Pool.Context, Options{Workers: 1})
		wg.Go(func() {
			errs[w] = par.Guard(func(int) error { return g.groupFrom(alone, work) }, w)
			if errs[w] != nil {
				once.Do(func() { close(stop) })
			}
		})
	}
	start := time.Now()
	err := g.deal(x, work, stop)
	close(work)
	wg.Wait()
	g.base.Stats.Time += time.Since(start)
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return err
}

// groupFrom groups parts until there are no more.
func (g *partGrouper) groupFrom(alone *Exec, work <-chan framePart) error {
	for in := range work {
		out, err := g.part(alone, in.t)
		if err != nil {
			return err
		}
		g.put(in.at, out)
		in.grouped()
	}
	return nil
}

// deal cuts the frames of the base into parts and gives them to workers. The first part is grouped before the others.
func (g *partGrouper) deal(x *Exec, work chan<- framePart, stop <-chan struct{}) error {
	alone := New(x.Pool.Context, Options{Workers: 1})
	at, stats := 0, &g.base.Stats
	// A frame of several parts is waited for, and its memory is that of a frame to come.
	reusable := false
	return x.eachOfBase(g.base, func() bool { return reusable && !g.whole }, func(f *table.Table) error {
		parts := (f.Rows + PartRows - 1) / PartRows
		left, done := new(atomic.Int32), make(chan struct{})
		left.Store(int32(parts))
		stats.Rows, stats.Bytes, stats.Ran = stats.Rows+f.Rows, stats.Bytes+f.Bytes(), true
		for lo := 0; lo < f.Rows; lo += PartRows {
			if err := x.Pool.Context.Err(); err != nil {
				return err
			}
			in := framePart{at, f.Slice(lo, min(lo+PartRows, f.Rows)), left, done}
			if at++; in.at == 0 {
				out, err := g.begin(alone, in.t)
				if err != nil {
					return err
				}
				g.put(0, out)
				in.grouped()
				continue
			}
			select {
			case work <- in:
			case <-stop:
				return errStop
			}
		}
		if reusable = parts >= x.Pool.Workers && g.base.Op == "scan"; !reusable {
			return nil
		}
		select {
		case <-done:
			return nil
		case <-stop:
			return errStop
		}
	})
}

// forget has the steps below a group run again.
func forget(p *plan.Plan) {
	for {
		if p.Stats = (plan.Stats{}); len(p.In) == 0 {
			return
		}
		p = p.In[0]
	}
}

// eachOfBase calls emit for the rows of a source, as they come, or for the rows of a frame.
func (x *Exec) eachOfBase(p *plan.Plan, reuse func() bool, emit func(*table.Table) error) error {
	if p.Op == "scan" {
		return x.scanEach(p, reuse, emit)
	}
	return emit(table.Pick(p.Frame, p.Names()))
}

// below computes the steps below the group.
func (g *partGrouper) below(x *Exec, t *table.Table) (*table.Table, error) {
	for _, p := range g.steps {
		start := time.Now()
		out, err := x.step(p, []*table.Table{t})
		if err != nil {
			return nil, expr.Wrong(p.Op, p.At, err)
		}
		t = out
		g.mu.Lock()
		p.Stats.Rows, p.Stats.Bytes, p.Stats.Time, p.Stats.Ran = p.Stats.Rows+t.Rows, p.Stats.Bytes+t.Bytes(), p.Stats.Time+time.Since(start),
			true
		g.mu.Unlock()
	}
	return t, nil
}

// begin groups the first part, and decides by it whether parts are grouped at all.
func (g *partGrouper) begin(x *Exec, t *table.Table) (*table.Table, error) {
	rows, err := g.below(x, t)
	if err != nil {
		return nil, err
	}
	if rows.Rows == 0 {
		return nil, nil
	}
	out, err := g.partial(x, rows)
	if err == nil && !fewGroups(rows.Rows, out.Rows) {
		g.whole, out = true, rows
	}
	return out, err
}

func (g *partGrouper) part(x *Exec, t *table.Table) (*table.Table, error) {
	rows, err := g.below(x, t)
	switch {
	case err != nil || rows.Rows == 0: // of no rows, first and last are none
		return nil, err
	case g.whole:
		return rows, nil
	}
	return g.partial(x, rows)
}

func (g *partGrouper) put(at int, t *table.Table) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.parts) <= at {
		g.parts = append(g.parts, nil)
	}
	g.parts[at] = t
}

// end merges the groups of parts, or groups their rows.
func (g *partGrouper) end(x *Exec) (*table.Table, error) {
	g.parts = slices.DeleteFunc(g.parts, func(t *table.Table) bool { return t == nil })
	if len(g.parts) == 0 {
		none, err := g.below(x, table.Empty(g.base.Schema))
		if err != nil {
			return nil, err
		}
		g.parts, g.whole = []*table.Table{none}, true
	}
	if g.whole {
		t := g.parts[0]
		if len(g.parts) > 1 {
			var err error
			if t, err = x.stacked(t.Names, g.parts); err != nil {
				return nil, err
			}
		}
		return x.group(g.p, t)
	}
	for _, t := range g.parts {
		if err := g.keep(t); err != nil {
			return nil, err
		}
	}
	return g.finish()
}
