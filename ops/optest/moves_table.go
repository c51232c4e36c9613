package optest

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Most ops need no move of their own: a sample says what operands its op takes, and values of a program are brought into these
// shapes and ranges. So every op that has a sample takes part in random graphs as soon as it is in the table.

// tableMove is a sample whose operands may be values of a program.
type tableMove struct {
	op     *ops.Op
	sample spec.Sample
}

// tableMoves are the moves for programs of one kind, grouped by op, so that ops with many samples are not drawn more often.
type tableMoves [][]tableMove

// maxOperand bounds the elements of a sample's operand.
const maxOperand = 600

// jumps are ops that are differentiable and whose values, or the places where they are put, are not continuous: a rounding error
// before them may change everything after.
var jumps = map[string]bool{
	"cast": true, "copysign": true, "fake_quantize": true, "frac": true, "frexp": true, "hardshrink": true, "mod": true, "mode": true,
	"nextafter": true, "polar_angle": true, "rem": true, "shrink": true, "threshold": true, "unique_consecutive": true,
	"atan2":     true, // where both operands are zero, or the second is negative
	"histogram": true, "histogramdd": true, "histogram_edges": true,
	"corrcoef": true,                                // of rows that are constant
	"igamma":   true, "igammac": true, "zeta": true, // whose derivatives by the first operand are not known: they are NaN
}

// hostCategories have ops that run on the CPU path alone, and hosted none of those.
var (
	hostCategories = []string{"linear algebra", "fourier"}
	everywhere     = map[string]bool{
		"addbmm": true, "addmm": true, "addmv": true, "addr": true, "baddbmm": true, "bilinear": true, "cdist": true, "cross": true,
		"einsum": true,
		"inner":  true, "kron": true, "multi_dot": true, "outer": true, "pdist": true, "tensordot": true, "vander": true, "vecdot": true,
	}
)

func hostOp(op *ops.Op) bool {
	return slices.Contains(hostCategories, op.Category) && !everywhere[op.Name]
}

// leftToCPU reports whether most samples of op run on the CPU path alone: where one does not run, those that share its graph are
// tried one by one.
func leftToCPU(op *ops.Op) bool {
	_, name, found := strings.Cut(op.Name, ".")
	return hostOp(op) && !(found && everywhere[name])
}

// smoothTable are the samples of continuous functions of float32, exactTable those of ops that give small integers for small
// integers without rounding, and the Host ones ops that devices leave to the CPU path.
var (
	smoothTable = sync.OnceValue(func() tableMoves { return samplesThat(func(op *ops.Op) bool { return smoothOp(op) && !hostOp(op) }) })
	smoothHost  = sync.OnceValue(func() tableMoves { return samplesThat(func(op *ops.Op) bool { return smoothOp(op) && hostOp(op) }) })
	exactTable  = sync.OnceValue(func() tableMoves { return samplesThat(exactOp) })
)

func smoothOp(op *ops.Op) bool {
	return op.Differentiable() && !jumps[op.Name] && slices.Contains(op.DTypes, tensor.Float32)
}

// exactOp: one correctly rounded operation or a sum of products is exact where its result is a small integer.
func exactOp(op *ops.Op) bool {
	t := spec.Of(op.Name).Tolerance
	return t.ULP <= 0.5 && op.Name != "mean" && !hostOp(op)
}

func samplesThat(fits func(op *ops.Op) bool) tableMoves {
	var all tableMoves
	for op := range ops.Table() {
		if spec.Of(op.Name) == nil || op.Category == "random" || drawing[op.Name] || !fits(op) {
			continue
		}
		var of []tableMove
		for _, s := range spec.Samples(op.Name) {
			if s.Through == nil && s.Source == nil && !slices.ContainsFunc(s.Operands,
				func(o spec.Operand) bool { return o.Fixed || spec.Count(o.Shape) > maxOperand }) {
				of = append(of, tableMove{op, s})
			}
		}
		if len(of) > 0 {
			all = append(all, of)
		}
	}
	return all
}

// elementwise are the moves whose operands may be of any shape.
func (all tableMoves) elementwise() tableMoves {
	return slices.DeleteFunc(slices.Clone(all), func(of []tableMove) bool { return !elementwise(of[0].op) })
}

// move adds the sample of a random op.
func (all tableMoves) move(p *program) {
	of := all[p.rng.IntN(len(all))]
	m := of[p.rng.IntN(len(of))]
	if !slices.Contains(m.op.DTypes, p.base) || m.sample.Only != nil && !slices.Contains(m.sample.Only, p.base) {
		return
	}
	shape, dt := m.result(p.base)
	if spec.Count(shape) > maxElements || !p.exact && dt != p.base {
		return
	}
	var args []int
	if elementwise(m.op) { // for operands of any shape
		args, shape = p.elements(m.sample.Operands), nil
	} else {
		for i, o := range m.sample.Operands {
			if i > 0 && !p.exact && m.op.Category == "loss" { // a target may be a class, which its sign tells
				args = append(args, p.drawn(o, p.dtypeOf(o)))
			} else if x, ok := p.operand(o); ok {
				args = append(args, x)
			}
		}
	}
	if len(args) < len(m.sample.Operands) {
		return
	}
	y, ok := p.add(step{op: m.op.Name, attr: m.sample.Attr, args: args, build: m.sample.Build}, dt, shape)
	if ok && dt != p.base && p.rng.IntN(2) == 0 { // go on with it
		p.apply("cast", p.base, sample.One(func(x *ops.Node) *ops.Node { return ops.Cast(x, p.base) }), y)
	}
}

// result is the shape and dtype of a call of the sample.
func (m tableMove) result(dt tensor.DType) ([]int, tensor.DType) {
	c := &cell{op: m.op, sample: m.sample, dt: dt}
	c.build(ops.NewGraph("scratch"))
	return c.out.Shape(), c.out.DType()
}

// elements are values of the program that broadcast with each other, brought into the ranges of operands.
func (p *program) elements(operands []spec.Operand) []int {
	first, ok := p.any(nil)
	if !ok {
		return nil
	}
	var args []int
	for i, o := range operands {
		x := first
		if i > 0 {
			x = p.partner(first)
		}
		switch {
		case o.DType == tensor.Bool && p.exact:
			x, ok = p.applyAs("less", tensor.Bool, nil, sample.Two(ops.Less), x, p.constant(float64(p.rng.IntN(3)-1)))
		case o.DType.Valid() && o.DType != p.base:
			o.Shape = p.shape(x)
			x = p.drawn(o, o.DType)
		case o.Lo == 0 && o.Hi == 0:
		case p.exact:
			x, ok = p.clip(x, math.Ceil(o.Lo), math.Floor(o.Hi))
		default:
			x, ok = p.squash(x, o.Lo, o.Hi)
		}
		if !ok {
			return nil
		}
		args = append(args, x)
	}
	return args
}

// squash brings value x between lo and hi, and keeps it continuous.
func (p *program) squash(x int, lo, hi float64) (int, bool) {
	x, _ = p.apply("tanh", nil, sample.One(ops.Tanh), x)
	x, _ = p.apply("mul", nil, sample.Two(ops.Mul), x, p.constant(0.45*(hi-lo)))
	return p.apply("add", nil, sample.Two(ops.Add), x, p.constant((lo+hi)/2))
}

// operand is a value for the operand o of a sample: one of the program brought into its shape and range, or a new input.
func (p *program) operand(o spec.Operand) (int, bool) {
	dt := p.dtypeOf(o)
	lo, hi := o.Lo, o.Hi
	free := lo == 0 && hi == 0
	x, ok := p.any(func(s []int) bool { return spec.Count(s) > 0 })
	if !ok || spec.Count(o.Shape) == 0 || p.rng.IntN(4) == 0 {
		return p.drawn(o, dt), true
	}
	switch {
	case dt == p.base && p.exact && !o.Distinct && (free || lo <= hi-1):
		y, ok := p.fit(x, o.Shape)
		if !free && ok {
			y, ok = p.clip(y, math.Ceil(lo), math.Floor(hi))
		}
		return y, ok
	case dt == p.base && !p.exact && free && !o.Distinct:
		return p.fit(x, o.Shape)
	case dt == p.base && !p.exact: // a small part of a value beside random ones, which keep elements distinct
		if free {
			lo, hi = -4, 4
		}
		if lo == hi {
			break
		}
		y, ok := p.fit(x, o.Shape)
		if !ok {
			return 0, false
		}
		room := 0.1 * (hi - lo)
		inner := o
		inner.Lo, inner.Hi = lo+room, hi-room
		y, _ = p.apply("tanh", nil, sample.One(ops.Tanh), y)
		y, _ = p.apply("mul", nil, sample.Two(ops.Mul), y, p.constant(room/2))
		return p.apply("add", nil, sample.Two(ops.Add), p.drawn(inner, dt), y)
	case dt == tensor.Bool && p.exact:
		y, ok := p.fit(x, o.Shape)
		if !ok {
			return 0, false
		}
		return p.applyAs("less", tensor.Bool, nil, sample.Two(ops.Less), y, p.constant(float64(p.rng.IntN(3)-1)))
	case (dt == tensor.Int32 || dt == tensor.Int64) && p.exact && !free && p.base != tensor.Uint16: // computed positions
		lo, hi = math.Ceil(max(lo, -8)), math.Floor(min(hi, 60))
		y, ok := p.fit(x, o.Shape)
		if ok && lo <= hi {
			y, ok = p.clip(y, lo, hi)
		}
		if !ok || lo > hi {
			return 0, false
		}
		if dt == p.base {
			return y, true
		}
		return p.applyAs("cast", dt, dt, sample.One(func(x *ops.Node) *ops.Node { return ops.Cast(x, dt) }), y)
	}
	return p.drawn(o, dt), true
}

// dtypeOf is the dtype of the operand o of a sample.
func (p *program) dtypeOf(o spec.Operand) tensor.DType {
	if o.DType.Valid() {
		return o.DType
	}
	return p.base
}

// drawn is an input with values for the operand o, in an exact program whole numbers.
func (p *program) drawn(o spec.Operand, dt tensor.DType) int {
	o.Special = false
	a := spec.FromTensor(spec.Fill(o, dt, p.rng.Uint64()))
	if p.exact && !o.DType.Valid() {
		small := func(v float64) float64 {
			if o.Distinct || o.Lo != 0 || o.Hi != 0 {
				return math.Round(v)
			}
			return math.Trunc(math.Mod(v, 5))
		}
		for i := range a.F {
			a.F[i] = small(a.F[i])
		}
		for i := range a.I {
			a.I[i] = int64(small(float64(a.I[i])))
		}
		for i := range a.U {
			a.U[i] = uint64(small(float64(a.U[i])))
		}
	}
	return p.enter(a)
}

// constant is a number as an input.
func (p *program) constant(v float64) int {
	a := spec.NewArray(p.base)
	switch {
	case a.F != nil:
		a.F[0] = format.Round(p.base, v)
	case a.I != nil:
		a.I[0] = int64(v)
	default:
		a.U[0] = uint64(max(v, 0))
	}
	return p.enter(a)
}

// clip bounds value x.
func (p *program) clip(x int, lo, hi float64) (int, bool) {
	if !p.base.IsSigned() && !p.base.IsFloat() {
		lo = max(lo, 0)
	}
	return p.apply("clip", [2]float64{lo, hi}, sample.One(func(x *ops.Node) *ops.Node { return ops.Clip(x, lo, hi) }), x)
}

// fit brings the elements of value x, or as many as are wanted, into a shape: they are cut, or repeated by a gather.
func (p *program) fit(x int, shape []int) (int, bool) {
	if slices.Equal(p.shape(x), shape) {
		return x, true
	}
	have, want := spec.Count(p.shape(x)), spec.Count(shape)
	flatten := func(x int, shape []int) (int, bool) {
		return p.apply("reshape", shape, sample.One(func(x *ops.Node) *ops.Node { return ops.Reshape(x, shape...) }), x)
	}
	if have == want {
		return flatten(x, shape)
	}
	y, ok := flatten(x, []int{have})
	if !ok {
		return 0, false
	}
	if have > want {
		from := p.rng.IntN(have - want + 1)
		ranges := []ops.Range{{Axis: 0, Start: from, Stop: from + want, Step: 1}}
		y, ok = p.apply("slice", ranges, sample.One(func(x *ops.Node) *ops.Node { return ops.Slice(x, ranges...) }), y)
	} else {
		at := spec.NewArray(tensor.Int32, want)
		for i := range at.I {
			at.I[i] = int64(p.rng.IntN(have))
		}
		y, ok = p.apply("gather", 0, sample.Two(func(x, i *ops.Node) *ops.Node { return ops.Gather(x, 0, i) }), y, p.enter(at))
	}
	if !ok {
		return 0, false
	}
	return flatten(y, shape)
}
