package reduce

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
)

// slide says that an expression depends on two axes only through the position
// step·at + apart·tap: a window that moves along at, with taps along tap.
type slide struct {
	at, tap     int // axes; no window slides where at is -1
	step, apart int64
	least       int64 // of all positions
	extent      int64 // how many there are from the least to the largest
}

// noSlide is the slide of expressions over which no window slides.
var noSlide = slide{at: -1, tap: -1, step: 1, apart: 1, extent: 1}

// slideOf finds how the loads of e move along at and tap.
func slideOf(e *engine.Expr, dom engine.Domain, at, tap int) (slide, bool) {
	s := slide{at: at, tap: tap}
	for sub := range e.Walk() {
		for _, x := range sub.Indices() {
			if s.step == 0 {
				s.step, s.apart = ratio(x, at, tap)
			}
		}
	}
	if s.step == 0 {
		return s, false
	}
	n := access.GCD(access.Abs(s.step), access.Abs(s.apart))
	if s.step < 0 {
		n = -n
	}
	s.step, s.apart = s.step/n, s.apart/n
	if s.step > 1 && access.Abs(s.apart) != 1 {
		return s, false // no position has coordinates of its own
	}
	last := s.apart * int64(dom[tap]-1)
	s.least = min(last, 0)
	s.extent = s.step*int64(dom[at]-1) + access.Abs(last) + 1
	return s, true
}

// ratio is the coefficients of both axes in the first sum within x that has both.
func ratio(x *engine.Index, at, tap int) (a, t int64) {
	for _, term := range x.Terms {
		switch term.Atom.Kind {
		case engine.AtomAxis:
			if term.Atom.Axis == at {
				a = term.Coef
			}
			if term.Atom.Axis == tap {
				t = term.Coef
			}
		case engine.AtomDiv, engine.AtomMod, engine.AtomMin:
			if a, t := ratio(term.Atom.X, at, tap); a != 0 && t != 0 {
				return a, t
			}
		}
	}
	if a == 0 || t == 0 {
		return 0, 0
	}
	return a, t
}

// holds reports whether e depends on the axes of s only through the position:
// it stays where both move so that the position does.
func (s slide) holds(e *engine.Expr, dom engine.Domain) bool {
	if s.at < 0 {
		return true
	}
	to := access.Coordinates(dom)
	to[s.at], to[s.tap] = to[s.at].AddConst(s.apart), to[s.tap].AddConst(-s.step)
	return e.Subst(to, dom).Key() == e.Key()
}

// positions makes at, in to and dom, the axis of positions, counted from the least.
func (s slide) positions(to []*engine.Index, dom engine.Domain) {
	if s.at < 0 {
		return
	}
	dom[s.at], dom[s.tap] = int(s.extent), 1
	place := engine.AxisIndex(s.at).AddConst(s.least)
	if s.step == 1 {
		to[s.at], to[s.tap] = place, engine.ConstIndex(0)
	} else {
		to[s.at], to[s.tap] = engine.ConstIndex(0), place.Mul(s.apart)
	}
}

// taps is how many taps the window has.
func (s slide) taps(dom engine.Domain) int64 {
	if s.at < 0 {
		return 1
	}
	return int64(dom[s.tap])
}

// axis lists a, if it is one.
func axis(a int) []int {
	if a < 0 {
		return nil
	}
	return []int{a}
}
