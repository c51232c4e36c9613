package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/tensor"
)

// mostTests is how many comparisons tell at most whether a vector lies in one piece.
const mostTests = 8

// loadPieces is the text of a vector of neighbours whose addresses are lines of memory in long pieces: of a tensor that is rolled,
// tiled, mirrored or padded. A vector in one piece is loaded whole, the few others lane by lane.
//
// Within a piece every minimum is on one side, and every quotient is the same. All of these are monotone where those inside them
// are affine, so that it is enough to look at the first and the last lane.
func (f *fn) loadPieces(e *engine.Expr, axis int) (string, bool) {
	dom, t := f.g.Task.Axes, VectorType(e.DType, f.width)
	conds := access.Unproven(e.Conds, dom)
	p := pieces{f: f, axis: axis, last: access.Coordinates(dom), dom: slices.Clone(dom)}
	p.last[axis] = p.last[axis].AddConst(int64(f.width - 1))
	if p.dom[axis] -= f.width - 1; p.dom[axis] < f.width+1 || !slices.Contains(access.Slopes(e.Addr, axis), 1) ||
		!access.LongPieces(e.Addr, axis, f.width) {
		return "", false
	}
	var row []engine.Cond // that are the same for all lanes
	for _, c := range conds {
		switch {
		case c.X.Gathers() || !access.LongPieces(c.X, axis, f.width):
			return "", false
		case access.UsesIndex(c.X, axis):
			p.same(c.X)
			p.inside(c)
		default:
			row = append(row, c)
		}
	}
	p.same(e.Addr)
	if len(p.tests) > mostTests {
		return "", false
	}
	guard := f.guard(row, "")
	if guard == "0" {
		return fmt.Sprintf("(%s)(0)", t), true
	}
	at, end := f.index(e.Addr, false, ""), f.index(e.Addr.Subst(p.last, p.dom), false, "")
	p.test(fmt.Sprintf("%s - %s == %d", end, at, f.width-1))

	f.count++
	f.g.lanes++
	lane := fmt.Sprint("lane_", f.g.lanes)
	one := &fn{g: f.g, seen: map[string]string{}, coords: f.coords}
	one.writeLane(lane, e)
	var args []string
	for _, c := range f.coords {
		if slices.Equal(c.Axes, []int{axis}) {
			args = append(args, c.Name+" + l_")
		} else {
			args = append(args, c.Name)
		}
	}
	v := fmt.Sprintf("w%d", f.count)
	fmt.Fprintf(&f.body, "    %s %s = (%[1]s)(0);\n", t, v)
	if guard != "" {
		p.tests = append([]string{guard}, p.tests...)
	}
	fmt.Fprintf(&f.body, "    if (%s) {\n        %s = %s;\n    } else ", strings.Join(p.tests, " && "), v, f.loadLine(e, at))
	if guard != "" {
		fmt.Fprintf(&f.body, "if (%s) ", guard)
	}
	fmt.Fprintf(&f.body, "{\n        %s lanes_[%d] LINES;\n        for (int l_ = 0; l_ < %[2]d; l_++) lanes_[l_] = %s_hook(%s FN_PASS);\n        %s = vload%[2]d(0, lanes_);\n    }\n",
		RegType(e.DType), f.width, lane, strings.Join(args, ", "), v)
	return v, true
}

// writeLane defines the function name_hook of the coordinates, for other hooks to call: e, a load.
func (f *fn) writeLane(name string, e *engine.Expr) {
	v := f.value(e, "")
	f.g.write(name, RegType(e.DType), parametersOf(f.coords), f.body.String()+fmt.Sprintf("    return %s;\n", v))
}

// pieces collects the tests that the first and the last lane lie in one piece.
type pieces struct {
	f     *fn
	axis  int
	last  []*engine.Index // the coordinates of the last lane
	dom   engine.Domain   // of the first lane
	tests []string
}

// same tests that what bends x is on one side.
func (p *pieces) same(x *engine.Index) {
	for _, t := range x.Terms {
		if t.Atom.Kind == engine.AtomAxis || !access.UsesIndex(t.Atom.X, p.axis) {
			continue
		}
		p.same(t.Atom.X)
		if t.Atom.Kind == engine.AtomMin {
			first, last := p.ends(t.Atom.X)
			d := p.f.g.constant(t.Atom.D)
			p.test(fmt.Sprintf("(%s <= %s) == (%s <= %s)", first, d, last, d))
			continue
		}
		first, last := p.ends(t.Atom.X.Div(t.Atom.D, p.f.g.Task.Axes))
		p.test(fmt.Sprintf("%s == %s", first, last))
	}
}

// test adds a test, once.
func (p *pieces) test(text string) {
	if !slices.Contains(p.tests, text) {
		p.tests = append(p.tests, text)
	}
}

// inside tests that c holds.
func (p *pieces) inside(c engine.Cond) {
	first, last := p.ends(c.X)
	for _, t := range slices.Concat(p.f.within(c, first), p.f.within(c, last)) {
		p.test(t)
	}
}

// ends are x at the first and at the last lane.
func (p *pieces) ends(x *engine.Index) (first, last string) {
	return p.f.index(x, false, ""), p.f.index(x.Subst(p.last, p.dom), false, "")
}

// insideVector is the mask of lanes of size bytes for which conditions on coordinates hold: of steps along a line.
func (f *fn) insideVector(conds []engine.Cond, axis int, size int64) (string, bool) {
	dom := f.g.Task.Axes
	if size != 4 || f.g.IndexType != "int" {
		return "", false
	}
	t := VectorType(tensor.Int32, f.width)
	lanes := make([]string, f.width)
	for l := range lanes {
		lanes[l] = fmt.Sprint(l)
	}
	var tests []string
	for _, c := range access.Unproven(conds, dom) {
		coef, affine := c.X.Affine(len(dom))
		if !affine {
			return "", false
		}
		x := fmt.Sprintf("(%s)(%s)", t, f.index(c.X, false, ""))
		if coef[axis] != 0 {
			x += fmt.Sprintf(" + (%s)(%s) * %s", t, strings.Join(lanes, ", "), f.g.constant(coef[axis]))
		}
		x = f.declare("v", t, "vector of "+c.X.Key(), x)
		for _, test := range f.within(c, x) {
			tests = append(tests, "("+test+")")
		}
	}
	if len(tests) == 0 {
		return fmt.Sprintf("(%s)(-1)", t), true
	}
	return strings.Join(tests, " & "), true
}
