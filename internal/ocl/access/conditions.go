package access

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
)

// Steady reports whether e is the same in every run: it reads steady inputs only.
func Steady(t *engine.Task, e *engine.Expr) bool {
	reads := false
	for s := range e.Walk() {
		if s.Op == engine.OpRun || s.Op == engine.OpLoad && !t.Ins[s.Input].Steady {
			return false
		}
		reads = reads || s.Op == engine.OpLoad
	}
	return reads
}

// UsesRun reports whether t depends on the number of the run.
func UsesRun(t *engine.Task) bool {
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			if s.Op == engine.OpRun {
				return true
			}
		}
	}
	return false
}

// IndexLimit bounds the values of an int IDX: below 2^31 by the room that padded launches and
// strides past the end need.
const IndexLimit = math.MaxInt32 - 1<<20

// Reach bounds the magnitude of every partial sum of x. The value of a gather
// is not counted: its conditions are computed in long, and an address that
// they let through lies in its buffer.
func Reach(x *engine.Index, dom engine.Domain) int64 {
	total := float64(max(x.Const, -x.Const))
	for _, t := range x.Terms {
		coef := math.Abs(float64(t.Coef))
		switch t.Atom.Kind {
		case engine.AtomAxis:
			total += coef * float64(max(dom[t.Atom.Axis]-1, 0))
		case engine.AtomDiv, engine.AtomMod, engine.AtomMin:
			inner := Reach(t.Atom.X, dom)
			if inner > IndexLimit {
				return math.MaxInt64
			}
			// A remainder stays below its divisor, a quotient below the dividend.
			bound := float64(inner)
			if t.Atom.Kind == engine.AtomMod {
				bound = float64(t.Atom.D)
			}
			total += max(coef*bound, coef*math.Abs(float64(t.Atom.D)))
		default:
			total += coef
		}
	}
	if total > math.MaxInt64/2 {
		return math.MaxInt64
	}
	return int64(total)
}

// AtomKey is equal for equal atoms only.
func AtomKey(a engine.Atom) string {
	switch a.Kind {
	case engine.AtomAxis:
		return fmt.Sprintf("x%d", a.Axis)
	case engine.AtomData:
		return "z" + a.Data.Key()
	case engine.AtomDiv:
		return fmt.Sprintf("(%s)/%d", a.X.Key(), a.D)
	case engine.AtomMin:
		return fmt.Sprintf("(%s)<%d", a.X.Key(), a.D)
	default:
		return fmt.Sprintf("(%s)%%%d", a.X.Key(), a.D)
	}
}

// Unproven returns the conditions that are not proven to hold at every point of dom.
func Unproven(conds []engine.Cond, dom engine.Domain) (open []engine.Cond) {
	for _, c := range conds {
		if always, _ := c.Proven(dom); !always {
			open = append(open, c)
		}
	}
	return open
}

// GathersIn reports whether e reads where memory says.
func GathersIn(e *engine.Expr) bool {
	for s := range e.Walk() {
		if slices.ContainsFunc(s.Indices(), (*engine.Index).Gathers) {
			return true
		}
	}
	return false
}
