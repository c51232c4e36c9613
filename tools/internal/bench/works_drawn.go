package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/anycl/anycl/tensor"
)

// Limits of drawn works: a turn of any contender stays short, and is more than a launch.
const (
	drawnFlops, drawnFewFlops       = 4e9, 4e6
	drawnElements, drawnFewElements = 8 << 20, 1 << 15
)

// Drawn are n works of random kinds, shapes and layouts, the same for the same seed: sizes that
// nobody has tuned for. They have no goals beyond the faster of PyTorch and onnxruntime, and
// OpenBLAS for matrix products.
func Drawn(seed uint64, n int) []*Work {
	d := drawer{rand.New(rand.NewPCG(seed, 0))}
	kinds := []func() *Work{d.gemm, d.gemm, d.conv, d.conv, d.reduce, d.rows, d.chain, d.transpose}
	works := make([]*Work, n)
	for i := range works {
		w := kinds[d.IntN(len(kinds))]()
		w.Name = fmt.Sprintf("drawn-%s", w.Name)
		works[i] = w
	}
	return works
}

type drawer struct{ *rand.Rand }

// size is drawn evenly on a logarithmic scale.
func (d drawer) size(low, high int) int {
	return int(math.Exp(math.Log(float64(low)) + d.Float64()*math.Log(float64(high+1)/float64(low))))
}

// dims are rank sizes whose product keeps to the limit.
func (d drawer) dims(rank int) []int {
	for {
		s := make([]int, rank)
		total := 1
		for i := range s {
			s[i] = d.size(1, max(4096, drawnElements>>(5*(rank-1))))
			total *= s[i]
		}
		if total <= drawnElements && total >= drawnFewElements {
			return s
		}
	}
}

func name(dims []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(dims), " ", "x"), "[]")
}

func elements(dims []int) (n float64) {
	n = 1
	for _, s := range dims {
		n *= float64(s)
	}
	return n
}

var (
	levelGemm = []Goal{atLeast(1, OpenBLAS, ONNXRuntime, PyTorch)}
	levelAny  = []Goal{atLeast(1, ONNXRuntime, PyTorch)}
)

func (d drawer) gemm() *Work {
	var m, n, k int
	for flops := 0.0; flops < drawnFewFlops || flops > drawnFlops; flops = 2 * float64(m) * float64(n) * float64(k) {
		m, n, k = d.size(1, 3000), d.size(1, 3000), d.size(1, 3000)
	}
	ta, tb := d.IntN(2) == 1, d.IntN(2) == 1
	form := map[bool]string{false: "n", true: "t"}
	w := gemm(fmt.Sprintf("gemm/%dx%dx%d-%s%s", m, k, n, form[ta], form[tb]), tensor.Float32, m, k, n, levelGemm)
	w.Program = gemmProgram(tensor.Float32, m, k, n, ta, tb)
	return w
}

func (d drawer) conv() *Work {
	for {
		c := convolution{what: "conv", n: d.size(1, 16), c: d.size(1, 256), h: d.size(4, 128), o: d.size(1, 256), stride: 1 + d.IntN(2),
			groups: 1}
		c.w, c.u = c.h+d.IntN(5), 1+2*d.IntN(3)
		c.pad = d.IntN(c.u/2 + 1)
		if d.IntN(4) == 0 {
			c.groups, c.o = c.c, c.c
		}
		h, w := c.out()
		if c.h+2*c.pad < c.u || c.flops() < drawnFewFlops || c.flops() > drawnFlops || max(c.n*c.c*c.h*c.w, c.n*c.o*h*w) > drawnElements {
			continue
		}
		p := &Program{}
		x := p.Operand(c.n, c.c, c.h, c.w)
		k := p.Weight(c.c/c.groups*c.u*c.u, c.o, c.c/c.groups, c.u, c.u)
		work := c.work("", 1, p.Return(p.With(c.attr(), "conv2d", x, k)), levelAny[0])
		work.Name = fmt.Sprintf("conv%dx%d-s%d-p%d-g%d/%s-%d", c.u, c.u, c.stride, c.pad, c.groups, name([]int{c.n, c.c, c.h, c.w}), c.o)
		return work
	}
}

func (d drawer) reduce() *Work {
	s := d.dims(2 + d.IntN(3))
	axes := []int{}
	for i := range s {
		if s[i] > 1 && d.IntN(2) == 0 { // peers give the operand itself where nothing is folded
			axes = append(axes, i)
		}
	}
	if len(axes) == 0 {
		axes = append(axes, slices.Index(s, slices.Max(s)))
	}
	op := []string{"sum", "max"}[d.IntN(2)]
	p := &Program{}
	return &Work{
		Name: fmt.Sprintf("%s/%s-over-%s", op, name(s), name(axes)), Rate: GBps, Bytes: 4 * elements(s), Goals: levelAny,
		Program: p.Return(p.With(Attr{Axes: axes}, op, p.Operand(s...))), Tolerance: 1e-3,
	}
}

// rows are softmax and layer norm over the last axis.
func (d drawer) rows() *Work {
	s := d.dims(2)
	p := &Program{}
	w := &Work{Rate: GBps, Bytes: 8 * elements(s), Goals: levelAny}
	if d.IntN(2) == 0 {
		w.Name, w.Program = "softmax/"+name(s), p.Return(p.With(Attr{Axis: 1}, "softmax", p.Operand(s...)))
		return w
	}
	w.Name = "layer-norm/" + name(s)
	w.Program = p.Return(p.With(Attr{Value: 1e-5}, "layer_norm", p.Operand(s...), p.Weight(2, s[1]), p.Weight(2, s[1])))
	return w
}

// chain is element-wise, with an operand that is broadcast along some axes.
func (d drawer) chain() *Work {
	s := d.dims(1 + d.IntN(4))
	thin := slices.Clone(s)
	for i := range thin {
		if d.IntN(2) == 0 {
			thin[i] = 1
		}
	}
	p := &Program{}
	x, y := p.Operand(s...), p.Operand(thin...)
	v := p.Do([]string{"add", "mul"}[d.IntN(2)], x, y)
	v = p.Do([]string{"relu", "tanh", "exp", "sigmoid"}[d.IntN(4)], v)
	v = p.Do("add", v, x)
	return &Work{
		Name: fmt.Sprintf("chain/%s-with-%s", name(s), name(thin)), Rate: GBps, Program: p.Return(v), Goals: levelAny,
		Bytes: 4 * (2*elements(s) + elements(thin)),
	}
}

func (d drawer) transpose() *Work {
	s := d.dims(2 + d.IntN(3))
	perm := d.Perm(len(s))
	for slices.IsSorted(perm) {
		perm = d.Perm(len(s))
	}
	p := &Program{}
	return &Work{
		Name: fmt.Sprintf("transpose/%s-by-%s", name(s), name(perm)), Rate: GBps, Bytes: 8 * elements(s), Goals: levelAny,
		Program: p.Return(p.With(Attr{Axes: perm}, "transpose", p.Operand(s...))),
	}
}
