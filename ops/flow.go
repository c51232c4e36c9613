package ops

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/place"
)

// flow is a branch or a loop in the list of an executable's units: two stretches of them,
// of which a run takes one, or both as often as there are iterations.
type flow struct {
	*IRControl
	node  *IRNode
	inner []*flow

	// pred is the predicate, nil where iterations are counted; where a unit makes it, it is
	// output predOut of unit predUnit of every list like this.
	pred              *value
	predUnit, predOut int

	// Units [first, mid) find out whether there is an iteration, and [mid, last) are one; of
	// a branch they are the two ways.
	first, mid, last int

	// before and parts are the units until they are in the list: what stands before a
	// loop, and both stretches.
	before []*unit
	parts  [2][]*unit
}

// inOrder lists units with those of loops and branches in their places.
func inOrder(units []*unit) (all []*unit, flows []*flow) {
	var add func(units []*unit) []*flow
	add = func(units []*unit) (flows []*flow) {
		for _, u := range units {
			f := u.flow
			if f == nil {
				all = append(all, u)
				continue
			}
			all = append(all, f.before...)
			f.first = len(all)
			f.inner = add(f.parts[0])
			f.mid = len(all)
			f.inner = append(f.inner, add(f.parts[1])...)
			f.last = len(all)
			f.before, f.parts = nil, [2][]*unit{}
			flows = append(flows, f)
		}
		return flows
	}
	flows = add(units)
	for _, u := range slices.Backward(all) { // what several write is made by the first
		for _, v := range u.outs {
			v.maker = u
		}
	}
	walkFlows(flows, func(f *flow) {
		if f.pred != nil && f.pred.maker != nil {
			f.predUnit, f.predOut = slices.Index(all, f.pred.maker), slices.Index(f.pred.maker.outs, f.pred)
		}
	})
	return all, flows
}

// predicate is the predicate of f among units.
func (f *flow) predicate(units []*unit) *value {
	if f.pred == nil || f.pred.maker == nil {
		return f.pred
	}
	return units[f.predUnit].outs[f.predOut]
}

// walkFlows calls f with flows and all in them, the inner ones first.
func walkFlows(flows []*flow, f func(*flow)) {
	for _, fl := range flows {
		walkFlows(fl.inner, f)
		f(fl)
	}
}

// has reports whether unit t is in f.
func (f *flow) has(t int) bool { return f.first <= t && t < f.last }

// contains reports whether v, made by unit maker, is new in every iteration of f, or in every
// way of it. What an iteration hands on, or all of them together make, is not.
func (f *flow) contains(v *value, maker int) bool {
	return v.maker != nil && v.flow != f && f.has(maker)
}

// frequencies are how often a run is expected to run each unit.
func frequencies(flows []*flow, units int) []float64 {
	out := slices.Repeat([]float64{1}, units)
	walkFlows(flows, func(f *flow) {
		a, b := f.parts2()
		for t := f.first; t < f.last; t++ {
			if t < f.mid {
				out[t] *= a
			} else {
				out[t] *= b
			}
		}
	})
	return out
}

// parts2 is how often each stretch is expected to run where f runs once.
func (f *flow) parts2() (first, second float64) {
	if !f.Loop {
		p := f.Stats.taken()
		return p, 1 - p
	}
	n := f.iterations()
	return n + 1, n
}

// guess is the number of iterations of a loop of which nothing is known.
const guess = 8

// iterations is how many are expected.
func (f *flow) iterations() float64 {
	if f.Trips >= 0 {
		return float64(f.Trips)
	}
	n, ok := f.Stats.mean()
	switch {
	case ok:
	case f.Expect > 0:
		n = f.Expect
	default:
		n = guess
	}
	if f.Limit > 0 {
		n = min(n, float64(f.Limit))
	}
	return n
}

// carry makes a unit that copies src to dst.
func carry(name, caller string, src, dst *value, where IRPlace) *unit {
	t := &engine.Task{
		Kind: engine.Map, Name: name, Caller: caller, Axes: engine.Domain{int(src.len)}, Groups: []int{1},
		Ins:    []engine.Operand{{DType: src.DType, Len: src.len}},
		Outs:   []engine.Operand{{DType: dst.DType, Len: dst.len}},
		Values: []*engine.Expr{engine.Load(0, src.DType, engine.AxisIndex(0), nil)},
	}
	return &unit{task: t, ins: []*value{src}, outs: []*value{dst}, Where: where, carries: true}
}

// tied are units that must run on one side: those that write one value.
func tied(units []*unit) (pairs [][2]int) {
	first := map[*value]int{}
	for t, u := range units {
		for _, v := range u.outs {
			if at, ok := first[v]; ok {
				pairs = append(pairs, [2]int{at, t})
			} else {
				first[v] = t
			}
		}
	}
	return pairs
}

// awaited adds what the host reads in the midst of a run.
func awaited(flows []*flow, often []float64, out []place.Value) []place.Value {
	walkFlows(flows, func(f *flow) {
		if f.pred == nil || f.pred.maker == nil {
			return
		}
		t := f.predUnit
		count := often[t]
		if !f.Loop { // as often as the branch is come to
			count = often[f.first] + often[f.mid]
		}
		out = append(out, place.Value{Bytes: 1, Maker: t, Awaited: count})
	})
	return out
}

// enclosing gives for each unit the loops and branches that it is in, the innermost first.
func enclosing(flows []*flow, units int) [][]*flow {
	out := make([][]*flow, units)
	walkFlows(flows, func(f *flow) {
		for t := f.first; t < f.last; t++ {
			out[t] = append(out[t], f)
		}
	})
	return out
}

// movesFor is how often v, made by unit maker, is moved for the unit that reads it, or for the host
// where that is -1: once for each time that it is made. What iterations hand on is new in each
// for those that read it there, and once for those behind the loop.
func movesFor(v *value, maker, reader int, within [][]*flow, often []float64) float64 {
	if f := v.flow; f != nil && f.Loop && reader >= 0 && f.has(reader) && f.last > f.mid {
		return often[f.last-1]
	}
	times := often[maker]
	for _, f := range within[maker] { // out of loops that it is the outcome of
		if f == v.flow || !slices.Contains(around(within, reader), f) {
			a, b := f.parts2()
			if maker >= f.mid {
				a = b
			}
			times /= max(a, 1e-9)
		}
	}
	return times
}

func around(within [][]*flow, t int) []*flow {
	if t < 0 {
		return nil
	}
	return within[t]
}
