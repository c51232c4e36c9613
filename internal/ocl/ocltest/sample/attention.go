package sample

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// Attention describes a task of attention.
type Attention struct {
	DType            tensor.DType
	B, G, M, N, D, E int
	Low, High        int64 // both 0: all keys
	Mask             tensor.DType
	MaskAxes         []int
	HeadsLast        bool // K is [n][b][d], as it comes out of a dense layer
	Pass             engine.AttentionPass
	WithTops         bool
}

func (c Attention) String() string {
	return fmt.Sprintf("%v pass %d b%d g%d m%d n%d d%d e%d band %d %d mask %v %v last %v", c.DType, c.Pass, c.B, c.G, c.M, c.N, c.D, c.E, c.Low, c.High, c.Mask, c.MaskAxes, c.HeadsLast)
}

// Blocked reports whether the kernels by blocks take it.
func (c Attention) Blocked() bool {
	owned := c.G * c.M
	if c.Pass == engine.AttentionGradKV {
		owned = c.N
	}
	return c.DType != tensor.Float64 && min(c.D, c.E) >= 16 && max(c.D, c.E) <= 128 && owned >= 16
}

// Task is one pass of it.
func (c Attention) Task() *engine.Task {
	dom := engine.Domain{c.B, c.G, c.M, c.N, c.D, c.E}
	acc := engine.AccType(c.DType)
	t := &engine.Task{Kind: engine.Attention, Name: "attention", Axes: dom, Groups: []int{1, 1, 1, 1, 1, 1}, Acc: acc}
	load := func(dt tensor.DType, axes ...int) *engine.Expr {
		size := int64(1)
		for _, a := range axes {
			size *= int64(dom[a])
		}
		t.Ins = append(t.Ins, engine.Operand{DType: dt, Len: size})
		return engine.Load(len(t.Ins)-1, dt, DenseAt(dom, axes...), nil)
	}
	a := &engine.AttentionTask{Pass: c.Pass, Scale: 0.4, Low: -int64(c.M), High: int64(c.N)}
	if c.Low != 0 || c.High != 0 {
		a.Low, a.High = c.Low, c.High
	}
	a.Q = load(c.DType, 0, 1, 2, 4)
	if a.K = load(c.DType, 0, 3, 4); c.HeadsLast {
		t.Ins = t.Ins[:1]
		a.K = load(c.DType, 3, 0, 4)
	}
	a.V = load(c.DType, 0, 3, 5)
	if c.Mask != tensor.Invalid {
		a.Mask = load(c.Mask, c.MaskAxes...)
	}
	t.Attention = a
	if c.Pass != engine.AttentionForward {
		a.DO = load(c.DType, 0, 1, 2, 5)
		a.Top, a.Share, a.D = load(acc, 0, 1, 2), load(acc, 0, 1, 2), load(acc, 0, 1, 2)
	}
	for i := range map[engine.AttentionPass]int{engine.AttentionForward: 1 + 2*codegen.OneIf(c.WithTops), engine.AttentionGradQ: 1, engine.AttentionGradKV: 2}[c.Pass] {
		dt := c.DType
		if c.Pass == engine.AttentionForward && i > 0 {
			dt = acc
		}
		t.Outs = append(t.Outs, engine.Operand{DType: dt, Len: t.OutSize(i)})
	}
	return t
}

// Inputs are random; the largest scores and the sums are those of the forward pass.
func (c Attention) Inputs(t *testing.T, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 3))
	task := c.Task()
	var ins [][]byte
	for _, in := range task.Ins {
		ins = append(ins, ocltest.RandomBytes(r, in.DType, in.Len))
	}
	if c.Pass != engine.AttentionForward {
		f := c
		f.Pass, f.WithTops = engine.AttentionForward, true
		forward := f.Task()
		outs, err := taskref.Eval(forward, ins[:len(forward.Ins)])
		require.NoError(t, err)
		ins[len(ins)-3], ins[len(ins)-2] = outs[1], outs[2]
	}
	return ins
}
