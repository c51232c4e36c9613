package exec

import (
	"errors"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/internal/report"
)

// tasks describes the tasks of v, of which task t is expected to run often[t] times.
func (v *version) tasks(often []float64) []report.Task {
	at := make([]int, len(v.Instructions)) // among the tasks of its engine
	for _, e := range v.reportEngines() {
		for i, t := range e.Tasks {
			at[t] = i
		}
	}
	tasks := make([]report.Task, len(v.Instructions))
	for t, u := range v.Instructions {
		c, cost := v.Placement.Choices[t], u.Task.Cost()
		s := &v.first.engines[c.Engine]
		r := &tasks[t]
		*r = report.Task{
			Name: u.Task.Name, Kind: u.Task.Kind.String(), Caller: u.Task.Caller, Axes: u.Task.Axes,
			DType: u.Task.Outs[0].DType.String(), Where: s.engine.Name(), Why: c.Why,
			Runs: often[t], Predicted: map[string]int64{}, Flops: cost.Flops, Bytes: cost.BytesRead + cost.BytesWrite,
		}
		if v.measured != nil {
			r.Measured = v.measured[t]
		}
		for i, d := range v.Placement.Times[t] {
			r.Predicted[v.model.Engines[i].Name()] = int64(v.Placement.Scaled(t, d, often))
		}
		if s.seq != nil && !v.first.closed {
			r.Plan = s.seq.Describe(at[t])
		}
	}
	return tasks
}

// memory lists the memory that v, and each execution instance of it, holds on each engine.
func (v *version) memory() (all []report.Memory) {
	for i, e := range v.Engines {
		s := &v.first.engines[i]
		m := report.Memory{Where: s.engine.Name(), Values: e.Values, Live: e.Live}
		if s.seq != nil && !v.first.closed {
			m.Scratch = s.seq.Traits().Scratch
		}
		for _, n := range e.Arenas {
			m.Arena += n
		}
		for k, mem := range e.Memories {
			switch mem.Kind {
			case plan.Constant:
				m.Fixed += s.memories[k].Bytes()
			case plan.External:
				m.Lent += s.memories[k].Bytes()
			case plan.State:
				m.Variables += mem.Bytes
			}
		}
		n := int64(v.pool.count())
		m.Arena, m.Fixed, m.Scratch, m.Values = n*m.Arena, n*m.Fixed, n*m.Scratch, n*m.Values
		if m.Arena+m.Fixed+m.Variables+m.Lent > 0 {
			all = append(all, m)
		}
	}
	return all
}

// placements returns the placements that the executor has had, in order.
func (v *version) placements() []report.Placement {
	all := []*version{v}
	if a := v.adaptive; a != nil {
		a.mu.Lock()
		all = slices.Clone(a.versions)
		a.mu.Unlock()
	}
	reports := make([]report.Placement, len(all))
	for i, w := range all {
		took, _ := w.clock.Median()
		reports[i] = report.Placement{Where: w.spread(), Runs: w.served.Load(), Measured: took, Now: w == v}
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

// refusals lists why engines that come before the engine of a task in the order of preference cannot run it.
func (v *version) refusals() (all []report.Refusal) {
	for t, u := range v.Instructions {
		if v.model.Where != ir.Anywhere || u.Where != ir.Anywhere || u.Flow != nil {
			continue
		}
		for _, e := range v.model.Engines[:v.Placement.Choices[t].Engine] {
			if err := e.Check(u.Task); err != nil {
				r := report.Refusal{Engine: e.Name(), Task: u.Task.Name, Caller: u.Task.Caller, Why: strings.ReplaceAll(err.Error(), "\n", "; ")}
				if u := (*engine.UnsupportedError)(nil); errors.As(err, &u) {
					r.Why, r.Limit = u.Why, u.Limit
				}
				all = append(all, r)
			}
		}
	}
	return all
}

// LogRefusals tells of tasks that run on the CPU path because a device cannot run them.
func (x *Executor) LogRefusals() {
	for _, r := range x.now().refusals() {
		log := x.machine.Log.Info
		if r.Limit {
			log = x.machine.Log.Warn
		}
		log("ops: a task cannot run on the device", "graph", x.name, "task", r.Task, "caller", r.Caller, "device", r.Engine, "why", r.Why)
	}
}

// values lists the values that the tasks of v read and make, with their moves.
func (v *version) values() []report.Value {
	moves := v.model.MoveTimes(v.Placement)
	choices := v.Placement.Choices
	number, index := map[*ir.Instruction]int{}, map[*ir.Value]int{}
	var out []report.Value
	at := func(x *ir.Value) *report.Value {
		i, ok := index[x]
		if !ok {
			i = len(out)
			index[x] = i
			r := report.Value{Name: x.Node.Label, Bytes: x.Bytes(), From: -1, Fed: x.IsInput()}
			if x.Maker != nil {
				r.From = number[x.Maker]
			}
			out = append(out, r)
		}
		return &out[i]
	}
	name := func(e int) string {
		if e == place.Host {
			return report.Host
		}
		return v.model.Engines[e].Name()
	}
	move := func(x *ir.Value, r *report.Value, from, to int) {
		m := report.Move{From: name(from), To: name(to), Predicted: moves(x, from, to)}
		if !slices.Contains(r.Moves, m) {
			r.Moves = append(r.Moves, m)
		}
	}
	for t, u := range v.Instructions {
		number[u] = t
		here := choices[t].Engine
		for _, x := range u.Ins {
			r := at(x)
			r.To = append(r.To, t)
			switch {
			case r.Fed:
				move(x, r, place.Host, here)
			case r.From >= 0 && choices[r.From].Engine != here:
				move(x, r, choices[r.From].Engine, here)
			}
		}
		for _, x := range u.Outs {
			at(x)
		}
	}
	for _, x := range v.Results {
		if r := at(x); r.From >= 0 {
			r.Result = true
			move(x, r, choices[r.From].Engine, place.Host)
		}
	}
	return out
}
