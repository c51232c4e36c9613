package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Index is an integer expression over the coordinates of a domain, in the
// normal form
//
//	Const + Σ Coef·Atom
//
// with terms sorted, atoms distinct and coefficients nonzero. It is immutable.
type Index struct {
	Const int64
	Terms []Term
	key   string
}

// Term is one summand of an Index.
type Term struct {
	Coef int64
	Atom Atom
}

// AtomKind is the kind of an Atom.
type AtomKind uint8

// The kinds of atom.
const (
	AtomAxis AtomKind = iota // the coordinate of axis Axis
	AtomDiv                  // floor(X / D), D > 1
	AtomMod                  // X - D·floor(X / D), in [0, D), D > 1
	AtomMin                  // min(X, D), where X is on both sides of D
	AtomData                 // the value of an integer expression: a gather
)

// Atom is the part of an index expression that is not a sum.
type Atom struct {
	Kind AtomKind
	Axis int
	X    *Index
	D    int64
	Data *Expr
	key  string
}

// Domain is the extent of every axis that an Index may mention. Coordinates
// of axis i run over [0, Domain[i]).
type Domain []int

// Size is the number of points of d.
func (d Domain) Size() int64 {
	n := int64(1)
	for _, e := range d {
		n *= int64(e)
	}
	return n
}

// ConstIndex is the constant c.
func ConstIndex(c int64) *Index { return newIndex(c, nil) }

// firstAxes are the coordinates of axes that most domains have.
var firstAxes = func() (xs [16]*Index) {
	for a := range xs {
		xs[a] = axisIndex(a)
	}
	return xs
}()

// AxisIndex is the coordinate of axis a.
func AxisIndex(a int) *Index {
	if uint(a) < uint(len(firstAxes)) {
		return firstAxes[a]
	}
	return axisIndex(a)
}

func axisIndex(a int) *Index {
	return newIndex(0, []Term{{1, Atom{Kind: AtomAxis, Axis: a, key: fmt.Sprintf("x%03d", a)}}})
}

// DataIndex is the value of the integer expression e.
func DataIndex(e *Expr) *Index {
	return newIndex(0, []Term{{1, Atom{Kind: AtomData, Data: e, key: fmt.Sprintf("z[%s]", e.Key())}}})
}

// IsConst reports whether x is the constant c, and c.
func (x *Index) IsConst() (int64, bool) { return x.Const, len(x.Terms) == 0 }

// Key identifies the expression: equal keys, equal expressions.
func (x *Index) Key() string { return x.key }

func (x *Index) String() string { return x.key }

func newIndex(c int64, terms []Term) *Index {
	s := sum{c: c, terms: make([]Term, 0, len(terms))}
	s.add(1, terms)
	return s.index()
}

// sum adds terms up: sorted by atom, atoms distinct, coefficients nonzero. Its terms are its own.
type sum struct {
	c     int64
	terms []Term
}

// add adds coef times the sum of terms.
func (s *sum) add(coef int64, terms []Term) {
	for _, t := range terms {
		s.term(Term{coef * t.Coef, t.Atom})
	}
	for {
		merged, c, again := recombine(s.terms)
		if !again {
			return
		}
		s.c += c
		s.terms = s.terms[:0] // merged is a copy
		for _, t := range merged {
			s.term(t)
		}
	}
}

func (s *sum) term(t Term) {
	i := len(s.terms)
	for i > 0 && s.terms[i-1].Atom.key > t.Atom.key {
		i--
	}
	switch {
	case i > 0 && s.terms[i-1].Atom.key == t.Atom.key:
		if s.terms[i-1].Coef += t.Coef; s.terms[i-1].Coef == 0 {
			s.terms = slices.Delete(s.terms, i-1, i)
		}
	case t.Coef != 0:
		s.terms = slices.Insert(s.terms, i, t)
	}
}

// index is the sum, which takes no more terms.
func (s *sum) index() *Index {
	var room [128]byte
	key := room[:0]
	for i, t := range s.terms {
		if i > 0 {
			key = append(key, '+')
		}
		key = strconv.AppendInt(key, t.Coef, 10)
		key = append(key, '*')
		key = append(key, t.Atom.key...)
	}
	if s.c > 0 || s.c == 0 && len(s.terms) == 0 {
		key = append(key, '+')
	}
	if s.c != 0 || len(s.terms) == 0 {
		key = strconv.AppendInt(key, s.c, 10)
	}
	return &Index{Const: s.c, Terms: s.terms, key: string(key)}
}

// recombine undoes a split: c·D·floor(X/D) + c·(X mod D) = c·X. So a reshape that is later reshaped
// back costs nothing, one of three axes and more too.
func recombine(terms []Term) (out []Term, c int64, changed bool) {
	for i, d := range terms {
		if d.Atom.Kind != AtomDiv {
			continue
		}
		for j, m := range terms {
			if m.Atom.Kind != AtomMod || d.Coef != m.Coef*m.Atom.D || !quotient(d.Atom, m.Atom) {
				continue
			}
			for k, t := range terms {
				if k != i && k != j {
					out = append(out, t)
				}
			}
			for _, t := range m.Atom.X.Terms {
				out = append(out, Term{t.Coef * m.Coef, t.Atom})
			}
			return out, m.Coef * m.Atom.X.Const, true
		}
	}
	return terms, 0, false
}

// quotient reports whether d is floor(X/D) for the remainder m of X by D, where X
// may be a quotient itself: floor(floor(Y/E)/D) is written floor(Y/(E·D)).
func quotient(d, m Atom) bool {
	if d.D == m.D && d.X.key == m.X.key {
		return true
	}
	if m.X.Const != 0 || len(m.X.Terms) != 1 || m.X.Terms[0].Coef != 1 || m.X.Terms[0].Atom.Kind != AtomDiv {
		return false
	}
	inner := m.X.Terms[0].Atom
	return d.X.key == inner.X.key && d.D/m.D == inner.D && d.D%m.D == 0
}

// Add is x + y.
func (x *Index) Add(y *Index) *Index {
	s := sum{c: x.Const + y.Const, terms: append(make([]Term, 0, len(x.Terms)+len(y.Terms)), x.Terms...)}
	s.add(1, y.Terms)
	return s.index()
}

// AddConst is x + c.
func (x *Index) AddConst(c int64) *Index {
	if c == 0 {
		return x
	}
	s := sum{c: x.Const + c, terms: x.Terms}
	return s.index()
}

// Mul is c·x.
func (x *Index) Mul(c int64) *Index {
	if c == 1 {
		return x
	}
	s := sum{c: x.Const * c, terms: make([]Term, 0, len(x.Terms))}
	s.add(c, x.Terms)
	return s.index()
}

// Div is floor(x / d) for d > 0, simplified by the extents of the axes in dom.
func (x *Index) Div(d int64, dom Domain) *Index {
	if d == 1 {
		return x
	}
	// Whole multiples of d leave the quotient; the rest stays under it.
	var whole, rest []Term
	for _, t := range x.Terms {
		if t.Coef%d == 0 {
			whole = append(whole, Term{t.Coef / d, t.Atom})
		} else {
			rest = append(rest, t)
		}
	}
	q := floorDiv(x.Const, d)
	r := newIndex(x.Const-q*d, rest)
	if lo, hi := r.Bounds(dom); floorDiv(lo, d) == floorDiv(hi, d) {
		return newIndex(q+floorDiv(lo, d), whole)
	}
	// A common factor of d and every coefficient cancels.
	g := d
	for _, t := range r.Terms {
		g = gcd(g, t.Coef)
	}
	if g > 1 {
		return r.reduced(g).Div(d/g, dom).Add(newIndex(q, whole))
	}
	if len(r.Terms) == 1 && r.Const == 0 && r.Terms[0].Coef == 1 && r.Terms[0].Atom.Kind == AtomDiv {
		inner := r.Terms[0].Atom
		return inner.X.Div(inner.D*d, dom).Add(newIndex(q, whole))
	}
	return newIndex(q, append(whole, Term{1, nonlinear(AtomDiv, r, d)}))
}

// signs are the operators of atoms of X and D in keys.
var signs = [...]byte{AtomDiv: '/', AtomMod: '%', AtomMin: '<'}

// nonlinear is the atom of a quotient or remainder of x by d, or of the lesser of both.
func nonlinear(kind AtomKind, x *Index, d int64) Atom {
	var room [128]byte
	key := append(append(room[:0], '('), x.key...)
	key = append(append(key, ')'), signs[kind])
	return Atom{Kind: kind, X: x, D: d, key: string(strconv.AppendInt(key, d, 10))}
}

// reduced is floor(x / g) for a common factor g of the coefficients.
func (x *Index) reduced(g int64) *Index {
	terms := slices.Clone(x.Terms)
	for i := range terms {
		terms[i].Coef /= g
	}
	return newIndex(floorDiv(x.Const, g), terms)
}

// Mod is x - d·floor(x / d) for d > 0, always in [0, d), simplified by the extents of the axes in dom.
func (x *Index) Mod(d int64, dom Domain) *Index {
	if d == 1 {
		return ConstIndex(0)
	}
	rest := slices.DeleteFunc(slices.Clone(x.Terms), func(t Term) bool { return t.Coef%d == 0 })
	r := newIndex(x.Const-floorDiv(x.Const, d)*d, rest)
	if lo, hi := r.Bounds(dom); floorDiv(lo, d) == floorDiv(hi, d) {
		return r.AddConst(-floorDiv(lo, d) * d)
	}
	g := d
	for _, t := range r.Terms {
		g = gcd(g, t.Coef)
	}
	if g > 1 {
		y := r.reduced(g)
		return y.Mod(d/g, dom).Mul(g).AddConst(r.Const - y.Const*g)
	}
	if len(r.Terms) == 1 && r.Const == 0 && r.Terms[0].Coef == 1 && r.Terms[0].Atom.Kind == AtomMod && r.Terms[0].Atom.D%d == 0 {
		return r.Terms[0].Atom.X.Mod(d, dom)
	}
	return newIndex(0, []Term{{1, nonlinear(AtomMod, r, d)}})
}

// Min is the lesser of x and d, simplified by the extents of the axes in dom.
func (x *Index) Min(d int64, dom Domain) *Index {
	switch lo, hi := x.Bounds(dom); {
	case hi <= d:
		return x
	case lo >= d:
		return ConstIndex(d)
	}
	return newIndex(0, []Term{{1, nonlinear(AtomMin, x, d)}})
}

// Max is the greater of x and d.
func (x *Index) Max(d int64, dom Domain) *Index { return x.Mul(-1).Min(-d, dom).Mul(-1) }

// Bounds is the smallest interval [lo, hi] that this package can prove x to
// stay in. The value of a gather of which nothing is known bounds at ±2^62.
func (x *Index) Bounds(dom Domain) (lo, hi int64) {
	lo, hi = x.Const, x.Const
	for _, t := range x.Terms {
		a, b := t.Atom.bounds(dom)
		if t.Coef < 0 {
			a, b = b, a
		}
		lo, hi = addSat(lo, mulSat(a, t.Coef)), addSat(hi, mulSat(b, t.Coef))
	}
	return lo, hi
}

const unbounded = int64(1) << 62

func (a Atom) bounds(dom Domain) (lo, hi int64) {
	switch a.Kind {
	case AtomAxis:
		return 0, max(int64(dom[a.Axis])-1, 0)
	case AtomDiv:
		lo, hi = a.X.Bounds(dom)
		return floorDiv(lo, a.D), floorDiv(hi, a.D)
	case AtomMod:
		return 0, a.D - 1
	case AtomMin:
		lo, hi = a.X.Bounds(dom)
		return min(lo, a.D), min(hi, a.D)
	default:
		if a.Data.Known != nil {
			return a.Data.Known.Lo, a.Data.Known.Hi
		}
		return -unbounded, unbounded
	}
}

// Subst replaces the coordinate of every axis a by at[a], an expression over
// the axes of dom.
func (x *Index) Subst(at []*Index, dom Domain) *Index {
	s := sum{c: x.Const, terms: make([]Term, 0, len(x.Terms)+2)}
	for _, t := range x.Terms {
		var y *Index
		switch t.Atom.Kind {
		case AtomAxis:
			y = at[t.Atom.Axis]
		case AtomDiv:
			y = t.Atom.X.Subst(at, dom).Div(t.Atom.D, dom)
		case AtomMod:
			y = t.Atom.X.Subst(at, dom).Mod(t.Atom.D, dom)
		case AtomMin:
			y = t.Atom.X.Subst(at, dom).Min(t.Atom.D, dom)
		default:
			y = DataIndex(t.Atom.Data.Subst(at, dom))
		}
		s.c += y.Const * t.Coef
		s.add(t.Coef, y.Terms)
	}
	return s.index()
}

// Affine splits x into Const + Σ coef[axis]·axis. ok is false when x holds a
// division, a remainder, a minimum or a gather.
func (x *Index) Affine(rank int) (coef []int64, ok bool) {
	coef = make([]int64, rank)
	for _, t := range x.Terms {
		if t.Atom.Kind != AtomAxis {
			return nil, false
		}
		coef[t.Atom.Axis] = t.Coef
	}
	return coef, true
}

// VisitAxes calls f for every axis that x depends on, some more than once.
func (x *Index) VisitAxes(f func(axis int)) {
	for _, t := range x.Terms {
		switch t.Atom.Kind {
		case AtomAxis:
			f(t.Atom.Axis)
		case AtomData:
			t.Atom.Data.VisitAxes(f)
		default:
			t.Atom.X.VisitAxes(f)
		}
	}
}

// Gathers reports whether x depends on values in memory.
func (x *Index) Gathers() bool {
	return slices.ContainsFunc(x.Terms, func(t Term) bool { return t.Atom.Kind == AtomData || t.Atom.X != nil && t.Atom.X.Gathers() })
}

// Cond holds where Lo <= X < Hi.
type Cond struct {
	X      *Index
	Lo, Hi int64
}

// Proven reports whether c is always true, or never, over dom.
func (c Cond) Proven(dom Domain) (always, never bool) {
	lo, hi := c.X.Bounds(dom)
	return lo >= c.Lo && hi < c.Hi, hi < c.Lo || lo >= c.Hi
}

// appendKey appends a text that identifies c.
func (c Cond) appendKey(b []byte) []byte {
	b = append(strconv.AppendInt(b, c.Lo, 10), "<="...)
	b = append(append(b, c.X.key...), '<')
	return strconv.AppendInt(b, c.Hi, 10)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func gcd(a, b int64) int64 {
	a, b = max(a, -a), max(b, -b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func addSat(a, b int64) int64 {
	if s := a + b; (a >= 0) == (b >= 0) && (s >= 0) != (a >= 0) {
		if a >= 0 {
			return math.MaxInt64
		}
		return math.MinInt64
	}
	return a + b
}

func mulSat(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if p := a * b; p/b == a && !(a == math.MinInt64 && b == -1) {
		return p
	}
	if (a < 0) != (b < 0) {
		return math.MinInt64
	}
	return math.MaxInt64
}
