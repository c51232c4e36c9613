package frame

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// A query flows if its rows can be computed a batch at a time: it reads a source, and every step above needs only the rows that it is at. What
// groups, sorts or limits such rows keeps what it needs of them, so that a source may be larger than memory.

// flows reports whether the rows of a plan come in batches from a source.
func flows(p *plan) bool {
	switch p.op {
	case "scan":
		return true
	case "filter", "project":
		return flows(p.in[0])
	case "slice":
		return p.step.from >= 0 && flows(p.in[0])
	case "join":
		return leftSided(p.join.How) && flows(p.in[0])
	case "concat":
		return slices.ContainsFunc(p.in, flows)
	}
	return false
}

// leftSided reports whether a join can be done with some rows of the left side after others.
func leftSided(how JoinKind) bool {
	return how == Inner || how == Left || how == Semi || how == Anti || how == Cross
}

// batchRows and batchBytes are how much is gathered before a step begins with it. Tests make them small.
var batchRows, batchBytes = 1 << 20, int64(64 << 20)

// batched runs a plan over a source in batches; false if its rows do not flow.
func (x *exec) batched(p *plan) (*Frame, error, bool) {
	if x.limit <= 0 || p.op == "scan" || p.op == "filter" && p.in[0].op == "scan" {
		return nil, nil, false
	}
	start := time.Now()
	var f *Frame
	var err error
	switch {
	case p.op == "group" && flows(p.in[0]) && mergeable(p):
		f, err = x.groupBatches(p)
	case (p.op == "distinct" || p.op == "topk") && flows(p.in[0]):
		f, err = x.reduceBatches(p)
	case flows(p):
		f, err = x.gatherBatches(p)
	default:
		return nil, nil, false
	}
	if err != nil {
		return nil, wrong(p.op, p.at, err), true
	}
	p.stats = stats{rows: f.rows, bytes: f.Bytes(), time: time.Since(start), ran: true}
	x.live.Add(p.stats.bytes)
	return f, x.reserve(0), true
}

var errStop = errors.New("no more rows are needed")

// each calls emit for batches of a plan's rows, in their order, which together may be none.
func (x *exec) each(p *plan, emit func(*Frame) error) error {
	if !flows(p) {
		f, err := x.run(p)
		if err != nil {
			return err
		}
		defer x.live.Add(-p.stats.bytes)
		for from := 0; from < f.rows; from += batchRows {
			if err := emit(f.slice(from, min(from+batchRows, f.rows))); err != nil {
				return err
			}
		}
		return nil
	}
	counted := func(f *Frame) error {
		p.stats.rows += f.rows
		p.stats.bytes += f.Bytes()
		p.stats.ran = true
		if f.rows == 0 {
			return nil
		}
		return emit(f)
	}
	// step turns each batch of the input into one of this plan's.
	step := func(do func(*Frame) (*Frame, error)) error {
		return x.each(p.in[0], func(f *Frame) error {
			start := time.Now()
			f, err := do(f)
			p.stats.time += time.Since(start)
			if err != nil {
				return wrong(p.op, p.at, err)
			}
			if err := x.reserve(f.Bytes()); err != nil {
				return wrong(p.op, p.at, err)
			}
			n := f.Bytes()
			x.live.Add(n)
			defer x.live.Add(-n)
			return counted(f)
		})
	}
	switch p.op {
	case "scan":
		start := time.Now()
		err := x.scanEach(p, counted)
		p.stats.time += time.Since(start)
		return err
	case "filter":
		return step(func(f *Frame) (*Frame, error) { return x.filter(p, f) })
	case "project":
		return step(func(f *Frame) (*Frame, error) { return x.project(f, p.exprs) })
	case "join":
		right, err := x.run(p.in[1])
		if err != nil {
			return err
		}
		defer x.live.Add(-p.in[1].stats.bytes)
		do, err := x.joiner(p, right)
		if err != nil {
			return wrong(p.op, p.at, err)
		}
		return step(do)
	case "slice":
		return x.eachOfSlice(p, counted)
	}
	for _, in := range p.in { // concat
		if err := x.each(in, func(f *Frame) error { return counted(pick(f, p.names())) }); err != nil {
			return err
		}
	}
	return nil
}

func (x *exec) eachOfSlice(p *plan, emit func(*Frame) error) error {
	skip, left := p.step.from, p.step.count
	err := x.each(p.in[0], func(f *Frame) error {
		from := min(skip, f.rows)
		skip -= from
		to := from + min(left, f.rows-from)
		left -= to - from
		if to > from {
			if err := emit(pick(f, p.names()).slice(from, to)); err != nil {
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

// scanEach hands on what a source reads.
func (x *exec) scanEach(p *plan, emit func(*Frame) error) error {
	r := Request{Columns: p.names(), Limit: p.limit, Workers: x.pool.Workers}
	full, err := p.source.Schema()
	if err != nil {
		return wrong(p.op, p.at, err)
	}
	for _, n := range p.filter {
		r.Filter = append(r.Filter, bounds1(n, full)...)
	}
	err = p.source.Read(x.pool.Context, r, func(f *Frame) error {
		if !slices.Equal(f.names, r.Columns) {
			return fmt.Errorf("%s: columns %v were asked for, %v came", p.source, r.Columns, f.names)
		}
		n := f.Bytes()
		if err := x.reserve(n); err != nil {
			return err
		}
		x.live.Add(n)
		defer x.live.Add(-n)
		if err := emit(f); err != nil {
			return err
		}
		return x.pool.Context.Err()
	})
	if err != nil && !errors.Is(err, errStop) {
		return wrong(p.op, p.at, err)
	}
	return err
}

// larger gathers batches until there is enough for a step to be worth its beginning.
func (x *exec) larger(p *plan, emit func(*Frame) error) error {
	var parts []*Frame
	rows, bytes := 0, int64(0)
	most := batchBytes
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
			if f, err = x.stacked(p.names(), parts); err != nil {
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
	err := x.each(p, func(f *Frame) error {
		n := f.Bytes()
		if len(parts) > 0 && bytes+n > most {
			if err := flush(); err != nil {
				return err
			}
		}
		parts = append(parts, f)
		rows += f.rows
		bytes += n
		x.live.Add(n)
		if rows < batchRows && bytes < most {
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
func (x *exec) gatherBatches(p *plan) (*Frame, error) {
	var parts []*Frame
	var bytes int64
	defer func() { x.live.Add(-bytes) }()
	err := x.each(p, func(f *Frame) error {
		if err := x.reserve(f.Bytes()); err != nil {
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
	switch len(parts) {
	case 0:
		return nothing(p.schema), nil
	case 1:
		return parts[0], nil
	}
	return x.stacked(p.names(), parts)
}

// reduceBatches keeps of each batch, and of what was kept before, the rows that a distinct or the first of an order has.
func (x *exec) reduceBatches(p *plan) (*Frame, error) {
	all := *p
	all.schema = p.in[0].schema // keys may be no columns of the result
	kept := nothing(all.schema)
	var bytes int64
	defer func() { x.live.Add(-bytes) }()
	err := x.larger(p.in[0], func(f *Frame) error {
		var err error
		if kept.rows > 0 {
			if f, err = x.stacked(all.names(), []*Frame{kept, f}); err != nil {
				return err
			}
		}
		if kept, err = x.step(&all, []*Frame{f}); err != nil {
			return err
		}
		x.live.Add(kept.Bytes() - bytes)
		bytes = kept.Bytes()
		return x.reserve(0)
	})
	return pick(kept, p.names()), err
}

// Batches runs the query, and has its rows in frames one after another, in their order. Of a query that reads a source, filters, computes columns and
// joins its left side with what fits, no more than some batches are in memory. An error is the last that it has. To stop early ends the query.
func (q *Query) Batches(ctx context.Context, o Options) iter.Seq2[*Frame, error] {
	return func(yield func(*Frame, error) bool) {
		p, err := q.plan()
		if err != nil {
			yield(nil, err)
			return
		}
		p = optimize(p)
		x := newExec(ctx, o)
		over := false
		err = x.each(p, func(f *Frame) error {
			if !yield(pick(f, p.names()), nil) {
				over = true
				return errStop
			}
			return nil
		})
		if err != nil && !over {
			yield(nil, fmt.Errorf("frame: %w", err))
		}
	}
}
