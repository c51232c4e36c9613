package host

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// A query flows if its rows can be computed a batch at a time: it reads a source, and every step above needs only the batch that it is at.
// Steps that group, sort or limit such rows keep only the part of them that they need, so that a source may be larger than memory.

// flows reports whether the rows of a plan come in batches from a source.
func flows(p *plan.Plan) bool {
	switch p.Op {
	case "scan":
		return true
	case "filter", "project", "sort":
		return flows(p.In[0])
	case "slice":
		return p.Step.From >= 0 && flows(p.In[0])
	case "join":
		return leftSided(p.Join.How) && flows(p.In[0])
	case "concat":
		return slices.ContainsFunc(p.In, flows)
	}
	return false
}

// leftSided reports whether a join can be done with some rows of the left side after others.
func leftSided(how plan.JoinKind) bool {
	return how == plan.InnerJoin || how == plan.LeftJoin || how == plan.SemiJoin || how == plan.AntiJoin || how == plan.CrossJoin
}

// BatchRows and BatchBytes are how much is gathered before a step begins with it. Tests make them small.
var BatchRows, BatchBytes = 1 << 20, int64(64 << 20)

// batched runs a plan over a source in batches; false if its rows do not flow.
func (x *Exec) batched(p *plan.Plan) (*table.Table, error, bool) {
	if p.Op == "scan" || p.Op == "filter" && p.In[0].Op == "scan" {
		return nil, nil, false
	}
	start := time.Now()
	var f *table.Table
	var err error
	ok := true
	switch {
	case x.limit <= 0:
		if p.Op != "group" || x.device != nil || !apart(p) || !mergeable(p) {
			return nil, nil, false
		}
		if f, err, ok = x.groupApart(p); !ok {
			return nil, nil, false
		}
	case p.Op == "group" && flows(p.In[0]) && mergeable(p):
		f, err = x.groupBatches(p)
	case (p.Op == "distinct" || p.Op == "topk") && flows(p.In[0]):
		f, err = x.reduceBatches(p)
	case flows(p):
		f, err = x.gatherBatches(p)
	default:
		return nil, nil, false
	}
	if err != nil {
		return nil, expr.Wrong(p.Op, p.At, err), true
	}
	p.Stats = plan.Stats{Rows: f.Rows, Bytes: f.Bytes(), Time: time.Since(start), Ran: true}
	x.live.Add(p.Stats.Bytes)
	return f, x.Reserve(0), true
}

var errStop = errors.New("no more rows are needed")

// each calls emit for batches of a plan's rows, in their order, which together may be none.
func (x *Exec) each(p *plan.Plan, emit func(*table.Table) error) error {
	if !flows(p) {
		f, err := x.Run(p)
		if err != nil {
			return err
		}
		defer x.live.Add(-p.Stats.Bytes)
		for from := 0; from < f.Rows; from += BatchRows {
			if err := emit(f.Slice(from, min(from+BatchRows, f.Rows))); err != nil {
				return err
			}
		}
		return nil
	}
	counted := func(f *table.Table) error {
		p.Stats.Rows += f.Rows
		p.Stats.Bytes += f.Bytes()
		p.Stats.Ran = true
		if f.Rows == 0 {
			return nil
		}
		return emit(f)
	}
	// step turns each batch of the input into one of this plan's.
	step := func(do func(*table.Table) (*table.Table, error)) error {
		return x.each(p.In[0], func(f *table.Table) error {
			start := time.Now()
			f, err := do(f)
			p.Stats.Time += time.Since(start)
			if err != nil {
				return expr.Wrong(p.Op, p.At, err)
			}
			if err := x.Reserve(f.Bytes()); err != nil {
				return expr.Wrong(p.Op, p.At, err)
			}
			n := f.Bytes()
			x.live.Add(n)
			defer x.live.Add(-n)
			return counted(f)
		})
	}
	switch p.Op {
	case "scan":
		start := time.Now()
		err := x.scanEach(p, nil, counted)
		p.Stats.Time += time.Since(start)
		return err
	case "filter":
		return step(func(f *table.Table) (*table.Table, error) { return x.filter(p, f) })
	case "project":
		return step(func(f *table.Table) (*table.Table, error) { return x.project(f, p.Exprs) })
	case "join":
		right, err := x.Run(p.In[1])
		if err != nil {
			return err
		}
		defer x.live.Add(-p.In[1].Stats.Bytes)
		do, err := x.joiner(p, right)
		if err != nil {
			return expr.Wrong(p.Op, p.At, err)
		}
		return step(do)
	case "slice":
		return x.eachOfSlice(p, counted)
	case "sort":
		return x.eachSorted(p, counted)
	}
	for _, in := range p.In { // concat
		if err := x.each(in, func(f *table.Table) error { return counted(table.Pick(f, p.Names())) }); err != nil {
			return err
		}
	}
	return nil
}

func (x *Exec) eachOfSlice(p *plan.Plan, emit func(*table.Table) error) error {
	skip, left := p.Step.From, p.Step.Count
	err := x.each(p.In[0], func(f *table.Table) error {
		from := min(skip, f.Rows)
		skip -= from
		to := from + min(left, f.Rows-from)
		left -= to - from
		if to > from {
			if err := emit(table.Pick(f, p.Names()).Slice(from, to)); err != nil {
				return err
			}
		}
		if left == 0 {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) && left == 0 {
		return nil
	}
	return err
}

// scanEach passes on the batches that a source reads. Reuse says of a frame that was passed on whether its memory may be
// written over; nil: of none.
func (x *Exec) scanEach(p *plan.Plan, reuse func() bool, emit func(*table.Table) error) error {
	r := plan.Request{Columns: p.Names(), Limit: p.Limit, Workers: x.Pool.Workers, Reuse: reuse}
	full, err := p.Source.Schema()
	if err != nil {
		return expr.Wrong(p.Op, p.At, err)
	}
	for _, n := range p.Filter {
		r.Filter = append(r.Filter, plan.Conditions(n, full)...)
	}
	err = p.Source.Read(x.Pool.Context, r, func(f *table.Table) error {
		if !slices.Equal(f.Names, r.Columns) {
			return fmt.Errorf("%s: columns %v were asked for, %v came", p.Source, r.Columns, f.Names)
		}
		n := f.Bytes()
		if err := x.Reserve(n); err != nil {
			return err
		}
		x.live.Add(n)
		defer x.live.Add(-n)
		if err := emit(f); err != nil {
			return err
		}
		return x.Pool.Context.Err()
	})
	if err != nil && !errors.Is(err, errStop) {
		return expr.Wrong(p.Op, p.At, err)
	}
	return err
}

// larger gathers batches until there is enough for a step to be worth its beginning.
func (x *Exec) larger(p *plan.Plan, emit func(*table.Table) error) error {
	var parts []*table.Table
	rows, bytes := 0, int64(0)
	most := BatchBytes
	if x.limit > 0 {
		most = min(most, x.limit/8)
	}
	flush := func() error {
		if len(parts) == 0 {
			return nil
		}
		f := parts[0]
		if len(parts) > 1 {
			var err error
			if f, err = x.stacked(p.Names(), parts); err != nil {
				return err
			}
		}
		x.live.Add(-bytes)
		parts, rows, bytes = nil, 0, 0
		n := f.Bytes()
		x.live.Add(n)
		defer x.live.Add(-n)
		return emit(f)
	}
	err := x.each(p, func(f *table.Table) error {
		n := f.Bytes()
		if len(parts) > 0 && bytes+n > most {
			if err := flush(); err != nil {
				return err
			}
		}
		parts = append(parts, f)
		rows += f.Rows
		bytes += n
		x.live.Add(n)
		if rows < BatchRows && bytes < most {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	x.live.Add(-bytes)
	return err
}

// gatherBatches joins the batches of a plan to one frame.
func (x *Exec) gatherBatches(p *plan.Plan) (*table.Table, error) {
	var parts []*table.Table
	var bytes int64
	defer func() { x.live.Add(-bytes) }()
	err := x.each(p, func(f *table.Table) error {
		if err := x.Reserve(f.Bytes()); err != nil {
			return err
		}
		parts = append(parts, f)
		bytes += f.Bytes()
		x.live.Add(f.Bytes())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return x.collected(p.Schema, parts)
}

// reduceBatches keeps of each batch, and of the rows kept before, those of a distinct or the first of an order.
func (x *Exec) reduceBatches(p *plan.Plan) (*table.Table, error) {
	all := *p
	all.Schema = p.In[0].Schema // keys may be no columns of the result
	kept := table.Empty(all.Schema)
	var bytes int64
	defer func() { x.live.Add(-bytes) }()
	err := x.larger(p.In[0], func(f *table.Table) error {
		var err error
		if kept.Rows > 0 {
			if f, err = x.stacked(all.Names(), []*table.Table{kept, f}); err != nil {
				return err
			}
		}
		if kept, err = x.step(&all, []*table.Table{f}); err != nil {
			return err
		}
		x.live.Add(kept.Bytes() - bytes)
		bytes = kept.Bytes()
		return x.Reserve(0)
	})
	return table.Pick(kept, p.Names()), err
}

// Batches calls yield for the rows of a plan, in frames one after another, until it returns false.
func (x *Exec) Batches(p *plan.Plan, yield func(*table.Table) bool) error {
	over := false
	err := x.each(p, func(f *table.Table) error {
		if !yield(table.Pick(f, p.Names())) {
			over = true
			return errStop
		}
		return nil
	})
	if over {
		return nil
	}
	return err
}
