package gradients_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ir"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// gradCase is a scalar of its operands, by a loop or branch, and written out.
type gradCase struct {
	name       string
	shapes     [][]int
	lo, hi     float64
	loop, flat func(g *Graph, in []*Node) *Node
}

// unrolled is Scan written out.
func unrolled(s, xs []*Node, trips int, reverse bool, body func(i *Node, s, x []*Node) (next, y []*Node)) (last, ys []*Node) {
	g := append(s, xs...)[0].Graph()
	rows := map[int][]*Node{}
	for k := range trips {
		at := k
		if reverse {
			at = trips - 1 - k
		}
		i := g.Const(tensor.Scalar(int64(at)))
		x := make([]*Node, len(xs))
		for j := range xs {
			x[j] = Gather(xs[j], 0, i)
		}
		s, rows[at] = body(i, s, x)
	}
	for j := range rows[0] {
		var all []*Node
		for k := range trips {
			all = append(all, ExpandDims(rows[k][j], 0))
		}
		ys = append(ys, Concat(0, all...))
	}
	return s, ys
}

func gradCases() (all []gradCase) {
	scan := func(name string, shapes [][]int, states, rows int, reverse bool, body func(in []*Node) func(i *Node, s, x []*Node) (next, y []*Node)) {
		score := func(last, ys []*Node) (y *Node) {
			for i, n := range append(last, ys...) {
				if n.DType().IsFloat() {
					part := Sum(Mul(Tanh(n), ScalarLike(n, 1+float64(i))))
					if y == nil {
						y = part
					} else {
						y = Add(y, part)
					}
				}
			}
			return y
		}
		all = append(all, gradCase{name, shapes, -1, 1, func(_ *Graph, in []*Node) *Node {
			return score(Scan(in[:states], in[states:states+rows], body(in[states+rows:]), &ScanOptions{Reverse: reverse}))
		}, func(_ *Graph, in []*Node) *Node {
			xs := in[states : states+rows]
			return score(unrolled(in[:states], xs, xs[0].Shape()[0], reverse, body(in[states+rows:])))
		}})
	}
	for _, reverse := range []bool{false, true} {
		scan(fmt.Sprint("a recurrent network, reverse ", reverse), [][]int{{2, 3}, {5, 2, 4}, {4, 3}, {3, 3}, {3}}, 1, 1, reverse, func(w []*Node) func(i *Node, s, x []*Node) (next, y []*Node) {
			return func(_ *Node, s, x []*Node) (next, y []*Node) {
				h := Tanh(Add(Add(MatMul(x[0], w[0]), MatMul(s[0], w[1])), w[2]))
				return []*Node{h}, []*Node{h, Sum(Mul(h, s[0]), -1)}
			}
		})
	}
	scan("values that change places", [][]int{{3}, {3}, {4, 3}}, 2, 1, false, func([]*Node) func(i *Node, s, x []*Node) (next, y []*Node) {
		return func(_ *Node, s, x []*Node) (next, y []*Node) { return []*Node{Mul(s[1], x[0]), s[0]}, nil }
	})
	scan("a value that stays, and rows that are read twice", [][]int{{3}, {3}, {4, 3}}, 2, 1, false, func([]*Node) func(i *Node, s, x []*Node) (next, y []*Node) {
		return func(_ *Node, s, x []*Node) (next, y []*Node) {
			return []*Node{s[0], Add(Mul(s[0], s[1]), x[0])}, []*Node{Mul(x[0], s[1])}
		}
	})
	scan("what the body reads whole and by rows", [][]int{{3}, {4, 3}, {4, 3}}, 1, 1, false, func(w []*Node) func(i *Node, s, x []*Node) (next, y []*Node) {
		return func(i *Node, s, x []*Node) (next, y []*Node) {
			return []*Node{Add(Mul(s[0], x[0]), Sum(w[0], 0))}, []*Node{Mul(Gather(w[0], 0, i), s[0])}
		}
	})
	scan("a map", [][]int{{4, 3}, {3}}, 0, 1, false, func(w []*Node) func(i *Node, s, x []*Node) (next, y []*Node) {
		return func(_ *Node, _, x []*Node) (next, y []*Node) { return nil, []*Node{Mul(Exp(x[0]), w[0])} }
	})
	scan("a scan within a scan", [][]int{{2}, {3, 4, 2}, {2}}, 1, 1, false, func(w []*Node) func(i *Node, s, x []*Node) (next, y []*Node) {
		return func(_ *Node, s, x []*Node) (next, y []*Node) {
			return Scan(s, x, func(_ *Node, s, x []*Node) (next, y []*Node) {
				n := Tanh(Add(Mul(s[0], w[0]), x[0]))
				return []*Node{n}, []*Node{Mul(n, s[0])}
			}, nil)
		}
	})
	for _, c := range []struct {
		limit, trips int
	}{{10, 4}, {3, 3}, {10, 0}} {
		step := func(x, w *Node) *Node { return Mul(Sin(x), w) }
		all = append(all, gradCase{fmt.Sprint("as long as a condition holds ", c), [][]int{{3}, {3}}, -1, 1, func(g *Graph, in []*Node) *Node {
			y := While([]*Node{in[0], g.Full(tensor.Int32, 0)}, func(s []*Node) *Node { return below(s[1], float64(min(c.trips, 4))) }, func(s []*Node) []*Node {
				return []*Node{step(s[0], in[1]), plus1(s[1], 1)}
			}, &LoopOptions{Limit: c.limit})
			return Sum(Mul(y[0], y[0]))
		}, func(_ *Graph, in []*Node) *Node {
			y := in[0]
			for range c.trips {
				y = step(y, in[1])
			}
			return Sum(Mul(y, y))
		}})
	}
	for _, sign := range []float64{1, -1} {
		all = append(all, gradCase{fmt.Sprint("a branch ", sign), [][]int{{3}, {3}, {2}}, -1, 1, func(g *Graph, in []*Node) *Node {
			y := If(Greater(g.Full(tensor.Float64, sign), g.Full(tensor.Float64, 0)), func() []*Node {
				return []*Node{Mul(in[0], in[1]), in[0]}
			}, func() []*Node { return []*Node{Exp(in[1]), Add(in[1], Sum(in[2]))} })
			return Add(Sum(Mul(y[0], y[0])), Sum(Sin(y[1])))
		}, func(_ *Graph, in []*Node) *Node {
			a, b := Mul(in[0], in[1]), in[0]
			if sign < 0 {
				a, b = Exp(in[1]), Add(in[1], Sum(in[2]))
			}
			return Add(Sum(Mul(a, a)), Sum(Sin(b)))
		}})
	}
	branchy := func(i *Node, s *Node, w *Node) *Node {
		return If(below(i, 2), func() []*Node { return []*Node{Mul(s, w)} }, func() []*Node { return []*Node{Sin(s)} })[0]
	}
	scan("a branch within a scan", [][]int{{2}, {4, 2}, {2}}, 1, 1, false, func(w []*Node) func(i *Node, s, x []*Node) (next, y []*Node) {
		return func(i *Node, s, x []*Node) (next, y []*Node) {
			return []*Node{Add(branchy(i, s[0], w[0]), x[0])}, nil
		}
	})
	return append(all, recurrentCases()...)
}

func (c *gradCase) run(t *testing.T, rt *Runtime, place Place, build func(g *Graph, in []*Node) []*Node) [][]float64 {
	t.Helper()
	g := NewGraph(c.name)
	r := rand.New(rand.NewPCG(7, 7))
	feeds := Feeds{}
	var in []*Node
	for i, shape := range c.shapes {
		values := make([]float64, ir.Product(shape))
		for k := range values {
			values[k] = c.lo + (c.hi-c.lo)*r.Float64()
		}
		n := g.Input(fmt.Sprint("x", i), tensor.Float64, shape...)
		in, feeds[n] = append(in, n), opstest.TensorOf(t, tensor.Float64, shape, values...)
	}
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: build(g, in), Place: place})
	require.NoError(t, err)
	defer exe.Close()
	var all [][]float64
	for range 2 {
		outs, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
		all = nil
		for _, o := range outs {
			all = append(all, opstest.NumbersOf(o))
		}
	}
	return all
}

// A loop has the derivatives of what it stands for, and these have theirs.
func TestGradientsOfLoopsAreThoseOfWhatTheyStandFor(t *testing.T) {
	opstest.NumbersOnly(t)
	for where, open := range anywhere(t) {
		t.Run(where, func(t *testing.T) {
			if testing.Short() && where == "auto" {
				t.Skip("short")
			}
			for _, c := range gradCases() {
				t.Run(c.name, func(t *testing.T) {
					rt, place := open(t)
					graph := func(f func(g *Graph, in []*Node) *Node) func(g *Graph, in []*Node) []*Node {
						return func(g *Graph, in []*Node) []*Node {
							y := f(g, in)
							d := Gradients(y, in...)
							all := append([]*Node{y}, d...)
							if where == "cpu" {
								second := Sum(Mul(d[0], d[0]))
								all = append(append(all, second), Gradients(second, in...)...)
							}
							return all
						}
					}
					got, want := c.run(t, rt, place, graph(c.loop)), c.run(t, opstest.CPUOnly(t), Auto, graph(c.flat))
					for i := range want {
						for k := range want[i] {
							require.InDelta(t, want[i][k], got[i][k], 1e-9*(1+math.Abs(want[i][k])), "output %d, element %d", i, k)
						}
					}
				})
			}
		})
	}
}

// The gradient draws again what the loop drew: of a sum of x where it was kept it is 1 / (1 - rate) there.
func TestGradientsOfLoopsDrawTheSameNumbers(t *testing.T) {
	rt := opstest.CPUOnly(t)
	g := NewGraph("dropout")
	g.Seed(3)
	x := g.Input("x", tensor.Float64, 4, 50)
	_, ys := Scan(nil, []*Node{x}, func(_ *Node, _, x []*Node) (next, y []*Node) { return nil, []*Node{Dropout(x[0], 0.5)} }, nil)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{ys[0], Gradients(Sum(ys[0]), x)[0]}})
	require.NoError(t, err)
	defer exe.Close()
	ones := make([]float64, 200)
	for i := range ones {
		ones[i] = 1
	}
	feeds := Feeds{x: opstest.TensorOf(t, tensor.Float64, []int{4, 50}, ones...)}
	var last []float64
	for range 2 {
		outs, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
		y := opstest.NumbersOf(outs[0])
		require.Equal(t, y, opstest.NumbersOf(outs[1]))
		require.NotEqual(t, last, y, "another run draws other numbers")
		for i := range 3 {
			require.NotEqual(t, y[50*i:50*i+50], y[50*i+50:50*i+100], "iteration %d draws as the one before", i+1)
		}
		last = y
	}
}

func TestALoopWithoutALimitHasNoGradient(t *testing.T) {
	g := NewGraph("endless")
	x := g.Input("x", tensor.Float32)
	y := While([]*Node{x}, func(s []*Node) *Node { return below(s[0], 9) }, func(s []*Node) []*Node { return []*Node{times(s[0], 2)} }, nil)
	d := Gradients(y[0], x)
	_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: d})
	require.ErrorContains(t, err, "LoopOptions.Limit")
	require.ErrorContains(t, err, "control_grad_test.go")
}
