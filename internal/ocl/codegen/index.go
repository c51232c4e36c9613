package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/tensor"
)

// Coord is a parameter of a hook: a linear position over some axes of the
// task, the last the fastest.
type Coord struct {
	Name string
	Axes []int
	// Apart says of the last coordinate, of one axis, that addresses add it in 64 bits to what the others give. A loop over it
	// then has one pointer for each load. An int that is widened after the sum is a sum of its own: compilers cannot take it apart.
	Apart bool
}

// fn is one hook function while it is written: straight-line code, one
// declaration for each distinct value.
type fn struct {
	g      *Builder
	body   strings.Builder
	seen   map[string]string // the names of declared values by their expressions
	count  int
	coords []Coord
	accs   map[int]string // the names of the task's accumulated values
	width  int            // of a vector hook: how many neighbours it computes
	ahead  int            // of a vector hook: how many bytes further to fetch
	loops  bool           // of a vector hook: operations without a vector form are loops over the lanes
}

// declare gives the variable that holds text, declaring it at first sight.
func (f *fn) declare(prefix, ctype, key, text string) string {
	if v, ok := f.seen[key]; ok {
		return v
	}
	v := fmt.Sprintf("%s%d", prefix, f.count)
	f.count++
	f.seen[key] = v
	if f.g.Device.WideBytes {
		text = wideBytes.Replace(text)
	}
	fmt.Fprintf(&f.body, "    const %s %s = %s;\n", ctype, v, text)
	return v
}

// wideBytes makes values of 8 bits by shifts and masks of 32. A compiler that is shown bytes at all,
// be it between two casts, computes with vectors of them.
var wideBytes = strings.NewReplacer("(char)(", "WIDE_CHAR(", "(uchar)(", "WIDE_UCHAR(")

// axis is the coordinate of axis a, taken out of the linear position that holds it.
func (f *fn) axis(a int) string {
	for _, c := range f.coords {
		for i, b := range c.Axes {
			if a != b {
				continue
			}
			dom := f.g.Task.Axes
			inner, all := int64(1), int64(1)
			for j, e := range c.Axes {
				if all *= int64(dom[e]); j > i {
					inner *= int64(dom[e])
				}
			}
			q := f.quotient(c.Name, all, inner)
			if i == 0 {
				return q
			}
			outer := f.quotient(c.Name, all, inner*int64(dom[a]))
			key := fmt.Sprintf("axis%d", a)
			return f.declare("x", "IDX", key, fmt.Sprintf("%s - %s * %s", q, outer, f.g.constant(int64(dom[a]))))
		}
	}
	// The task computes this value over axes that it does not have there.
	f.g.err = fmt.Errorf("axis %d is used where only axes of %v are known", a, f.coords)
	return "0"
}

// quotient is floor(v / d) for a nonnegative variable v below bound.
func (f *fn) quotient(v string, bound, d int64) string {
	if d <= 1 {
		return v
	}
	return f.declare("q", "IDX", fmt.Sprintf("%s/%d", v, d), f.divide(v, 0, bound-1, d, false))
}

// divide is the text of floor(x / d) where x lies in [lo, hi].
func (f *fn) divide(x string, lo, hi, d int64, long bool) string {
	switch {
	case lo >= 0 && hi < 1<<31:
		m, s := f.g.magic(d)
		return fmt.Sprintf("(%s)FASTDIV(%s, %s, %s)", f.ctype(long), x, m, s)
	case lo >= 0:
		return fmt.Sprintf("%s / %s", x, f.g.constant(d))
	default:
		return fmt.Sprintf("floordiv_%s(%s, %s)", f.ctype(long), x, f.g.constant(d))
	}
}

func (f *fn) ctype(long bool) string {
	if long {
		return "long"
	}
	return f.g.IndexType
}

// writtenStride is the largest stride that stands in a program as a number.
const writtenStride = 4

// writes reports whether the coefficient of t, a term of x, stands in the program, and is not an argument: the stride of a long axis
// that is small. Compilers make vectors of elements that lie so close together, but of those that are as far apart as an argument says
// only where it is 1. Not of windows: a fold that reads all elements between loads each several times then.
func (g *Builder) writes(t engine.Term, x *engine.Index) bool {
	switch g.Task.Kind {
	case engine.Map, engine.Row:
	case engine.Reduce:
		if slices.ContainsFunc(x.Terms, func(w engine.Term) bool { return w.Atom.Kind == engine.AtomAxis && w.Coef == 1 }) {
			return false
		}
	default:
		return false
	}
	return t.Atom.Kind == engine.AtomAxis && t.Coef > 1 && t.Coef <= writtenStride && g.Task.Axes[t.Atom.Axis] >= VectorLanes
}

// index is the text of x: in long where a gathered value must not be cut short.
// guard is the condition under which x is computed.
func (f *fn) index(x *engine.Index, long bool, guard string) string {
	if c, ok := x.IsConst(); ok {
		return f.g.constant(c)
	}
	if len(x.Terms) == 1 && x.Const == 0 && x.Terms[0].Coef == 1 {
		return f.atom(x.Terms[0].Atom, long, guard)
	}
	var b strings.Builder
	for _, t := range x.Terms {
		a := f.atom(t.Atom, long, guard)
		switch {
		case t.Coef == -1:
			fmt.Fprintf(&b, " - %s", a)
		case t.Coef == 1:
			fmt.Fprintf(&b, " + %s", a)
		case f.g.writes(t, x):
			fmt.Fprintf(&b, " + %d * %s", t.Coef, a)
		case long:
			fmt.Fprintf(&b, " + (long)%s * %s", f.g.constant(t.Coef), a)
		default:
			fmt.Fprintf(&b, " + %s * %s", f.g.constant(t.Coef), a)
		}
	}
	switch {
	case x.Const == -1:
		b.WriteString(" - 1")
	case x.Const != 0:
		fmt.Fprintf(&b, " + %s", f.g.constant(x.Const))
	}
	text := strings.TrimPrefix(b.String(), " + ")
	return f.declare("i", f.ctype(long), fmt.Sprintf("index %v %s %s", long, guard, x.Key()), strings.TrimPrefix(text, " "))
}

func (f *fn) atom(a engine.Atom, long bool, guard string) string {
	key := fmt.Sprintf("%v %s %s", long, guard, access.AtomKey(a))
	switch a.Kind {
	case engine.AtomAxis:
		return f.axis(a.Axis)
	case engine.AtomData:
		v := f.value(a.Data, guard)
		return f.declare("z", f.ctype(long), key, fmt.Sprintf("(%s)%s", f.ctype(long), v))
	}
	if v, ok := f.seen[key]; ok {
		return v
	}
	lo, hi := a.X.Bounds(f.g.Task.Axes)
	x := f.index(a.X, long, guard)
	if a.Kind == engine.AtomMin {
		return f.declare("m", f.ctype(long), key, fmt.Sprintf("min(%s, (%s)%s)", x, f.ctype(long), f.g.constant(a.D)))
	}
	qkey := fmt.Sprintf("%v %s quotient %d %s", long, guard, a.D, a.X.Key())
	q := f.declare("q", f.ctype(long), qkey, f.divide(x, lo, hi, a.D, long))
	if a.Kind == engine.AtomDiv {
		return q
	}
	return f.declare("r", f.ctype(long), key, fmt.Sprintf("%s - %s * %s", x, q, f.g.constant(a.D)))
}

// address is the text of index x of a load.
func (f *fn) address(x *engine.Index, guard string) string {
	var last Coord
	if n := len(f.coords); n > 0 {
		last = f.coords[n-1]
	}
	if !last.Apart || f.g.Wide() {
		return f.index(x, false, guard)
	}
	steps, affine := x.Affine(len(f.g.Task.Axes))
	start := x.Add(engine.AxisIndex(last.Axes[0]).Mul(-1))
	if c, ok := start.IsConst(); !affine || steps[last.Axes[0]] != 1 || ok && c == 0 {
		return f.index(x, false, guard)
	}
	return f.declare("i", "long", "apart "+x.Key(), fmt.Sprintf("(long)%s + %s", f.index(start, false, guard), last.Name))
}

// guard is the text of "outer holds and every cond does": "" when nothing is left to test, "0" where that is never so.
func (f *fn) guard(conds []engine.Cond, outer string) string {
	_, all := f.guards(conds, outer)
	return all
}

// guards are the texts of "outer holds and every cond on coordinates does" and of "all conds do": what is gathered to test
// the others is only read where the first holds.
func (f *fn) guards(conds []engine.Cond, outer string) (coordinates, all string) {
	if coordinates = f.tests(conds, false, outer); coordinates == "0" {
		return "0", "0"
	}
	return coordinates, f.tests(conds, true, coordinates)
}

// tests is the text of "outer holds and so do the conds that data decides, or those that it does not".
func (f *fn) tests(conds []engine.Cond, data bool, outer string) string {
	var tests []string
	for _, c := range conds {
		if c.X.Gathers() != data {
			continue
		}
		always, never := c.Proven(f.g.Task.Axes)
		if always {
			continue
		}
		if never {
			return "0"
		}
		tests = append(tests, f.within(c, f.index(c.X, data && !fitsInt(c.X), outer))...)
	}
	if len(tests) == 0 {
		return outer
	}
	text := strings.Join(tests, " && ")
	if outer != "" {
		text = outer + " && " + text
	}
	return f.declare("g", "int", "guard "+text, text)
}

// within are the tests that c holds, of which x is the text of the index: those that are not known to.
func (f *fn) within(c engine.Cond, x string) (tests []string) {
	lo, hi := c.X.Bounds(f.g.Task.Axes)
	if lo < c.Lo {
		tests = append(tests, fmt.Sprintf("%s >= %s", x, f.g.constant(c.Lo)))
	}
	if hi >= c.Hi {
		tests = append(tests, fmt.Sprintf("%s < %s", x, f.g.constant(c.Hi)))
	}
	return tests
}

// fitsInt reports whether x is nothing but a gathered value that an int holds. It is tested as it
// is: 64 bits are slow on GPUs, and Mesa 22.3 compares ints that were widened to them wrongly.
func fitsInt(x *engine.Index) bool {
	if len(x.Terms) != 1 || x.Const != 0 || x.Terms[0].Coef != 1 || x.Terms[0].Atom.Kind != engine.AtomData {
		return false
	}
	return HeldByInt(x.Terms[0].Atom.Data.DType)
}

// HeldByInt reports whether an int holds every value of dt.
func HeldByInt(dt tensor.DType) bool { return dt.IsInt() && dt.Size() <= 4 && dt != tensor.Uint32 }
