package gradients_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ir"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// fed compiles the nodes that build returns for float64 inputs of these shapes on the CPU path, and runs them with fixed random values.
func fed(t *testing.T, shapes [][]int, build func(g *Graph, in []*Node) []*Node) (values, outs []*tensor.Tensor, exe *Executable) {
	t.Helper()
	g := NewGraph(t.Name())
	r := rand.New(rand.NewPCG(11, 5))
	var in []*Node
	feeds := Feeds{}
	for i, shape := range shapes {
		v := make([]float64, ir.Product(shape))
		for k := range v {
			v[k] = 2*r.Float64() - 1
		}
		x := g.Input(fmt.Sprint("x", i), tensor.Float64, shape...)
		in, values = append(in, x), append(values, opstest.TensorOf(t, tensor.Float64, shape, v...))
		feeds[x] = values[i]
	}
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: build(g, in), Place: OnCPU})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, exe.Close()) })
	outs, err = exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	return values, outs, exe
}

// near demands that two results are equal but for rounding.
func near(t *testing.T, want, got *tensor.Tensor, what string) {
	t.Helper()
	require.Equal(t, fmt.Sprint(want.Shape()), fmt.Sprint(got.Shape()), what)
	a, b := opstest.NumbersOf(want), opstest.NumbersOf(got)
	for i := range a {
		require.InDelta(t, a[i], b[i], 1e-11*(1+math.Abs(a[i])), "%s, element %d", what, i)
	}
}

// element is element k of x, by rows.
func element(x *Node, k int) *Node {
	return Gather(Reshape(x, -1), 0, x.Graph().Const(tensor.Scalar(int64(k))))
}

// layered is layers of tanh, their weights among in after x.
func layered(x *Node, w []*Node) *Node {
	for _, w := range w {
		x = Tanh(MatMul(x, w))
	}
	return x
}

var layeredShapes = [][]int{{3, 4}, {4, 5}, {5, 2}}

// Products with Jacobian matrices are those of the matrix that single derivatives make.
func TestProductsWithJacobianMatrices(t *testing.T) {
	shapes := append(slices.Clone(layeredShapes), []int{3, 2}, []int{3, 4}, []int{5, 2})
	_, outs, _ := fed(t, shapes, func(g *Graph, in []*Node) []*Node {
		x, w := in[0], in[1:3]
		y := layered(x, w)
		cot, dx, dw := in[3], in[4], in[5]
		back := VJP([]*Node{y, x}, []*Node{x, w[1]}, []*Node{cot, dx})
		ahead := JVP([]*Node{y, Mul(x, x)}, []*Node{x, w[1]}, []*Node{dx, dw})
		out := append(back, ahead...)
		// By single elements: back[0] = Σ cot · ∂y/∂x + dx.
		want := Gradients(Add(Sum(Mul(y, cot)), Sum(Mul(x, dx))), x, w[1])
		var moved []*Node
		for i := range 3 {
			for j := range 2 {
				e := element(y, 2*i+j)
				d := Gradients(e, x, w[1])
				moved = append(moved, Reshape(Add(Sum(Mul(d[0], dx)), Sum(Mul(d[1], dw))), 1))
			}
		}
		return append(out, want[0], want[1], Reshape(Concat(0, moved...), 3, 2), Mul(Mul(x, dx), 2.0))
	})
	for i, what := range []string{"back to x", "back to w", "y ahead", "x² ahead"} {
		near(t, outs[4+i], outs[i], what)
	}
}

// Matrices of all derivatives are those of single ones, by rows and by columns, and the loop around them has few tasks.
func TestJacobianAndHessianMatrices(t *testing.T) {
	tasks := map[int]int{}
	for _, n := range []int{3, 6} { // outputs, of 4 inputs: rows and then columns
		_, outs, _ := fed(t, [][]int{{2, 2}, {4, n}}, func(g *Graph, in []*Node) []*Node {
			x, w := in[0], in[1]
			y := Tanh(MatMul(Reshape(x, 1, 4), w))
			all := []*Node{Jacobian(y, x), Hessian(Sum(Mul(y, y)), x)}
			var rows, second []*Node
			for j := range n {
				rows = append(rows, Reshape(Gradients(element(y, j), x)[0], 1, 1, 2, 2))
			}
			d := Reshape(Gradients(Sum(Mul(y, y)), x)[0], 4)
			for j := range 4 {
				second = append(second, Reshape(Gradients(element(d, j), x)[0], 1, 2, 2))
			}
			return append(all, Concat(1, rows...), Reshape(Concat(0, second...), 2, 2, 2, 2))
		})
		near(t, outs[2], outs[0], "Jacobian")
		near(t, outs[3], outs[1], "Hessian")
	}
	for _, n := range []int{8, 40} {
		_, _, exe := fed(t, [][]int{{50}, {50, n}}, func(g *Graph, in []*Node) []*Node {
			return []*Node{Jacobian(Tanh(MatMul(Reshape(in[0], 1, 50), in[1])), in[0])}
		})
		tasks[n] = len(exe.Report().Tasks)
	}
	require.Equal(t, tasks[8], tasks[40])
	require.LessOrEqual(t, tasks[8], 10)
}

// The Hessian times a vector is the product with the matrix, symmetric in its parts.
func TestHessianProducts(t *testing.T) {
	shapes := append(slices.Clone(layeredShapes), []int{4, 5}, []int{5, 2})
	_, outs, _ := fed(t, shapes, func(g *Graph, in []*Node) []*Node {
		w, v := in[1:3], in[3:5]
		loss := Sum(Square(layered(in[0], w)))
		h := HVP(loss, w, v)
		gs := Gradients(loss, w...)
		return append(append(h, JVP(gs, w, v)...), Einsum("abcd,cd->ab", Hessian(loss, w[0]), v[0]), HVP(loss, w[:1], v[:1])[0])
	})
	near(t, outs[0], outs[2], "forward over reverse, first weight")
	near(t, outs[1], outs[3], "forward over reverse, second weight")
	near(t, outs[4], outs[5], "the matrix times the vector")
}

// Derivatives of what does not depend, is given twice, is its own input, is a scalar or has no elements.
func TestDerivativesAtTheEdges(t *testing.T) {
	_, outs, _ := fed(t, [][]int{{}, {0, 3}, {2}}, func(g *Graph, in []*Node) []*Node {
		s, none, x := in[0], in[1], in[2]
		two := Square(s)
		d := VJP([]*Node{x, x}, []*Node{x, s, x}, []*Node{g.Full(tensor.Float64, 2, 2), g.Full(tensor.Float64, 3, 2)})
		all := []*Node{
			d[0], d[1], d[2],
			JVP([]*Node{two, x}, []*Node{s, s}, []*Node{g.Const(tensor.Scalar(1.0)), g.Const(tensor.Scalar(1.0))})[0],
			Jacobian(none, x), Jacobian(x, none), Jacobian(s, x), Hessian(Sum(none), none),
			Jacobian(two, s), Hessian(Mul(two, s), s),
			Gradients(Sum(Mul(none, none)), none)[0],
			HVP(Sum(x), []*Node{x}, []*Node{x})[0],
		}
		return append(all, Mul(s, 2.0), Mul(s, 6.0))
	})
	n := len(outs)
	for i, want := range [][]int{{2}, {}, {2}, {}, {0, 3, 2}, {2, 0, 3}, {2}, {0, 3, 0, 3}, {}, {}, {0, 3}, {2}} {
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(outs[i].Shape()), "output %d", i)
	}
	require.Equal(t, []float64{5, 5}, opstest.NumbersOf(outs[0]))
	require.Equal(t, 0.0, outs[1].Float64At(0))
	near(t, outs[n-2], outs[8], "derivative of s²")
	require.InDelta(t, 2*outs[n-2].Float64At(0), outs[3].Float64At(0), 1e-12, "two tangents of one node add up")
	near(t, outs[n-1], outs[9], "second derivative of s³")
	require.Equal(t, []float64{0, 0}, opstest.NumbersOf(outs[6]))
	require.Equal(t, []float64{0, 0}, opstest.NumbersOf(outs[11]))
}

// Derivatives go through loops and branches in both directions.
func TestTangentsGoThroughLoopsAndBranches(t *testing.T) {
	for _, c := range gradCases() {
		t.Run(c.name, func(t *testing.T) {
			both := func(f func(g *Graph, in []*Node) *Node) func(g *Graph, in []*Node) []*Node {
				return func(g *Graph, in []*Node) []*Node {
					ones := make([]*Node, len(in))
					for i, x := range in {
						ones[i] = g.Full(x.DType(), 1+float64(i)/4, x.Shape()...)
					}
					y := f(g, in)
					return append(JVP([]*Node{y}, in, ones), HVP(y, in, ones)...)
				}
			}
			got, want := c.run(t, opstest.CPUOnly(t), OnCPU, both(c.loop)), c.run(t, opstest.CPUOnly(t), OnCPU, both(c.flat))
			for i := range want {
				for k := range want[i] {
					require.InDelta(t, want[i][k], got[i][k], 1e-9*(1+math.Abs(want[i][k])), "output %d, element %d", i, k)
				}
			}
		})
	}
}

// A graph with open sizes has the derivatives of one with numbers.
func TestDerivativesOfOpenSizes(t *testing.T) {
	build := func(g *Graph, batch int) (x, w *Node, all []*Node) {
		x, w = g.Input("x", tensor.Float64, batch, 4), g.Input("w", tensor.Float64, 4, 3)
		v := Sum(w, 0)
		h := Checkpoint(func(in []*Node) []*Node { return []*Node{Dropout(Tanh(MatMul(in[0], w)), 0.5)} }, x)[0]
		h = CustomGradient(func(in []*Node) []*Node { return []*Node{Round(Mul(in[0], 8.0))} }, func(in, _, grads []*Node) []*Node {
			return []*Node{Add(grads[0], Mul(v, in[0]))} // v is kept, and leads the product
		}, h)[0]
		y := Sum(Square(h))
		all = append(VJP([]*Node{h}, []*Node{x, w}, []*Node{h}), JVP([]*Node{h}, []*Node{x, w}, []*Node{x, w})...)
		all = append(all, HVP(y, []*Node{w}, []*Node{w})...)
		return x, w, append(all, Jacobian(h, w), Hessian(y, x))
	}
	rt := opstest.CPUOnly(t)
	g := NewGraph("open")
	xo, wo, all := build(g, Dim("batch"))
	require.Equal(t, "[batch 4]", opstest.Dims(all[0]))
	require.Equal(t, "[batch 4 batch 4]", opstest.Dims(all[5]))
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: all})
	require.NoError(t, err)
	defer exe.Close()
	for run, rows := range []int{2, 5} {
		f := NewGraph("closed")
		x, w, same := build(f, rows)
		closed, err := f.Compile(t.Context(), rt, Target{Outputs: same})
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(1, uint64(rows)))
		values := func(n int) (v []float64) {
			for range n {
				v = append(v, 2*r.Float64()-1)
			}
			return v
		}
		xv, wv := opstest.TensorOf(t, tensor.Float64, []int{rows, 4}, values(4*rows)...), opstest.TensorOf(t, tensor.Float64, []int{4, 3}, values(12)...)
		got, err := exe.Run(t.Context(), Feeds{xo: xv, wo: wv})
		require.NoError(t, err)
		var want []*tensor.Tensor
		for range run + 1 { // draws depend on the number of the run
			want, err = closed.Run(t.Context(), Feeds{x: xv, w: wv})
			require.NoError(t, err)
		}
		for i := range want {
			near(t, want[i], got[i], fmt.Sprint("output ", i))
		}
		require.NoError(t, closed.Close())
	}
}

// A device computes the derivatives that the CPU path computes, checkpoints included.
func TestDerivativesOnTheDevice(t *testing.T) {
	opstest.NumbersOnly(t)
	rt := opstest.Device(t)
	build := func(g *Graph) (x, w *Node, all []*Node) {
		x, w = g.Input("x", tensor.Float32, 6, 4), g.Input("w", tensor.Float32, 4, 4)
		h := x
		for range 2 {
			h = Checkpoint(func(in []*Node) []*Node { return []*Node{Dropout(Tanh(MatMul(in[0], w)), 0.25)} }, h)[0]
		}
		y := Sum(Square(h))
		all = append(Gradients(y, x, w), JVP([]*Node{h}, []*Node{w}, []*Node{w})...)
		return x, w, append(append(all, HVP(y, []*Node{w}, []*Node{w})...), Jacobian(Sum(h, 0), x))
	}
	var results [2][]*tensor.Tensor
	for i, r := range []*Runtime{rt, opstest.CPUOnly(t)} {
		g := NewGraph("derivatives")
		x, w, all := build(g)
		place := OnDevice
		if i == 1 {
			place = OnCPU
		}
		exe, err := g.Compile(t.Context(), r, Target{Outputs: all, Place: place})
		require.NoError(t, err)
		defer exe.Close()
		feeds := Feeds{}
		for k, n := range []*Node{x, w} {
			v := rand.New(rand.NewPCG(3, uint64(k)))
			values := make([]float64, ir.Product(n.Shape()))
			for j := range values {
				values[j] = 2*v.Float64() - 1
			}
			feeds[n] = opstest.TensorOf(t, tensor.Float32, n.Shape(), values...)
		}
		results[i], err = exe.Run(t.Context(), feeds)
		require.NoError(t, err)
	}
	for i, want := range results[1] {
		a, b := opstest.NumbersOf(want), opstest.NumbersOf(results[0][i])
		for k := range a {
			require.InDelta(t, a[k], b[k], 1e-4*(1+math.Abs(a[k])), "output %d, element %d", i, k)
		}
	}
}

func TestMistakesInDerivatives(t *testing.T) {
	t.Parallel()
	f32 := tensor.Float32
	other := NewGraph("other").Input("other", f32, 2)
	id := func(in []*Node) []*Node { return in }
	for _, c := range []struct {
		op, says string
		call     func(g *Graph, x *Node) []*Node
	}{
		{"vjp", "1 vectors for 2 nodes", func(_ *Graph, x *Node) []*Node { return VJP([]*Node{x, x}, []*Node{x}, []*Node{x}) }},
		{"vjp", "vector 0 is float32[], not float32[2]", func(_ *Graph, x *Node) []*Node { return VJP([]*Node{x}, []*Node{x}, []*Node{Sum(x)}) }},
		{"vjp", "an operand is nil", func(_ *Graph, x *Node) []*Node { return VJP([]*Node{x}, []*Node{nil}, []*Node{x}) }},
		{"vjp", "at least one node", func(_ *Graph, x *Node) []*Node { return VJP([]*Node{x}, nil, []*Node{x}) }},
		{"jvp", "vector 0 is int32[2], not float32[2]", func(_ *Graph, x *Node) []*Node { return JVP([]*Node{x}, []*Node{x}, []*Node{Cast(x, tensor.Int32)}) }},
		{"jvp", "only floats have derivatives", func(_ *Graph, x *Node) []*Node { return JVP([]*Node{Cast(x, tensor.Int32)}, []*Node{x}, []*Node{x}) }},
		{"jvp", `belongs to graph "other"`, func(_ *Graph, x *Node) []*Node { return JVP([]*Node{x}, []*Node{other}, []*Node{x}) }},
		{"hvp", "sum it first", func(_ *Graph, x *Node) []*Node { return HVP(x, []*Node{x}, []*Node{x}) }},
		{"hvp", "nil", func(_ *Graph, x *Node) []*Node { return HVP(nil, []*Node{x}, []*Node{x}) }},
		{"hessian", "sum it first", func(_ *Graph, x *Node) []*Node { return []*Node{Hessian(x, x)} }},
		{"jacobian", "only floats have derivatives", func(_ *Graph, x *Node) []*Node { return []*Node{Jacobian(x, Cast(x, tensor.Int8))} }},
		{"jacobian", `belongs to graph "other"`, func(_ *Graph, x *Node) []*Node { return []*Node{Jacobian(x, other)} }},
		{"jacobian", "nil", func(_ *Graph, x *Node) []*Node { return []*Node{Jacobian(x, nil)} }},
		{"checkpoint", "no operands", func(_ *Graph, x *Node) []*Node {
			return append(Checkpoint(func([]*Node) []*Node { return []*Node{x} }), x)
		}},
		{"checkpoint", "the function is nil", func(_ *Graph, x *Node) []*Node { return Checkpoint(nil, x) }},
		{"checkpoint", "returns nothing", func(_ *Graph, x *Node) []*Node { return Checkpoint(func([]*Node) []*Node { return nil }, x) }},
		{"checkpoint", `belongs to graph "other"`, func(_ *Graph, x *Node) []*Node { return Checkpoint(func([]*Node) []*Node { return []*Node{other} }, x) }},
		{"checkpoint", "result 0 is nil", func(_ *Graph, x *Node) []*Node { return Checkpoint(func([]*Node) []*Node { return []*Node{nil} }, x) }},
		{"custom_gradient", "an operand is nil", func(_ *Graph, x *Node) []*Node {
			return CustomGradient(id, func(_, _, d []*Node) []*Node { return d }, x, nil)
		}},
		{"custom_gradient", "must be given", func(_ *Graph, x *Node) []*Node { return CustomGradient(id, nil, x) }},
		{"d(custom_gradient)", "returns 0 nodes for 1 operands", func(_ *Graph, x *Node) []*Node {
			return Gradients(Sum(CustomGradient(id, func(_, _, _ []*Node) []*Node { return nil }, x)[0]), x)
		}},
		{"d(custom_gradient)", "derivative of operand 0 is [3], to which the operand [2] does not stretch", func(g *Graph, x *Node) []*Node {
			return Gradients(Sum(CustomGradient(id, func(_, _, _ []*Node) []*Node { return []*Node{g.Full(f32, 1, 3)} }, x)[0]), x)
		}},
		{"d(custom_gradient)", `belongs to graph "other"`, func(_ *Graph, x *Node) []*Node {
			return Gradients(Sum(CustomGradient(id, func(_, _, _ []*Node) []*Node { return []*Node{other} }, x)[0]), x)
		}},
		{"d(custom_gradient)", "is not one of its operands", func(g *Graph, x *Node) []*Node {
			w := g.Input("w", f32, 2)
			return Gradients(Sum(CustomGradient(func(in []*Node) []*Node { return []*Node{Mul(in[0], w)} }, func(_, _, d []*Node) []*Node { return d }, x)[0]), x, w)
		}},
		{"d(kernel)", "set KernelOptions.Grad", func(g *Graph, x *Node) []*Node {
			return Gradients(Sum(Kernel(g, KernelOptions{Source: "s", Entry: "e", Results: []Result{{DType: f32, Shape: []int{2}}}}, x)[0]), x)
		}},
	} {
		g := NewGraph("mistakes")
		x := g.Input("x", f32, 2)
		nodes := c.call(g, x)
		require.NotEmpty(t, nodes, c.op)
		_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: nodes})
		require.ErrorContains(t, err, c.says, c.op)
		require.ErrorContains(t, err, c.op+" at gradients/autodiff_test.go:", c.says)
	}
}
