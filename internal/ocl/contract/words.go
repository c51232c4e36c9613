package contract

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// Products of bytes take four values of k at a time: a word of each operand, and
// the sum of four products as one instruction. The task becomes one over words, so
// that every kernel which sees operands by hooks runs it as it is.

// dotUnit is how a device sums four products of bytes.
type dotUnit struct {
	file    string // of kernels: contract/any_dot4_emulated.cl and those like it
	scalars bool   // it takes single words
	lanes   []int  // of the vectors that it takes
	Mixed   bool   // one operand is signed and the other is not
}

// DotUnits are the dot units that devices have, by name.
var DotUnits = map[string]dotUnit{
	"any":  {file: "contract/any_dot4_emulated.cl", scalars: true, lanes: []int{4, 8, 16}},
	"x86":  {file: "contract/cpu_dot4_x86.cl", lanes: []int{8, 16}, Mixed: true},
	"vex":  {file: "contract/cpu_dot4_vex.cl", lanes: []int{8}, Mixed: true},
	"avx2": {file: "contract/cpu_dot4_avx2.cl", lanes: []int{8}},
	"ptx":  {file: "contract/gpu_dot4_ptx.cl", scalars: true},
	"amd":  {file: "contract/gpu_dot4_amd.cl", scalars: true},
	"khr":  {file: "contract/gpu_dot4_khr.cl", scalars: true},
}

const signBits = "0x80808080u" // of the bytes of a word

var (
	wordOf = &engine.Scalar{
		Name: "word", Arity: 4, Flops: 4,
		OpenCL: "(uint)(uchar)a | (uint)(uchar)b << 8 | (uint)(uchar)c << 16 | (uint)(uchar)d << 24",
	}
	flipped = &engine.Scalar{Name: "flip", Arity: 1, OpenCL: "a ^ " + signBits, Flops: 1}
)

// words is t, a contraction of bytes, as one of words; nil where it is none or
// words would be mostly empty. Where mixed and both operands have the same sign,
// the sign of the first is flipped, or with swap of the second.
func words(t *engine.Task, swap, mixed bool) *engine.Task {
	from, to := t.Group(3)
	a, b := bytesIn(t.A), bytesIn(t.B)
	if from == to || t.Acc != tensor.Int32 && t.Acc != tensor.Uint32 || a == nil || b == nil {
		return nil
	}
	inner := to - 1
	n := int64(t.Axes[inner])
	count := variant.CeilDiv(n, 4)
	if n < 3*count || n%4 != 0 && a.Op != engine.OpLoad && b.Op != engine.OpLoad {
		return nil // past the end one of them has to be 0
	}
	w := *t
	w.Axes = slices.Clone(t.Axes)
	w.Axes[inner] = int(count)
	packed := func(e *engine.Expr) *engine.Expr {
		var bytes []*engine.Expr
		for i := range int64(4) {
			at := make([]*engine.Index, len(t.Axes))
			for j := range at {
				at[j] = engine.AxisIndex(j)
			}
			at[inner] = at[inner].Mul(4).Add(engine.ConstIndex(i))
			x := e.Subst(at, w.Axes)
			if n%4 != 0 {
				end := engine.Cond{X: at[inner], Lo: 0, Hi: n}
				x = x.Rewrite(func(s *engine.Expr) *engine.Expr {
					if s.Op != engine.OpLoad {
						return s
					}
					return engine.Load(s.Input, s.DType, s.Addr, append(slices.Clone(s.Conds), end))
				})
			}
			bytes = append(bytes, x)
		}
		return engine.Apply(wordOf, tensor.Uint32, bytes...)
	}
	w.A, w.B = packed(a), packed(b)
	if mixed && a.DType == b.DType {
		first := &w.A
		if swap {
			first = &w.B
		}
		*first = engine.Apply(flipped, tensor.Uint32, *first)
	}
	return &w
}

// bytesIn is the 8-bit expression that e, an operand, widens, or nil.
func bytesIn(e *engine.Expr) *engine.Expr {
	if e.Applies(engine.FnCast) && (e.DType == tensor.Int32 || e.DType == tensor.Uint32) {
		e = e.Args[0]
	}
	if e.DType == tensor.Int8 || e.DType == tensor.Uint8 {
		return e
	}
	return nil
}

// InWords is separate for a contraction of bytes, by unit; nil where it cannot be.
func InWords(d *facts.Device, t *engine.Task, swap bool, unit *dotUnit) *Contraction {
	w := words(t, swap, unit.Mixed)
	if w == nil {
		return nil
	}
	from, to := t.Group(3)
	c := separateAs(d, w, swap, unit)
	c.partly = t.Axes[to-1]%4 != 0
	if c.partly && to-from > 1 { // every run ends in a part of a word
		c.A.Plain, c.bb.Plain = false, false
	}
	a, b := t.A, t.B
	if swap {
		a, b = b, a
	}
	c.signs = sign(a) + sign(b)
	if c.Task.A.Fn == flipped {
		c.flips = true
		c.signs = map[string]string{"SS": "US", "UU": "SU"}[c.signs]
	}
	return c
}

// sign is the letter of the macros DOT for operand e.
func sign(e *engine.Expr) string {
	if bytesIn(e).DType.IsSigned() {
		return "S"
	}
	return "U"
}

// vectorWords and scalarWords are t as a contraction of words for the kernels that
// multiply vectors and scalars; nil where the device has no instruction for them.
func vectorWords(d *facts.Device, t *engine.Task, swap bool) *Contraction {
	unit, ok := DotUnits[d.DotUnit]
	if !ok {
		return nil
	}
	c := InWords(d, t, swap, &unit)
	if c == nil || !slices.Contains(unit.lanes, c.PanelLanes()) {
		return nil
	}
	return c
}

func scalarWords(d *facts.Device, t *engine.Task, swap bool) *Contraction {
	unit, ok := DotUnits[d.DotUnit]
	if !ok || !unit.scalars {
		return nil
	}
	return InWords(d, t, swap, &unit)
}

// whole is how many values of k, or words of them, lie in memory as l says.
func (c *Contraction) whole() int64 {
	if c.partly {
		return c.K - 1
	}
	return c.K
}

// wordMacros tells kernels that a value of k is a word.
func (c *Contraction) wordMacros(g *codegen.Builder) {
	g.Macro("MAC(a, b, c)", fmt.Sprintf("DOT_%s(a, b, c)", c.signs))
	g.Macro("WORDS", 4)
	g.Size("A_WHOLE", c.whole())
	g.Size("B_WHOLE", c.whole())
	if c.flips {
		g.Macro("FLIP", signBits)
	}
	g.Library = append(g.Library, c.unit.file)
	g.Options = c.Device.DotOptions
}

// wordLoad is the text that loads lanes words at p: those that adjoin, or neighbours
// of four rows that lie apart.
func (l OperandLoad) wordLoad(lanes int, apart string) string {
	var text string
	if l.step == 1 {
		text = fmt.Sprintf("vload%d(0, (__global const uint *)(p))", lanes)
	} else {
		row := func(i int) string {
			return fmt.Sprintf("convert_uint%d(as_uchar%d(vload%d(0, (p) + %d * (long)%s)))", lanes, lanes, lanes, i, apart)
		}
		text = fmt.Sprintf("(%s | %s << 8 | %s << 16 | %s << 24)", row(0), row(1), row(2), row(3))
	}
	return l.signed(text)
}

// alignable reports whether the four bytes of all words of l adjoin.
func (c *Contraction) alignable(l OperandLoad) bool {
	return l.Plain && l.word && l.step == 1 && !c.partly
}

// wordHook defines the hook that loads an operand whose words adjoin: each in one
// access where they are aligned.
func (c *Contraction) wordHook(g *codegen.Builder, side string, at []codegen.Coord, l OperandLoad, e *engine.Expr, groups ...int) {
	aligned := l.addr.Const%4 == 0
	for _, group := range groups {
		for _, a := range c.Axes(group) {
			aligned = aligned && l.Coef[a]%4 == 0
		}
	}
	c.Pointer(g, side, l)
	g.Size(side+"_WIDE", int64(codegen.OneIf(aligned)))
	g.Hook(side+"_AT", at, c.Part(l, true, groups...), tensor.Invalid)
	g.Hook(side+"_BYTES", at, e, tensor.Invalid)
	names := fmt.Sprintf("%s, %s, %s", at[0].Name, at[1].Name, at[2].Name)
	g.Macro(fmt.Sprintf("LOAD_%s(%s)", side, names),
		fmt.Sprintf("(%[1]s_WIDE && ((size_t)%[1]s_PTR & 3) == 0 ? *(__global const uint *)(%[1]s_PTR + %[1]s_AT(%[2]s)) : %[1]s_BYTES(%[2]s))",
			side, names))
}

// oneWord is the text of the word at byte i from p.
func (l OperandLoad) oneWord() string { return l.signed("as_uint(vload4(0, (p) + (i)))") }

func (l OperandLoad) signed(text string) string {
	if l.flip {
		return "(" + text + " ^ " + signBits + ")"
	}
	return text
}
