package ocl

import "github.com/anycl/anycl/engine"

// algorithmCost is what an algorithm takes.
type algorithmCost struct {
	ns       float64 // of one core of the kind that it was measured on
	parts    float64 // that need not wait for each other
	bytes    float64 // to and from memory
	launches float64
}

// referenceCore is how many operations a second the core did on which costs were measured:
// AVX-512 at about 4 GHz.
const referenceCore = 257e9

// time predicts how long an algorithm takes on so many units, without its launches, in seconds: flops and bytes a second are those of all.
// It is no arithmetic, so that a core with narrower vectors is not slower by as much.
func (l algorithmCost) time(units, flops, bytes float64) float64 {
	flops = max(flops, referenceCore*units/4)
	share := max(min(l.parts, units), 1) / units
	return max(l.ns*1e-9*referenceCore/(flops*share), l.bytes/bytes)
}

// costOf predicts the cost of t, a task of kind Routine. It counts for CPU drivers; elsewhere it says no more than
// orders of magnitude.
func costOf(t *engine.Task) algorithmCost {
	c := t.Cost()
	guess := algorithmCost{ns: c.Flops, parts: c.Parts, bytes: c.BytesRead + c.BytesWrite, launches: 1}
	if f := familyFor(t); f != nil && f.cost != nil {
		return f.cost(t, guess)
	}
	return guess
}
