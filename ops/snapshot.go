package ops

import (
	"errors"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/report"
)

// tasks are those of x, each of which is expected to run so often.
func (x *Executable) tasks(often []float64) []report.Task {
	at := make([]int, len(x.units)) // among the tasks of its engine
	for _, e := range x.reportEngines() {
		for i, t := range e.Tasks {
			at[t] = i
		}
	}
	tasks := make([]report.Task, len(x.units))
	for t, u := range x.units {
		c, cost := x.plan.Choices[t], u.Task.Cost()
		s := x.sides[c.Side]
		r := &tasks[t]
		*r = report.Task{
			Name: u.Task.Name, Kind: u.Task.Kind.String(), Caller: u.Task.Caller, Axes: u.Task.Axes,
			DType: u.Task.Outs[0].DType.String(), Where: s.engine.Name(), Why: c.Why,
			Runs: often[t], Predicted: map[string]int64{}, Flops: cost.Flops, Bytes: cost.BytesRead + cost.BytesWrite,
		}
		if x.measured != nil {
			r.Measured = x.measured[t]
		}
		for i, d := range x.plan.Times[t] {
			r.Predicted[x.sides[i].engine.Name()] = int64(scaledBy(d, often[t]/max(x.often[t], 1e-9)))
		}
		if s.seq != nil && !x.closed {
			r.Plan = s.seq.Describe(at[t])
		}
	}
	return tasks
}

// memory is what x, and each execution instance of it, holds on each engine.
func (x *Executable) memory() (all []report.Memory) {
	for i, s := range x.sides {
		m := report.Memory{Where: s.engine.Name(), Values: s.values, Live: s.live, Lent: s.lent}
		if s.seq != nil && !x.closed {
			m.Scratch = s.seq.Traits().Scratch
		}
		for _, n := range x.arenas[i] {
			m.Arena += n
		}
		for _, mem := range s.memories {
			m.Fixed += mem.Bytes()
		}
		m.Fixed = max(m.Fixed-m.Arena-m.Lent, 0)
		n := int64(x.instances.count())
		m.Arena, m.Fixed, m.Scratch, m.Values = n*m.Arena, n*m.Fixed, n*m.Scratch, n*m.Values
		for _, u := range x.vars {
			if slices.Contains(u.sides, i) {
				m.Variables += u.v.Bytes
			}
		}
		if m.Arena+m.Fixed+m.Variables+m.Lent > 0 {
			all = append(all, m)
		}
	}
	return all
}

// placements are those that x, or what it belongs to, has had, the first one first.
func (x *Executable) placements() []report.Placement {
	all := []*Executable{x}
	if a := x.adaptive; a != nil {
		a.mu.Lock()
		all = slices.Clone(a.plans)
		a.mu.Unlock()
	}
	reports := make([]report.Placement, len(all))
	for i, y := range all {
		took, _ := y.clock.Median()
		reports[i] = report.Placement{Where: y.spread(), Runs: y.served.Load(), Measured: took, Now: y == x}
	}
	return reports
}

// regions lists flows, each before those in it.
func regions(flows []*ir.Flow, in int, out []report.Region) []report.Region {
	for _, f := range flows {
		r := report.Region{
			Op: f.Node.Scope, Caller: f.Node.Caller, In: in, First: f.First, Mid: f.Mid, Last: f.Last, Branch: !f.Loop,
		}
		if r.Iterations = f.Stats.Taken(); f.Loop {
			r.Iterations = f.Iterations()
		}
		out = append(out, r)
		out = regions(f.Inner, len(out)-1, out)
	}
	return out
}

// refusals are those of all tasks that run after a device in the order of preference, and were not put there.
func (x *Executable) refusals() (all []report.Refusal) {
	for t, u := range x.units {
		if x.where != Auto || u.Where != ir.Anywhere || u.Flow != nil {
			continue
		}
		for _, s := range x.sides[:x.plan.Choices[t].Side] {
			if err := s.engine.Check(u.Task); err != nil {
				r := report.Refusal{Engine: s.engine.Name(), Task: u.Task.Name, Caller: u.Task.Caller, Why: oneLine(err)}
				if e := (*engine.UnsupportedError)(nil); errors.As(err, &e) {
					r.Why, r.Limit = e.Why, e.Limit
				}
				all = append(all, r)
			}
		}
	}
	return all
}

// logRefusals tells of tasks that run on the CPU path because a device cannot run them.
func (x *Executable) logRefusals() {
	for _, r := range x.refusals() {
		log := x.rt.log.Info
		if r.Limit {
			log = x.rt.log.Warn
		}
		log("ops: a task cannot run on the device", "graph", x.name, "task", r.Task, "caller", r.Caller, "device", r.Engine, "why", r.Why)
	}
}

// values lists what the tasks of x read and make, and what moves.
func (x *Executable) values() []report.Value {
	var engines []*priced
	for _, s := range x.sides {
		engines = append(engines, newPriced(s.engine, nil, &x.rt.pace))
	}
	number, index := map[*ir.Unit]int{}, map[*ir.Value]int{}
	var out []report.Value
	at := func(v *ir.Value) *report.Value {
		i, ok := index[v]
		if !ok {
			i = len(out)
			index[v] = i
			r := report.Value{Name: v.Node.Label, Bytes: v.Bytes(), From: -1, Fed: v.IsInput()}
			if v.Maker != nil {
				r.From = number[v.Maker]
			}
			out = append(out, r)
		}
		return &out[i]
	}
	name := func(s int) string {
		if s == place.Host {
			return report.Host
		}
		return x.sides[s].engine.Name()
	}
	move := func(v *ir.Value, r *report.Value, from, to int) {
		moved := place.Value{Bytes: r.Bytes, Lent: x.canAlias(v)}
		m := report.Move{From: name(from), To: name(to), Predicted: moveTime(engines, from, to, x.plan.Links, &moved)}
		if !slices.Contains(r.Moves, m) {
			r.Moves = append(r.Moves, m)
		}
	}
	for t, u := range x.units {
		number[u] = t
		side := x.plan.Choices[t].Side
		for _, v := range u.Ins {
			r := at(v)
			r.To = append(r.To, t)
			switch {
			case r.Fed:
				move(v, r, place.Host, side)
			case r.From >= 0 && x.plan.Choices[r.From].Side != side:
				move(v, r, x.plan.Choices[r.From].Side, side)
			}
		}
		for _, v := range u.Outs {
			at(v)
		}
	}
	for _, v := range x.results {
		if r := at(v); r.From >= 0 {
			r.Result = true
			move(v, r, x.plan.Choices[r.From].Side, place.Host)
		}
	}
	return out
}
