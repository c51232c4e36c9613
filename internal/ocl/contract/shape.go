package contract

import (
	"cmp"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
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

// Contraction is a Contract task as its kernels see it.
type Contraction struct {
	Device           *facts.Device
	Task             *engine.Task // axes in the groups above
	swapped          bool         // A and B, and with them m and n, have changed places
	Batches, m, n, K int64
	out              *engine.Expr // where the output is stored, whichever operand is A
	A, bb            OperandLoad
	sharedA          bool // A is the same in every batch
	sharedB          bool
	Acc              tensor.DType
	AccType          string // the C type of accumulators
	AccSize          int64

	unit   *dotUnit // a value of k is a word of four bytes, multiplied by it; or nil
	signs  string   // of its operands
	flips  bool     // the signs of A's bytes are flipped
	partly bool     // the last word has less than four

	bestWinograd *winogradChoice // once they were looked for
	bestStrip    *stripChoice
	bestBlock    *BlockChoice
	blockCost    int64 // of it, in cycles
}

// OperandLoad describes an operand that is nothing but a load from an address
// without divisions, conditions or gathers.
type OperandLoad struct {
	Plain bool
	input int
	DType tensor.DType
	addr  *engine.Index
	Coef  []int64
	// Within a run of a given number of values of k, from a multiple of it on, elements
	// lie step apart. 0 stands for all of k.
	run, step int64
	// word: an element is four bytes that lie step apart, flip: with their signs
	// flipped. Everything but step counts bytes.
	word, flip bool
}

// Separate prepares t, with A and B exchanged if swap.
func Separate(d *facts.Device, t *engine.Task, swap bool) *Contraction {
	return separateAs(d, t, swap, nil)
}

func separateAs(d *facts.Device, t *engine.Task, swap bool, unit *dotUnit) *Contraction {
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
	if d.CPU && t.Size(3) >= 128 { // or storing the result out of order costs more
		columns = adjoining(b, columns, t.Axes)
	}
	// Rows of all batches against one B are the rows of a single product.
	if !access.Uses(b, batch) {
		rows, batch = slices.Concat(batch, rows), nil
	}

	c := &Contraction{Device: d, swapped: swap, Acc: t.Acc, unit: unit}
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
	c.Task = access.Collapse(&st)
	c.out = c.Task.At
	c.Batches, c.m, c.n, c.K = c.Task.Size(outBatch), c.Task.Size(outRow), c.Task.Size(outColumn), c.Task.Size(aSum)
	c.A, c.bb = c.Load(c.Task.A, aSum), c.Load(c.Task.B, bSum)
	c.sharedA, c.sharedB = !access.Uses(c.Task.A, c.Axes(aBatch)), !access.Uses(c.Task.B, c.Axes(bBatch))

	c.AccType, c.AccSize = codegen.RingType(t.Acc), int64(t.Acc.Size())
	if c.Acc.IsFloat() {
		c.AccType = codegen.RegType(t.Acc)
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

// Axes are the axes of group g of the separated task.
func (c *Contraction) Axes(g int) []int { return access.Axes(c.Task, g) }

// Load describes operand e, whose axes of the sum are group sum.
func (c *Contraction) Load(e *engine.Expr, sum int) OperandLoad {
	flip := e.Fn == flipped
	if flip {
		e = e.Args[0]
	}
	word := e.Fn == wordOf
	if word {
		e = e.Args[0]
	}
	if e.Op != engine.OpLoad || c.Task.AliasedBy(e.Input) >= 0 {
		return OperandLoad{} // an alias has no pointer of its own
	}
	if len(access.Unproven(e.Conds, c.Task.Axes)) > 0 {
		return OperandLoad{}
	}
	coef, ok := e.Addr.Affine(len(c.Task.Axes))
	dt := c.Task.Ins[e.Input].DType
	if !ok || codegen.RegType(dt) != codegen.RegType(e.DType) {
		return OperandLoad{}
	}
	l := OperandLoad{Plain: true, input: e.Input, DType: dt, addr: e.Addr, Coef: coef, word: word, flip: flip}
	if axes := c.Axes(sum); len(axes) > 0 {
		inner := axes[len(axes)-1]
		l.step = coef[inner]
		if word {
			l.step /= 4
		}
		if len(axes) > 1 {
			l.run = int64(c.Task.Axes[inner])
		}
	}
	return l
}

// Part is the share of l's address that the axes of some groups make up, with
// the constant where base.
func (c *Contraction) Part(l OperandLoad, base bool, groups ...int) *engine.Expr {
	x := engine.ConstIndex(0)
	if base {
		x = engine.ConstIndex(l.addr.Const)
	}
	for _, g := range groups {
		for _, a := range c.Axes(g) {
			x = x.Add(engine.AxisIndex(a).Mul(l.Coef[a]))
		}
	}
	return engine.IndexValue(tensor.Int64, x)
}

// columnsAdjoin reports whether neighbouring columns of B are neighbours in memory.
func (c *Contraction) columnsAdjoin() bool {
	axes := c.Axes(bColumn)
	return c.bb.Plain && len(axes) == 1 && c.bb.Coef[axes[0]] == 1
}

// columnRun is how many neighbouring columns of B are neighbours in memory, from
// a multiple of it on; 0 where none are.
func (c *Contraction) columnRun() int64 {
	axes := c.Axes(bColumn)
	if !c.bb.Plain || len(axes) == 0 || c.bb.Coef[axes[len(axes)-1]] != 1 {
		return 0
	}
	return int64(c.Task.Axes[axes[len(axes)-1]])
}

// byK reports whether neighbours in k are nearer in memory than neighbours in
// the other direction: the order in which to load a tile.
func (c *Contraction) byK(l OperandLoad, other int) bool {
	axes := c.Axes(other)
	if !l.Plain || len(axes) == 0 {
		return true
	}
	return access.Abs(l.step) <= access.Abs(l.Coef[axes[len(axes)-1]]) && l.step != 0
}

// program starts a program of the contraction that computes with es only, so that expressions that
// one kernel does not use do not change its text.
func (c *Contraction) program(a, b, out bool, limits ...int64) *codegen.Builder {
	t := *c.Task
	if !a {
		t.A = nil
	}
	if !b {
		t.B = nil
	}
	if !out {
		t.Values, t.At = nil, nil
	}
	g := codegen.New(c.Device, &t, append(limits, c.Batches*c.m*c.n, 2*c.K)...)
	g.Macro("ACC", c.AccType)
	switch {
	case c.unit != nil:
		c.wordMacros(g)
	case c.Acc.IsFloat():
		g.Macro("MAC(a, b, c)", "FMA(a, b, c)")
	default:
		g.Macro("MAC(a, b, c)", "((a) * (b) + (c))")
	}
	if c.unit == nil && c.Device.CPU && !c.Device.Unoptimized && c.flops() <= quicklyCompiled {
		g.Options = c.Device.OptimizedOnce
	}
	return g
}

// quicklyCompiled is how many operations a contraction has at most whose kernels are compiled with less effort. Larger ones
// run as fast with less too, but run so long that this counts for more than compiling.
const quicklyCompiled = 1 << 20

// flops counts multiplications and additions.
func (c *Contraction) flops() float64 {
	return 2 * float64(c.Batches) * float64(c.m) * float64(c.n) * float64(c.K)
}

// hookA and hookB define LOAD_A(b, m, k) and LOAD_B(b, k, n).
func (c *Contraction) hookA(g *codegen.Builder) {
	g.Hook("LOAD_A", []codegen.Coord{{Name: "b", Axes: c.Axes(aBatch)}, {Name: "m", Axes: c.Axes(aRow)}, {Name: "k", Axes: c.Axes(aSum)}},
		c.Task.A, tensor.Invalid)
}

func (c *Contraction) hookB(g *codegen.Builder) {
	g.Hook("LOAD_B", []codegen.Coord{{Name: "b", Axes: c.Axes(bBatch)}, {Name: "k", Axes: c.Axes(bSum)}, {Name: "n", Axes: c.Axes(bColumn)}},
		c.Task.B, tensor.Invalid)
}

// hookOut defines OUT(b, m, n, v).
func (c *Contraction) hookOut(g *codegen.Builder) {
	at := []codegen.Coord{{Name: "b", Axes: c.Axes(outBatch)}, {Name: "m", Axes: c.Axes(outRow)}, {Name: "n", Axes: c.Axes(outColumn)}}
	g.Hook("EPILOGUE", at, c.Task.Values[0], c.Acc)
	g.Hook("OUT_AT", at, c.out, tensor.Invalid)
	g.Store("STORE", "EPILOGUE", c.Task.Values[0])
	g.Macro("OUT(b, m, n, v)", "STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, ("+codegen.RegType(c.Acc)+")(v)))")
}

// rowsAdjoin reports whether it is the rows of the output, and not its columns,
// that are neighbours in memory.
func (c *Contraction) rowsAdjoin() bool {
	row, column := c.outSteps()
	return row == 1 && column != 1
}

// columnsApart reports whether neighbouring columns of the output are not
// neighbours in memory.
func (c *Contraction) columnsApart() bool {
	_, column := c.outSteps()
	return column > 1
}

// outSteps is how far neighbouring rows and columns of the output lie apart; 0
// where that cannot be told.
func (c *Contraction) outSteps() (row, column int64) {
	coef, ok := c.out.Addr.Affine(len(c.Task.Axes))
	rows, columns := c.Axes(outRow), c.Axes(outColumn)
	if !ok || len(rows) == 0 || len(columns) == 0 {
		return 0, 0
	}
	return coef[rows[len(rows)-1]], coef[columns[len(columns)-1]]
}
