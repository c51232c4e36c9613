package device

import (
	"errors"
	"slices"
	"time"

	"github.com/anycl/anycl/frame/internal/host"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/ops"
)

// fusable are steps that may become part of a graph: those that keep rows where they are, and, as its last one, those that do not.
var fusable = map[string]bool{"project": true, "filter": true, "join": true}

var last = map[string]bool{"group": true, "distinct": true, "sort": true, "topk": true, "window": true}

// errBroken ends a device's run when a value does not fit: the CPU path, which runs it again, says which one.
var errBroken = errors.New("a value does not fit")

// fragments runs plans on the CPU path and a device.
type fragments struct {
	*host.Exec
	device *Device
}

// fragment runs a plan whose steps may become graphs: as many of them as can be in one.
func (x *fragments) fragment(p *plan.Plan) (*table.Table, error) {
	var steps []*plan.Plan // the last first
	base := p
	for (fusable[base.Op] || last[base.Op]) && !(base.Op == "filter" && base.In[0].Op == "scan") {
		steps = append(steps, base)
		base = base.In[0]
	}
	f, err := x.Run(base)
	if err != nil {
		return nil, err
	}
	slices.Reverse(steps)
	rights := map[*plan.Plan]*table.Table{}
	for len(steps) > 0 {
		n, g, err := x.fused(steps, f, rights)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			f, steps = g, steps[n:]
			continue
		}
		in := []*table.Table{f}
		if len(steps[0].In) > 1 {
			right, err := x.right(steps[0], rights)
			if err != nil {
				return nil, err
			}
			in = append(in, right)
		}
		if f, err = x.Finish(steps[0], in); err != nil {
			return nil, err
		}
		steps = steps[1:]
	}
	return f, nil
}

// right runs the right side of a join, once.
func (x *fragments) right(p *plan.Plan, done map[*plan.Plan]*table.Table) (*table.Table, error) {
	if f, ok := done[p]; ok {
		return f, nil
	}
	f, err := x.Run(p.In[1])
	done[p] = f
	return f, err
}

// fused runs the first of some steps as one graph, and says how many: 0 where the first one stays on the CPU path, for a reason that is
// noted.
func (x *fragments) fused(steps []*plan.Plan, f *table.Table, rights map[*plan.Plan]*table.Table) (int, *table.Table, error) {
	first := steps[0]
	if why := x.device.refuses(f); why != "" {
		first.Why = why
		return 0, nil, nil
	}
	text := ""
	if x.device.o.Place == ops.Auto {
		text = textOf(steps, f)
		if why := x.device.leaves(text); why != "" {
			first.Why = why
			return 0, nil, nil
		}
	}
	n, g, stay, err := x.fuse(steps, f, rights)
	if err == nil && stay != 0 && text != "" {
		x.device.leave(text, first.Why, stay)
	}
	return n, g, err
}

// fuse is fused without a look at earlier decisions. Stay says for how many queries the steps stay on the CPU path: 0 where the
// next one decides.
func (x *fragments) fuse(steps []*plan.Plan, f *table.Table, rights map[*plan.Plan]*table.Table) (n int, g *table.Table, stay int,
	err error) {
	first := steps[0]
	begun := time.Now()
	r := newRelation(x.Exec, f)
	r.compact = x.device.compact
	taken := 0
	for taken < len(steps) && fusable[steps[taken].Op] {
		p := steps[taken]
		var right *table.Table
		if p.Op == "join" {
			var err error
			start := time.Now()
			if right, err = x.right(p, rights); err != nil {
				return 0, nil, 0, err
			}
			begun = begun.Add(time.Since(start)) // which both sides need
		}
		if err := r.absorb(p, right); err != nil {
			p.Why = err.Error()
			break
		}
		taken++
	}
	var o *outcome
	if taken < len(steps) && last[steps[taken].Op] {
		if o, err = r.end(steps[taken]); err != nil {
			steps[taken].Why = err.Error()
		} else {
			taken++
		}
	}
	if taken == 0 {
		return 0, nil, doubled, x.Pool.Context.Err()
	}
	if o == nil { // again, without the step that failed
		again := newRelation(x.Exec, f)
		again.compact = r.compact
		for _, p := range steps[:taken] {
			if err := again.absorb(p, rights[p]); err != nil {
				first.Why = err.Error()
				return 0, nil, doubled, nil
			}
		}
		r = again
		if r.work == 0 {
			first.Why = plan.NothingComputed
			return 0, nil, doubled, nil
		}
		if o, err = r.result(); err != nil {
			first.Why = err.Error()
			return 0, nil, doubled, nil
		}
	}
	return x.launch(steps[:taken], f, rights, r, o, begun)
}

// end makes the last step of a graph.
func (r *relation) end(p *plan.Plan) (*outcome, error) {
	switch p.Op {
	case "group":
		return r.group(p)
	case "distinct":
		return r.distinct(p)
	case "window":
		return r.window(p)
	}
	return r.sort(p)
}
