package ocl

import (
	"cmp"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// The groups of axes of a contraction's task after separation: each expression
// has axes of its own, so that an address that is simple for one operand stays
// simple whatever the other does.
const (
	aBatch = iota
	aRow
	aSum
	bBatch
	bColumn
	bSum
	outBatch
	outRow
	outColumn
	contractGroups
)

// contraction is a Contract task as its kernels see it.
type contraction struct {
	dev        *deviceFacts
	task       *engine.Task // axes in the groups above
	swapped    bool         // A and B, and with them m and n, have changed places
	b, m, n, k int64
	out        *engine.Expr // where the output is stored, whichever operand is A
	a, bb      operandLoad
	sharedA    bool // A is the same in every batch
	sharedB    bool
	acc        tensor.DType
	accC       string // the C type of accumulators
	accSize    int64

	unit   *dotUnit // a value of k is a word of four bytes, multiplied by it; or nil
	signs  string   // of its operands
	flips  bool     // the signs of A's bytes are flipped
	partly bool     // the last word has less than four

	bestWinograd *winogradChoice // once they were looked for
	bestStrip    *stripChoice
	bestBlock    *blockChoice
	blockCost    int64 // of it, in cycles
}

// operandLoad describes an operand that is nothing but a load from an address
// without divisions, conditions or gathers.
type operandLoad struct {
	plain bool
	input int
	dtype tensor.DType
	addr  *engine.Index
	coef  []int64
	// Within a run of so many values of k, from a multiple of it on, elements
	// lie step apart. 0 stands for all of k.
	run, step int64
	// word: an element is four bytes that lie step apart, flip: with their signs
	// flipped. Everything but step counts bytes.
	word, flip bool
}

// separate prepares t, with A and B exchanged if swap.
func separate(d *deviceFacts, t *engine.Task, swap bool) *contraction {
	return separateAs(d, t, swap, nil)
}

func separateAs(d *deviceFacts, t *engine.Task, swap bool, unit *dotUnit) *contraction {
	var groups [4][]int
	for g := range groups {
		from, to := t.Group(g)
		for a := from; a < to; a++ {
			groups[g] = append(groups[g], a)
		}
	}
	batch, rows, columns, sum := groups[0], groups[1], groups[2], groups[3]
	a, b := t.A, t.B
	if swap {
		a, b, rows, columns = b, a, columns, rows
	}
	if d.cpu && t.Size(3) >= 128 { // or storing the result out of order costs more
		columns = adjoining(b, columns, t.Axes)
	}
	// Rows of all batches against one B are the rows of a single product.
	if !uses(b, batch) {
		rows, batch = slices.Concat(batch, rows), nil
	}

	c := &contraction{dev: d, swapped: swap, acc: t.Acc, unit: unit}
	st := *t
	st.Axes, st.Groups = nil, nil
	add := func(groups ...[]int) []*engine.Index {
		at := make([]*engine.Index, len(t.Axes))
		for i := range at {
			at[i] = engine.ConstIndex(0)
		}
		for _, g := range groups {
			for _, axis := range g {
				at[axis] = engine.AxisIndex(len(st.Axes))
				st.Axes = append(st.Axes, t.Axes[axis])
			}
			st.Groups = append(st.Groups, len(g))
		}
		return at
	}
	atA := add(batch, rows, sum)
	atB := add(batch, columns, sum)
	atOut := add(batch, rows, columns)
	st.A, st.B, st.Values = a.Subst(atA, st.Axes), b.Subst(atB, st.Axes), []*engine.Expr{t.Values[0].Subst(atOut, st.Axes)}
	// The address is part of the task, so that axes merge where it stays simple.
	st.At = engine.IndexValue(tensor.Int64, outAddress(t)).Subst(atOut, st.Axes)
	c.task = collapse(&st)
	c.out = c.task.At
	c.b, c.m, c.n, c.k = c.task.Size(outBatch), c.task.Size(outRow), c.task.Size(outColumn), c.task.Size(aSum)
	c.a, c.bb = c.load(c.task.A, aSum), c.load(c.task.B, bSum)
	c.sharedA, c.sharedB = !uses(c.task.A, c.axes(aBatch)), !uses(c.task.B, c.axes(bBatch))

	c.accC, c.accSize = ringType(t.Acc), int64(t.Acc.Size())
	if c.acc.IsFloat() {
		c.accC = regType(t.Acc)
	}
	return c
}

// adjoining is the order of columns in which those of b adjoin in memory, where
// there is one with runs worth reading as vectors: the weights of a convolution
// lie by channel and tap, its windows by tap and channel.
func adjoining(b *engine.Expr, columns []int, dom engine.Domain) []int {
	if b.Op != engine.OpLoad {
		return columns
	}
	coef, ok := b.Addr.Affine(len(dom))
	if !ok || !slices.ContainsFunc(columns, func(a int) bool { return coef[a] == 1 && dom[a] >= 16 }) {
		return columns
	}
	return slices.SortedStableFunc(slices.Values(columns), func(a, b int) int { return cmp.Compare(coef[b], coef[a]) })
}

// outAddress is where t stores, over its axes.
func outAddress(t *engine.Task) *engine.Index {
	at, stride := engine.ConstIndex(0), int64(1)
	for _, a := range slices.Backward(t.OutAxes(0)) {
		at = at.Add(engine.AxisIndex(a).Mul(stride))
		stride *= int64(t.Axes[a])
	}
	return at
}

func uses(e *engine.Expr, axes []int) (yes bool) {
	e.VisitAxes(func(a int) { yes = yes || slices.Contains(axes, a) })
	return yes
}

func (c *contraction) axes(g int) []int { return axesOf(c.task, g) }

func (c *contraction) load(e *engine.Expr, sum int) operandLoad {
	flip := e.Fn == flipped
	if flip {
		e = e.Args[0]
	}
	word := e.Fn == wordOf
	if word {
		e = e.Args[0]
	}
	if e.Op != engine.OpLoad || c.task.AliasedBy(e.Input) >= 0 {
		return operandLoad{} // an alias has no pointer of its own
	}
	if len(unproven(e.Conds, c.task.Axes)) > 0 {
		return operandLoad{}
	}
	coef, ok := e.Addr.Affine(len(c.task.Axes))
	dt := c.task.Ins[e.Input].DType
	if !ok || regType(dt) != regType(e.DType) {
		return operandLoad{}
	}
	l := operandLoad{plain: true, input: e.Input, dtype: dt, addr: e.Addr, coef: coef, word: word, flip: flip}
	if axes := c.axes(sum); len(axes) > 0 {
		inner := axes[len(axes)-1]
		l.step = coef[inner]
		if word {
			l.step /= 4
		}
		if len(axes) > 1 {
			l.run = int64(c.task.Axes[inner])
		}
	}
	return l
}

// part is the share of l's address that the axes of some groups make up, with
// the constant where base.
func (c *contraction) part(l operandLoad, base bool, groups ...int) *engine.Expr {
	x := engine.ConstIndex(0)
	if base {
		x = engine.ConstIndex(l.addr.Const)
	}
	for _, g := range groups {
		for _, a := range c.axes(g) {
			x = x.Add(engine.AxisIndex(a).Mul(l.coef[a]))
		}
	}
	return engine.IndexValue(tensor.Int64, x)
}

// columnsAdjoin reports whether neighbouring columns of B are neighbours in memory.
func (c *contraction) columnsAdjoin() bool {
	axes := c.axes(bColumn)
	return c.bb.plain && len(axes) == 1 && c.bb.coef[axes[0]] == 1
}

// columnRun is how many neighbouring columns of B are neighbours in memory, from
// a multiple of it on; 0 where none are.
func (c *contraction) columnRun() int64 {
	axes := c.axes(bColumn)
	if !c.bb.plain || len(axes) == 0 || c.bb.coef[axes[len(axes)-1]] != 1 {
		return 0
	}
	return int64(c.task.Axes[axes[len(axes)-1]])
}

// byK reports whether neighbours in k are nearer in memory than neighbours in
// the other direction: the order in which to load a tile.
func (c *contraction) byK(l operandLoad, other int) bool {
	axes := c.axes(other)
	if !l.plain || len(axes) == 0 {
		return true
	}
	return magnitude(l.step) <= magnitude(l.coef[axes[len(axes)-1]]) && l.step != 0
}

func magnitude(x int64) int64 { return max(x, -x) }

// program starts a program of the contraction that computes with es only, so
// that what one kernel does not use does not change its text.
func (c *contraction) program(a, b, out bool, limits ...int64) *gen {
	t := *c.task
	if !a {
		t.A = nil
	}
	if !b {
		t.B = nil
	}
	if !out {
		t.Values, t.At = nil, nil
	}
	g := newGen(c.dev, &t, append(limits, c.b*c.m*c.n, 2*c.k)...)
	g.macro("ACC", c.accC)
	switch {
	case c.unit != nil:
		c.wordMacros(g)
	case c.acc.IsFloat():
		g.macro("MAC(a, b, c)", "FMA(a, b, c)")
	default:
		g.macro("MAC(a, b, c)", "((a) * (b) + (c))")
	}
	return g
}

// hookA and hookB define LOAD_A(b, m, k) and LOAD_B(b, k, n).
func (c *contraction) hookA(g *gen) {
	g.hook("LOAD_A", []coord{{"b", c.axes(aBatch)}, {"m", c.axes(aRow)}, {"k", c.axes(aSum)}}, c.task.A, tensor.Invalid)
}

func (c *contraction) hookB(g *gen) {
	g.hook("LOAD_B", []coord{{"b", c.axes(bBatch)}, {"k", c.axes(bSum)}, {"n", c.axes(bColumn)}}, c.task.B, tensor.Invalid)
}

// hookOut defines OUT(b, m, n, v).
func (c *contraction) hookOut(g *gen) {
	at := []coord{{"b", c.axes(outBatch)}, {"m", c.axes(outRow)}, {"n", c.axes(outColumn)}}
	g.hook("EPILOGUE", at, c.task.Values[0], c.acc)
	g.hook("OUT_AT", at, c.out, tensor.Invalid)
	g.store("STORE", "EPILOGUE", c.task.Values[0])
	g.macro("OUT(b, m, n, v)", "STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, ("+regType(c.acc)+")(v)))")
}

// rowsAdjoin reports whether it is the rows of the output, and not its columns,
// that are neighbours in memory.
func (c *contraction) rowsAdjoin() bool {
	row, column := c.outSteps()
	return row == 1 && column != 1
}

// columnsApart reports whether neighbouring columns of the output are not
// neighbours in memory.
func (c *contraction) columnsApart() bool {
	_, column := c.outSteps()
	return column > 1
}

// outSteps is how far neighbouring rows and columns of the output lie apart; 0
// where that cannot be told.
func (c *contraction) outSteps() (row, column int64) {
	coef, ok := c.out.Addr.Affine(len(c.task.Axes))
	rows, columns := c.axes(outRow), c.axes(outColumn)
	if !ok || len(rows) == 0 || len(columns) == 0 {
		return 0, 0
	}
	return coef[rows[len(rows)-1]], coef[columns[len(columns)-1]]
}
