package access

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
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
				if Uses(engine.IndexValue(tensor.Int64, t.Atom.X), []int{a}) {
					return -1
				}
			}
		}
	}
	return worst
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
		bent := false
		t.Atom.X.VisitAxes(func(a int) { bent = bent || a == axis })
		if bent {
			return -1
		}
	}
	return stride
}
