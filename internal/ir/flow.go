package ir

// Flow is a branch or a loop in the list of an executable's instructions: two stretches of them,
// of which a run takes one, or both as often as there are iterations.
type Flow struct {
	*Control
	Node  *Node
	Inner []*Flow

	// Pred is the predicate, nil where iterations are counted; where an instruction makes it, it is
	// output PredOut of instruction PredInstruction of every list like this.
	Pred                     *Value
	PredInstruction, PredOut int

	// Instructions [first, mid) find out whether there is an iteration, and [mid, last) are one; of
	// a branch they are the two ways.
	First, Mid, Last int

	// Before and Parts are the instructions until they are in the list: the instructions before a
	// loop, and both stretches.
	Before []*Instruction
	Parts  [2][]*Instruction
}

// Predicate is the predicate of f among instructions.
func (f *Flow) Predicate(instructions []*Instruction) *Value {
	if f.Pred == nil || f.Pred.Maker == nil {
		return f.Pred
	}
	return instructions[f.PredInstruction].Outs[f.PredOut]
}

// WalkFlows calls f with flows and all in them, the inner ones first.
func WalkFlows(flows []*Flow, f func(*Flow)) {
	for _, fl := range flows {
		WalkFlows(fl.Inner, f)
		f(fl)
	}
}

// Has reports whether instruction t is in f.
func (f *Flow) Has(t int) bool { return f.First <= t && t < f.Last }

// Contains reports whether v, made by instruction maker, is new in every iteration of f, or in every
// way of it. A value that an iteration hands on, or that all iterations together make, is not.
func (f *Flow) Contains(v *Value, maker int) bool {
	return v.Maker != nil && v.Flow != f && f.Has(maker)
}

// Counts are how often each of the stretches is expected to run where f runs once.
func (f *Flow) Counts() (first, second float64) {
	if !f.Loop {
		p := f.Stats.Taken()
		return p, 1 - p
	}
	n := f.Iterations()
	return n + 1, n
}

// guess is the number of iterations of a loop of which nothing is known.
const guess = 8

// Iterations is how many are expected.
func (f *Flow) Iterations() float64 {
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
