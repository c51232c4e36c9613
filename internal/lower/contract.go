package lower

import (
	"cmp"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// contract makes the task of the contraction head with an epilogue up to end.
func (l *lowerer) contract(head, end *ir.Node) {
	r := naturalRoles(head)
	switch {
	case l.dense[end]:
		r = l.denseRoles(head, end, r)
	case keptLines(head.In[0]) && (!skips(head.In[0]) || columnsOf(head) < fullVector):
		if r = l.denseRoles(head, end, r); !r.swapped {
			r = columnsFirst(head, r)
		}
	}
	k := ir.Range(0, len(r.attr.AK))
	x, ea, eb := l.product(head, r, k)
	// The innermost summed axis should be the one along which A is densest.
	first := len(r.axes)
	best := x.orderOf(ir.Range(first, len(x.dom)), ea, ir.Range(0, len(x.dom))...)
	for i := range best {
		best[i] -= first
	}
	if !slices.Equal(best, k) {
		x, ea, eb = l.product(head, r, best)
	}
	acc := engine.AccType(head.DType)
	at := make([]*engine.Index, len(head.Shape))
	for pos, axis := range r.axes {
		at[axis] = engine.AxisIndex(pos)
	}
	epilogue, addr := x.epilogue(head, end, at, ir.RowMajor(head.Shape, r.axes), acc)
	t := &engine.Task{
		Kind: engine.Contract, Name: x.name(end), Caller: head.Caller,
		Axes: x.dom, Groups: []int{r.batch, r.rows, len(r.axes) - r.batch - r.rows, len(k)},
		A: ea, B: eb, Acc: acc, Values: []*engine.Expr{epilogue},
	}
	if r.swapped {
		t.A, t.B = eb, ea
	}
	l.values[end] = l.emit(t, x, end, addr, addr.Key() == ir.RowMajor(end.Shape, nil).Key())
}

// contractRoles says which axes of a contraction's result are batch, rows and
// columns of its task.
type contractRoles struct {
	attr        ir.ContractAttr
	axes        []int // of the result, in the order in which they lie in memory
	batch, rows int   // how many of them
	swapped     bool  // the columns are those of operand 0
}

func naturalRoles(head *ir.Node) contractRoles {
	a := head.Attr.(ir.ContractAttr)
	return contractRoles{attr: a, axes: ir.Range(0, len(head.Shape)), batch: len(a.ABatch), rows: len(a.AM)}
}

// fullVector is how many columns fill a vector of any CPU. So many are computed for each window that skips elements, since taps of
// neighbouring ones are no vector where they lie.
const fullVector = 16

// columnsOf is how many columns the contraction n has.
func columnsOf(n *ir.Node) int {
	r := naturalRoles(n)
	return ir.Product(n.Shape[r.batch+r.rows:])
}

// product returns both operands of a task with these roles; k is the order of the
// summed axes.
func (l *lowerer) product(head *ir.Node, r contractRoles, k []int) (x *builder, ea, eb *engine.Expr) {
	a, b, attr := head.In[0], head.In[1], r.attr
	dom := engine.Domain(ir.Extents(head.Shape, r.axes))
	for _, i := range k {
		dom = append(dom, a.Shape[attr.AK[i]])
	}
	x = l.builder(dom)
	atA, atB := make([]*engine.Index, a.Rank()), make([]*engine.Index, b.Rank())
	nb, nm := len(attr.ABatch), len(attr.AM)
	for pos, axis := range r.axes {
		at := engine.AxisIndex(pos)
		switch {
		case axis < nb:
			atA[attr.ABatch[axis]], atB[attr.BBatch[axis]] = at, at
		case axis < nb+nm:
			atA[attr.AM[axis-nb]] = at
		default:
			atB[attr.BN[axis-nb-nm]] = at
		}
	}
	for pos, i := range k {
		at := engine.AxisIndex(len(r.axes) + pos)
		atA[attr.AK[i]], atB[attr.BK[i]] = at, at
	}
	return x, x.expr(a, atA, nil), x.expr(b, atB, nil)
}

// denseRoles are roles under which the task stores end in row-major order, as somebody outside
// reads it, so that nothing has to be copied: the rows and columns that lie innermost keep their
// meaning, the axes outside of them become batch. Without such, r.
func (l *lowerer) denseRoles(head, end *ir.Node, r contractRoles) contractRoles {
	order, ok := l.denseOrder(head, end)
	if !ok || slices.Equal(order, r.axes) {
		return r
	}
	nb, nm := r.batch, r.batch+r.rows
	kind := func(axis int) int { return ir.Btoi(axis >= nb) + ir.Btoi(axis >= nm) } // batch, rows, columns
	// The run of one kind that ends before position to, and its extent.
	run := func(to int) (from, extent int) {
		extent = 1
		for from = to; from > 0 && kind(order[from-1]) == kind(order[to-1]); from-- {
			extent *= head.Shape[order[from-1]]
		}
		return from, extent
	}
	columns, width := run(len(order))
	if columns == 0 || kind(order[len(order)-1]) == 0 {
		return r
	}
	rows, height := run(columns)
	// Narrow products cost more than a copy, but for windows that are read along the result.
	along := width >= 8 && kind(order[len(order)-1]) == 1 && AlongLines(head.In[0])
	if kind(order[columns-1]) == 0 || min(width, height) < 8 && !along {
		return r
	}
	return contractRoles{attr: r.attr, axes: order, batch: rows, rows: columns - rows, swapped: kind(order[columns]) == 1}
}

// AlongLines reports whether n is windows, reshaped or not, that move along lines
// of an image whose neighbours lie side by side.
func AlongLines(n *ir.Node) bool {
	if n = beforeReshapes(n); !n.Is(ir.TraitWindows) {
		return false
	}
	x := n.In[0]
	if a, ok := x.Attr.(ir.MaterializeAttr); ok && len(a.Order) > 0 {
		return a.Order[len(a.Order)-1] == x.Rank()-1
	}
	return true
}

// keptLines reports whether n is windows along lines of an image that was laid
// out for them: results are to lie along lines too.
func keptLines(n *ir.Node) bool {
	if n = beforeReshapes(n); !n.Is(ir.TraitWindows) {
		return false
	}
	_, kept := n.In[0].Attr.(ir.MaterializeAttr)
	return kept && AlongLines(n)
}

// skips reports whether windows along lines, n, move by more than one element.
func skips(n *ir.Node) bool {
	n = beforeReshapes(n)
	src, _ := n.Op.View(n, coordinates(n), n.Shape)
	coef, ok := src[len(src)-1].Affine(len(n.Shape))
	return ok && slices.Max(coef) > 1
}

// columnsFirst are r's roles with rows and columns exchanged.
func columnsFirst(head *ir.Node, r contractRoles) contractRoles {
	rows := slices.Clone(r.axes[r.batch : r.batch+r.rows])
	columns := r.axes[r.batch+r.rows:]
	return contractRoles{
		attr: r.attr, batch: r.batch, rows: len(columns), swapped: true,
		axes: slices.Concat(r.axes[:r.batch], columns, rows),
	}
}

// denseOrder is the order of head's axes in memory when end, which may rearrange
// them, is in row-major order. Axes of extent 1 come first.
func (l *lowerer) denseOrder(head, end *ir.Node) ([]int, bool) {
	at := l.coordinates(head, coordinates(head), engine.Domain(head.Shape))
	addr := ir.RowMajor(end.Shape, nil).Subst(at, engine.Domain(head.Shape))
	coef, ok := addr.Affine(len(head.Shape))
	if !ok {
		return nil, false
	}
	order := slices.SortedStableFunc(slices.Values(ir.Range(0, len(coef))), func(a, b int) int {
		if one := ir.Btoi(head.Shape[b] == 1) - ir.Btoi(head.Shape[a] == 1); one != 0 {
			return one
		}
		return cmp.Compare(coef[b], coef[a])
	})
	return order, ir.RowMajor(head.Shape, order).Key() == addr.Key()
}
