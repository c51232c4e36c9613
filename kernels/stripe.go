package kernels

// StripeShape is how reduce/cpu_stripe.cl divides its work.
type StripeShape struct {
	Lanes int64 // of a stripe
	Rows  int64 // outer points an item
	Parts       // of the fold
}

// Stripes is the shape for outer x inner results of folds values each, on a CPU
// with a given number of units, whose registers hold a given number of states. turns says how many
// columns lie side by side in inner.
func Stripes(outer, inner, folds, states, turns int64, units int) StripeShape {
	// As even as can be: the last stripe computes again what it shares with the
	// one before.
	n := ceil(inner, states)
	s := StripeShape{Lanes: min(max(ceil(inner, n), 16), states)}
	enough := int64(4 * units)
	s.Parts = CutRows(outer*n, folds, enough, 64, 1)
	if turns > 1 {
		s.Parts = CutInto(folds, min(s.Count, max(1024/turns, 1)), 1)
	}
	s.Rows = max(min((1<<14)/max(s.Lanes*s.Span, 1), ceil(outer, enough)), 1)
	for ceil(outer, s.Rows) > rowItems {
		s.Rows *= 2
	}
	return s
}

// Grid is the launch of s.
func (s StripeShape) Grid(outer, inner int64) Grid {
	return Grid{
		Global: [3]int{int(ceil(inner, s.Lanes)), int(ceil(outer, s.Rows)), int(s.Count)},
		Local:  [3]int{1, 1, 1},
	}
}
