package access

import (
	"slices"

	"github.com/anycl/anycl/engine"
)

// GCD is the greatest common divisor.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Abs is the magnitude of x.
func Abs(x int64) int64 { return max(x, -x) }

// Stride tells how far apart in memory the elements lie that neighbours along
// axis a read: the worst of all loads of e, -1 where it cannot be told.
func Stride(e *engine.Expr, a int) int64 {
	worst := int64(0)
	for s := range e.Walk() {
		if s.Op != engine.OpLoad {
			continue
		}
		for _, t := range s.Addr.Terms {
			switch t.Atom.Kind {
			case engine.AtomAxis:
				if t.Atom.Axis == a {
					worst = max(worst, t.Coef, -t.Coef)
				}
			case engine.AtomData:
				if Uses(t.Atom.Data, []int{a}) {
					return -1
				}
			default:
				if UsesIndex(t.Atom.X, a) {
					return -1
				}
			}
		}
	}
	return worst
}

// StrideOfPieces is Stride within the pieces that minima, quotients and remainders make, where these are long.
func StrideOfPieces(e *engine.Expr, a int) int64 {
	worst := int64(0)
	for s := range e.Walk() {
		if s.Op != engine.OpLoad {
			continue
		}
		slopes := Slopes(s.Addr, a)
		if slopes == nil || !LongPieces(s.Addr, a, longPiece) {
			return -1
		}
		for _, k := range slopes {
			worst = max(worst, Abs(k))
		}
	}
	return worst
}

// longPiece is how many neighbours are mostly in one piece.
const longPiece = 16

// LongPieces reports whether vectors of run neighbours along axis mostly lie in one piece of x.
func LongPieces(x *engine.Index, axis, run int) bool {
	for _, t := range x.Terms {
		switch t.Atom.Kind {
		case engine.AtomAxis:
			continue
		case engine.AtomData:
			if Uses(t.Atom.Data, []int{axis}) {
				return false
			}
			continue
		case engine.AtomDiv, engine.AtomMod:
			for _, k := range Slopes(t.Atom.X, axis) {
				if 2*int64(run)*Abs(k) > t.Atom.D {
					return false
				}
			}
		}
		if !LongPieces(t.Atom.X, axis, run) {
			return false
		}
	}
	return true
}

// StrideAlong is how far apart x is for all neighbours along axis, or -1 where
// that differs.
func StrideAlong(x *engine.Index, axis int) int64 {
	stride := int64(0)
	for _, t := range x.Terms {
		if t.Atom.Kind == engine.AtomAxis {
			if t.Atom.Axis == axis {
				stride = t.Coef
			}
			continue
		}
		if UsesIndex(t.Atom.X, axis) {
			return -1
		}
	}
	return stride
}

// Slopes are how far apart x may be for neighbours along axis, in pieces that minima, quotients and remainders make; nil where data
// says it.
func Slopes(x *engine.Index, axis int) (all []int64) {
	all = []int64{0}
	for _, t := range x.Terms {
		var of []int64
		switch k := t.Atom; {
		case k.Kind == engine.AtomAxis && k.Axis == axis:
			of = []int64{1}
		case k.Kind == engine.AtomData && Uses(k.Data, []int{axis}):
			return nil
		case k.Kind == engine.AtomAxis || k.Kind == engine.AtomData || k.Kind == engine.AtomDiv || !UsesIndex(k.X, axis):
			continue
		default:
			if of = Slopes(k.X, axis); of == nil {
				return nil
			}
			if k.Kind == engine.AtomMin {
				of = append(of, 0)
			}
		}
		var sums []int64
		for _, a := range all {
			for _, b := range of {
				sums = append(sums, a+t.Coef*b)
			}
		}
		slices.Sort(sums)
		if all = slices.Compact(sums); len(all) > mostSlopes {
			return nil
		}
	}
	return all
}

// mostSlopes is how many slopes are told apart.
const mostSlopes = 16

// UsesIndex reports whether x depends on axis.
func UsesIndex(x *engine.Index, axis int) (yes bool) {
	x.VisitAxes(func(a int) { yes = yes || a == axis })
	return yes
}
