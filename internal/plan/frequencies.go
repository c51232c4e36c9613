package plan

import (
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
)

// frequencies are how often a run is expected to run each task.
func frequencies(flows []*ir.Flow, instructions int) []float64 {
	out := slices.Repeat([]float64{1}, instructions)
	ir.WalkFlows(flows, func(f *ir.Flow) {
		a, b := f.Counts()
		for t := f.First; t < f.Last; t++ {
			if t < f.Mid {
				out[t] *= a
			} else {
				out[t] *= b
			}
		}
	})
	return out
}

// Tied are tasks that must run on one engine: those that write one value.
func Tied(instructions []*ir.Instruction) (pairs [][2]int) {
	first := map[*ir.Value]int{}
	for t, u := range instructions {
		for _, v := range u.Outs {
			if at, ok := first[v]; ok {
				pairs = append(pairs, [2]int{at, t})
			} else {
				first[v] = t
			}
		}
	}
	return pairs
}

// hostSyncs adds the predicates of loops and branches, which the host reads in the midst of a run.
func hostSyncs(flows []*ir.Flow, often []float64, out []place.Value) []place.Value {
	ir.WalkFlows(flows, func(f *ir.Flow) {
		if f.Pred == nil || f.Pred.Maker == nil {
			return
		}
		t := f.PredInstruction
		count := often[t]
		if !f.Loop { // as often as the branch is come to
			count = often[f.First] + often[f.Mid]
		}
		out = append(out, place.Value{Bytes: 1, Maker: t, HostSyncs: count})
	})
	return out
}

// enclosing gives for each task the loops and branches that it is in, the innermost first.
func enclosing(flows []*ir.Flow, instructions int) [][]*ir.Flow {
	out := make([][]*ir.Flow, instructions)
	ir.WalkFlows(flows, func(f *ir.Flow) {
		for t := f.First; t < f.Last; t++ {
			out[t] = append(out[t], f)
		}
	})
	return out
}

// movesFor is how often v, made by task maker, is moved for the task that reads it, or for the host
// where that is -1: once for each time that it is made. A value that iterations hand on is new in
// each for tasks that read it there, and once for tasks behind the loop.
func movesFor(v *ir.Value, maker, reader int, within [][]*ir.Flow, often []float64) float64 {
	if f := v.Flow; f != nil && f.Loop && reader >= 0 && f.Has(reader) && f.Last > f.Mid {
		return often[f.Last-1]
	}
	times := often[maker]
	for _, f := range within[maker] { // out of the loops whose outcome it is
		if f == v.Flow || !slices.Contains(around(within, reader), f) {
			a, b := f.Counts()
			if maker >= f.Mid {
				a = b
			}
			times /= max(a, 1e-9)
		}
	}
	return times
}

func around(within [][]*ir.Flow, t int) []*ir.Flow {
	if t < 0 {
		return nil
	}
	return within[t]
}
