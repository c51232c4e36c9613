package variant

import "github.com/anycl/anycl/engine"

// AlgorithmCost is the cost of an algorithm.
type AlgorithmCost struct {
	Nanoseconds float64 // of one core of the kind that it was measured on
	Parts       float64 // that need not wait for each other
	Bytes       float64 // to and from memory
	Launches    float64
}

// referenceCore is how many operations a second the core did on which costs were measured,
// which has AVX-512.
const referenceCore = 257e9

// Time predicts how long an algorithm takes on the given number of compute units, without its launches, in seconds: flops and bytes a
// second are those of all. It is no arithmetic, so that a core with narrower vectors is not slower by as much.
func (l AlgorithmCost) Time(units, flops, bytes float64) float64 {
	flops = max(flops, referenceCore*units/4)
	share := max(min(l.Parts, units), 1) / units
	return max(l.Nanoseconds*1e-9*referenceCore/(flops*share), l.Bytes/bytes)
}

// CostOf predicts the cost of t, a task of kind Routine. It counts for CPU drivers; elsewhere it says no more than
// orders of magnitude.
func CostOf(t *engine.Task) AlgorithmCost {
	c := t.Cost()
	guess := AlgorithmCost{Nanoseconds: c.Flops, Parts: c.Parts, Bytes: c.BytesRead + c.BytesWrite, Launches: 1}
	if f := FamilyFor(t); f != nil && f.Cost != nil {
		return f.Cost(t, guess)
	}
	return guess
}
