package lib

import (
	"fmt"
	"math"
	"testing"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
)

// elementwise is a reference for a function of numbers of one shape.
func elementwise(f func(x []float64) float64) optest.Reference {
	return func(c optest.Case) optest.Result {
		y := optest.NewArray(c.In[0].DType, c.In[0].Shape...)
		for i := range y.F {
			x := make([]float64, len(c.In))
			for k, a := range c.In {
				x[k] = a.F[i]
			}
			y.F[i] = f(x)
		}
		return optest.Result{Array: y}
	}
}

// shapes are samples of n operands.
func shapes(n int, build func(in []*ops.Node) *ops.Node) (all []optest.Sample) {
	for label, shape := range map[string][]int{"scalar": {}, "empty": {0, 3}, "odd": {3, 5, 7}, "prime": {1031}} {
		s := optest.Sample{Label: label, Build: build}
		for range n {
			s.Operands = append(s.Operands, optest.Operand{Shape: shape, Lo: 0.25, Hi: 2})
		}
		all = append(all, s)
	}
	return all
}

func init() {
	few := optest.Tolerance{ULP: 16, ULP64: 16, Source: "a few roundings and built-in functions"}
	optest.Register("outside.bump", optest.Spec{
		Reference: elementwise(func(x []float64) float64 { return 1.5 * math.Exp(-x[0]*x[0]/4) }),
		Tolerance: few, Samples: shapes(1, func(in []*ops.Node) *ops.Node { return Bump(in[0], 1.5, 2) }),
	})
	optest.Register("outside.polar", optest.Spec{
		Reference: elementwise(func(x []float64) float64 { return math.Hypot(x[0], x[1]) + math.Atan2(x[1], x[0]) }),
		Tolerance: few, Samples: shapes(2, func(in []*ops.Node) *ops.Node { return ops.Add(Polar(in[0], in[1])) }),
	})
	optest.Register("outside.turn", optest.Spec{
		Reference: elementwise(func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] }), // lengths stay
		Tolerance: few,
		Samples: shapes(2, func(in []*ops.Node) *ops.Node {
			u, v := Turn(in[0], in[1])
			return ops.Add(ops.Mul(u, u), ops.Mul(v, v))
		}),
	})
	blend := optest.Spec{Reference: blended, Tolerance: few}
	blend.Tolerance.Terms = 8
	for n := range 5 { // x alone, with base, with others
		s := optest.Sample{Label: fmt.Sprint(n), Build: func(in []*ops.Node) *ops.Node {
			return ops.Add(Blend(map[string]any{"scale": 3}, in[0], in[1:]...))
		}}
		for i := range n + 1 {
			s.Operands = append(s.Operands, optest.Operand{Shape: []int{3, 5}})
			if i == 1 {
				s.Operands[i].DType = tensor.Int32
			}
		}
		blend.Samples = append(blend.Samples, s)
	}
	optest.Register("outside.blend", blend)
}

// blended is the sum of the results of outside.blend with scale 3, and of the magnitudes of their terms.
func blended(c optest.Case) optest.Result {
	y := optest.NewArray(c.In[0].DType, c.In[0].Shape...)
	terms := make([]float64, y.Len())
	for at, x := range c.In[0].F {
		add := func(v float64) { y.F[at], terms[at] = y.F[at]+v, terms[at]+math.Abs(v) }
		add(3 * x)
		for i, a := range c.In[1:] {
			if i == 0 {
				add(float64(a.I[at]))
				continue
			}
			add([]float64{1, -1}[(i-1)%2] * a.F[at])
			add((a.F[at] - x) * (a.F[at] - x))
		}
	}
	return optest.Result{Array: y, Terms: terms, N: 16}
}

var own = &optest.Options{Ops: []string{"outside.bump", "outside.polar", "outside.turn", "outside.blend"}}

func TestOwnOps(t *testing.T) { optest.TestOps(t, fallback.New(nil), own) }

func TestOwnGradients(t *testing.T) { optest.TestGradients(t, fallback.New(nil), own) }

// The device, where there is one, runs what it can; the op without OpenCL C runs beside it.
func TestOwnOpsOnADevice(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rt.Close() })
	if rt.Device() != nil {
		optest.TestOps(t, rt.Engines()[0], own)
	}
	g := ops.NewGraph("own")
	x := g.Input("x", tensor.Float32, 100)
	u, v := Turn(Bump(x, 2, 3), x)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{ops.Add(u, v), ops.Gradients(ops.Sum(ops.Mul(u, v)), x)[0]}})
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	if _, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(tensor.New(tensor.Float32, 100))}); err != nil {
		t.Fatal(err)
	}
}

// Attributes by name, and mistakes.
func TestOwnAttributes(t *testing.T) {
	g := ops.NewGraph("attributes")
	x := g.Input("x", tensor.Float32, 3)
	if y := ops.Apply("outside.bump", map[string]any{"width": 2}, x); g.Err() != nil || y.Attr() != (bumpAttr{1, 2}) {
		t.Fatal(g.Err(), y.Attr())
	}
	ops.Apply("outside.bump", nil, x)
	ops.Apply("outside.bump", map[string]any{"width": -1}, x)
	ops.Apply("outside.bump", map[string]any{"width": "wide"}, x)
	ops.Apply("outside.bump", 3, x)
	if err, ok := g.Err().(*ops.GraphError); !ok || len(err.Errs) != 4 {
		t.Fatal(g.Err())
	}
}
