package fallback

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

const (
	maxBlock = 4096 // values of a register
	minBlock = 64
	minRun   = 8 // shortest innermost axis along which a load with row addresses pays
	noBound  = int64(1) << 62
)

// compiler makes the programs of one task.
type compiler struct {
	work.Setup
	cache    constants
	bytes    int // budget for the registers of a program
	noInputs bool
	strips   bool // the domain is walked from end to end
}

// constants are blocks of constants shared by all programs of a sequence.
type constants map[constKey]engine.Block

type constKey struct {
	class engine.Class
	float uint64
	int   int64
}

// builder makes one program.
type builder struct {
	*compiler
	order []int // the axes of the domain, outermost first
	p     *program
	regs  []virtual
	exprs map[string]int
	index map[string]int
	// uses are the registers that step i of p reads, makes the one it writes.
	uses  [][]int
	makes []int
}

// virtual is a register before it has memory.
type virtual struct {
	class engine.Class
	kind  kind
}

type kind uint8

const (
	ownMemory kind = iota // written by its step
	pointer               // set to values that lie elsewhere
	outside               // set by the caller
)

// compile makes the program of exprs over the axes of order. Its values have
// the register classes of dts, or the classes of the expressions where dts is nil.
func (c *compiler) compile(order []int, dts []tensor.DType, exprs ...*engine.Expr) (*program, error) {
	b := c.builder(order)
	for i, e := range exprs {
		r, err := b.expr(e)
		if err != nil {
			return nil, err
		}
		if dts != nil && engine.ClassOf(dts[i]) != b.regs[r].class {
			r = b.convert(r, dts[i])
		}
		if len(exprs) > 1 && r == b.exprs[e.Key()] && e.Op == engine.OpLoad {
			// The loaded operand may lie where another output is stored before this one.
			r = b.convert(r, e.DType)
		}
		b.p.roots = append(b.p.roots, r)
	}
	return b.finish(0), nil
}

// compileEither is compile over the order of axes that takes less time, where
// the second takes extra ns more per point for later work with its values.
func (c *compiler) compileEither(first, second []int, extra float64, dt tensor.DType, x *engine.Expr) (p *program, isSecond bool,
	err error) {
	mark := c.Used
	if p, err = c.compile(first, []tensor.DType{dt}, x); err != nil {
		return nil, false, err
	}
	c.Used = mark // only one of the two stays
	q, err := c.compile(second, []tensor.DType{dt}, x)
	if err == nil && q.nsPer+extra < p.nsPer {
		return q, true, nil
	}
	c.Used = mark + p.arenaBytes()
	return p, false, err
}

func (c *compiler) builder(order []int) *builder {
	p := &program{size: 1, env: c.Env, frames: make([]*frame, c.Width)}
	for _, a := range order {
		p.size *= int64(c.Task.Axes[a])
	}
	return &builder{compiler: c, order: order, p: p, exprs: map[string]int{}, index: map[string]int{}}
}

func (b *builder) reg(class engine.Class, k kind) int {
	b.regs = append(b.regs, virtual{class, k})
	return len(b.regs) - 1
}

// emit appends a step that reads uses and writes dst; ns is its time per
// point.
func (b *builder) emit(s step, ns float64, dst int, uses ...int) int {
	b.p.steps = append(b.p.steps, s)
	b.makes = append(b.makes, dst)
	b.uses = append(b.uses, uses)
	b.p.nsPer += ns
	return dst
}

func (b *builder) expr(e *engine.Expr) (int, error) {
	if r, ok := b.exprs[e.Key()]; ok {
		return r, nil
	}
	r, err := b.newExpr(e)
	if err == nil {
		b.exprs[e.Key()] = r
	}
	return r, err
}

func (b *builder) newExpr(e *engine.Expr) (int, error) {
	class := engine.ClassOf(e.DType)
	switch e.Op {
	case engine.OpConst:
		return b.constant(class, e.Value), nil
	case engine.OpLoad:
		return b.load(e)
	case engine.OpIndex:
		r, err := b.addr(e.Addr)
		if err == nil && (class != engine.ClassI64 || narrow(e.DType)) {
			r = b.convert(r, e.DType)
		}
		return r, err
	case engine.OpValid:
		conds, never := b.open(e.Conds)
		switch {
		case never:
			return b.constant(class, engine.Const{}), nil
		case len(conds) == 0:
			return b.constant(class, engine.Const{Int: 1}), nil
		}
		return b.conds(conds)
	case engine.OpRun:
		dst := b.reg(class, ownMemory)
		return b.emit(&runStep{dst}, 0.2, dst), nil
	case engine.OpAcc:
		r := b.reg(class, outside)
		b.p.accs = append(b.p.accs, accReg{e.Input, r})
		return r, nil
	default:
		return b.apply(e)
	}
}

func (b *builder) apply(e *engine.Expr) (int, error) {
	s := &applyStep{fn: e.Fn, out: e.DType}
	for _, a := range e.Args {
		r, err := b.expr(a)
		if err != nil {
			return 0, err
		}
		s.args = append(s.args, r)
		s.in = append(s.in, a.DType)
	}
	b.p.arity = max(b.p.arity, len(s.args))
	s.dst = b.reg(engine.ClassOf(e.DType), ownMemory)
	return b.emit(s, 0.3+0.3*e.Fn.Flops, s.dst, s.args...), nil
}

func (b *builder) constant(class engine.Class, v engine.Const) int {
	dst := b.reg(class, pointer)
	if b.Dry {
		return b.emit(&constStep{dst: dst}, 0, dst)
	}
	return b.emit(&constStep{dst, b.cache.block(class, v)}, 0, dst)
}

func (b *builder) convert(src int, dt tensor.DType) int {
	dst := b.reg(engine.ClassOf(dt), ownMemory)
	return b.emit(&convertStep{dst, src, dt}, 0.4, dst, src)
}

// open are the conditions that need testing; never says that one cannot hold.
func (c *compiler) open(conds []engine.Cond) (open []engine.Cond, never bool) {
	for _, k := range conds {
		always, not := k.Proven(c.Task.Axes)
		if not || k.Lo >= k.Hi {
			return nil, true
		}
		if !always {
			open = append(open, k)
		}
	}
	return open, false
}

func (b *builder) load(e *engine.Expr) (int, error) {
	conds, never := b.open(e.Conds)
	class := engine.ClassOf(e.DType)
	if never {
		return b.constant(class, engine.Const{}), nil
	}
	xs := []*engine.Index{e.Addr}
	for _, c := range conds {
		xs = append(xs, c.X)
	}
	// Axes that only occur in sums can be walked; the rest make rows.
	bent := map[int]bool{}
	for _, x := range xs {
		bentAxes(x, bent)
	}
	inner := len(b.order)
	run := int64(1)
	for inner > 0 && !bent[b.order[inner-1]] {
		inner--
		run *= int64(b.Task.Axes[b.order[inner]])
	}
	if slices.ContainsFunc(xs, usesResult) {
		run = 1 // results are there point by point, and not for the program of rows
	}
	affine := !slices.ContainsFunc(xs, func(x *engine.Index) bool { _, ok := x.Affine(len(b.Task.Axes)); return !ok })
	dst := b.reg(class, ownMemory)
	m := loadMaker{dst: dst, ok: -1, strip: -1}
	var uses []int
	var ns float64
	if affine || run >= minRun {
		walked := b.order[inner:]
		if affine {
			walked = b.order
		}
		space := newIterationSpace(walked, b.Task.Axes, xs)
		m.space, m.cursor = &space, b.addSpace(&space)
		for i, c := range conds {
			m.bounds = append(m.bounds, bound{i + 1, clamp(c.Lo), clamp(c.Hi)})
		}
		ns = space.cost()
		if n := stripSize(&space, classBytes(class)); n > 0 && affine && b.strips {
			m.strip = len(b.p.strips)
			b.p.strips = append(b.p.strips, reserved{bytes: (int(n) + stripTile) * classBytes(class)})
			b.p.unit = max(b.p.unit, n)
			ns = 1
		}
		if !affine {
			var err error
			if m.rows, err = b.rows(b.order[:inner], xs, &space, run); err != nil {
				return 0, err
			}
			ns += m.rows.nsPer / float64(run)
		}
	} else {
		at, err := b.addr(e.Addr)
		if err != nil {
			return 0, err
		}
		m.at, uses, ns = at, []int{at}, 1
		if len(conds) > 0 {
			if m.ok, err = b.conds(conds); err != nil {
				return 0, err
			}
			uses = append(uses, m.ok)
		}
	}
	if class == engine.ClassF32 && e.DType != tensor.Float32 {
		ns += 1
	}
	return b.emit(loadStepOf(e.DType, b.Ins[e.Input], m), ns, dst, uses...), nil
}

// rows is the program, over the outer axes, of the terms of xs that are not linear in
// axes. The terms linear in outer axes move there too, so that space keeps only the inner axes.
func (b *builder) rows(outer []int, xs []*engine.Index, space *iterationSpace, run int64) (*program, error) {
	sub := b.compiler.builder(outer)
	for i, x := range xs {
		space.base[i] = 0
		r, err := sub.addrOver(outer, x)
		if err != nil {
			return nil, err
		}
		sub.p.roots = append(sub.p.roots, r)
	}
	p := sub.finish(int(maxBlock/run) + 2) // rows that a block of ours can touch
	b.p.subs = append(b.p.subs, p)
	return p, nil
}

// addSpace enters l, whose cursor every frame has, and returns its number.
func (b *builder) addSpace(l *iterationSpace) int {
	b.p.spaces = append(b.p.spaces, l)
	return len(b.p.spaces) - 1
}

// addr is x as an int64 register.
func (b *builder) addr(x *engine.Index) (int, error) { return b.addrOver(b.order, x) }

// addrOver is x without its linear terms in axes that are not in order.
func (b *builder) addrOver(order []int, x *engine.Index) (int, error) {
	if r, ok := b.index[x.Key()]; ok {
		return r, nil
	}
	space := newIterationSpace(order, b.Task.Axes, []*engine.Index{x})
	sum := b.reg(engine.ClassI64, ownMemory)
	b.emit(&affineStep{sum, space, b.addSpace(&space)}, 0.5, sum)
	for _, t := range x.Terms {
		if t.Atom.Kind == engine.AtomAxis {
			continue
		}
		v, err := b.atom(t.Atom)
		if err != nil {
			return 0, err
		}
		next := b.reg(engine.ClassI64, ownMemory)
		sum = b.emit(&addStep{next, sum, v, t.Coef}, 0.5, next, sum, v)
	}
	b.index[x.Key()] = sum
	return sum, nil
}

func (b *builder) atom(a engine.Atom) (int, error) {
	switch a.Kind {
	case engine.AtomDiv, engine.AtomMod, engine.AtomMin:
		x, err := b.addr(a.X)
		if err != nil {
			return 0, err
		}
		dst := b.reg(engine.ClassI64, ownMemory)
		switch a.Kind {
		case engine.AtomDiv:
			return b.emit(&divStep{dst, x, a.D}, 2, dst, x), nil
		case engine.AtomMin:
			return b.emit(&minStep{dst, x, a.D}, 0.5, dst, x), nil
		}
		return b.emit(&modStep{dst, x, a.D}, 2, dst, x), nil
	case engine.AtomData:
		r, err := b.expr(a.Data)
		if err == nil && b.regs[r].class != engine.ClassI64 {
			r = b.convert(r, tensor.Int64)
		}
		return r, err
	}
	return 0, fmt.Errorf("fallback: %s: an index atom of unknown kind %d", b.Task.Name, a.Kind)
}

func (b *builder) conds(conds []engine.Cond) (int, error) {
	and := -1
	for _, c := range conds {
		x, err := b.addr(c.X)
		if err != nil {
			return 0, err
		}
		dst := b.reg(engine.ClassU64, ownMemory)
		uses := []int{x}
		if and >= 0 {
			uses = append(uses, and)
		}
		and = b.emit(&condStep{dst, x, and, clamp(c.Lo), clamp(c.Hi)}, 0.5, dst, uses...)
	}
	return and, nil
}

// bentAxes adds the axes that x depends on other than linearly.
func bentAxes(x *engine.Index, axes map[int]bool) {
	for _, t := range x.Terms {
		switch t.Atom.Kind {
		case engine.AtomDiv, engine.AtomMod, engine.AtomMin:
			t.Atom.X.VisitAxes(func(a int) { axes[a] = true })
		case engine.AtomData:
			t.Atom.Data.VisitAxes(func(a int) { axes[a] = true })
		}
	}
}

// usesResult reports whether x depends on a fold of the task.
func usesResult(x *engine.Index) bool {
	for e := range engine.IndexValue(tensor.Int64, x).Walk() {
		if e.Op == engine.OpAcc {
			return true
		}
	}
	return false
}

// clamp keeps a bound where differences of bounds and indices do not overflow.
func clamp(x int64) int64 { return max(-noBound, min(x, noBound)) }

// block is maxBlock times v.
func (c constants) block(class engine.Class, v engine.Const) engine.Block {
	key := constKeyOf(class, v)
	b, ok := c[key]
	if !ok {
		b = constBlock(class, v, maxBlock)
		c[key] = b
	}
	return b
}

func constKeyOf(class engine.Class, v engine.Const) constKey {
	if class == engine.ClassF32 || class == engine.ClassF64 {
		return constKey{class: class, float: math.Float64bits(v.Float)}
	}
	return constKey{class: class, int: v.Int}
}
