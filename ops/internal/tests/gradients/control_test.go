package gradients_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// flowCase is a graph with loops and branches beside what it computes, in Go.
type flowCase struct {
	name  string
	feeds []*tensor.Tensor
	build func(g *Graph, in []*Node) []*Node
	want  [][]float64
}

func below(n *Node, limit float64) *Node { return Less(n, ScalarLike(n, limit)) }

func plus1(n *Node, v float64) *Node { return Add(n, ScalarLike(n, v)) }

func times(n *Node, v float64) *Node { return Mul(n, ScalarLike(n, v)) }

func flowCases(t testing.TB) (all []flowCase) {
	add := func(c flowCase) { all = append(all, c) }
	f := func(shape []int, v ...float64) *tensor.Tensor {
		return opstest.TensorOf(t, tensor.Float32, shape, v...)
	}
	truth := func(v float64) *tensor.Tensor { return opstest.TensorOf(t, tensor.Bool, nil, v) }
	for _, p := range []float64{0, 1} {
		add(flowCase{fmt.Sprint("the branch that is taken ", p), []*tensor.Tensor{truth(p), f([]int{3}, 1, 2, 3)},
			func(g *Graph, in []*Node) []*Node {
				return If(in[0], func() []*Node { return []*Node{times(in[1], 2), Sum(in[1])} }, func() []*Node { return []*Node{Neg(in[1]), Max(in[1])} })
			}, [][][]float64{{{-1, -2, -3}, {3}}, {{2, 4, 6}, {6}}}[int(p)]})
		add(flowCase{fmt.Sprint("branches that hand things on ", p), []*tensor.Tensor{truth(p), f([]int{2, 2}, 1, 2, 3, 4), f([]int{2, 2}, 5, 6, 7, 8)},
			func(g *Graph, in []*Node) []*Node {
				y := If(in[0], func() []*Node { return []*Node{in[1], in[2], Transpose(in[1]), g.Full(tensor.Float32, 7, 2), in[1]} },
					func() []*Node {
						return []*Node{in[2], in[1], in[2], g.Const(tensor.Must(tensor.FromSlice([]float32{1, 9}))), in[1]}
					})
				return append(y, Add(in[1], in[2]))
			}, [][][]float64{
				{{5, 6, 7, 8}, {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 9}, {1, 2, 3, 4}, {6, 8, 10, 12}},
				{{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 3, 2, 4}, {7, 7}, {1, 2, 3, 4}, {6, 8, 10, 12}},
			}[int(p)]})
	}
	nan := math.NaN()
	add(flowCase{"a comparison with NaN is false", []*tensor.Tensor{f(nil, nan)}, func(g *Graph, in []*Node) []*Node {
		loop := While([]*Node{in[0]}, func(s []*Node) *Node { return below(s[0], 1) }, func(s []*Node) []*Node { return []*Node{plus1(s[0], 1)} }, nil)
		return append(If(below(in[0], 1), func() []*Node { return []*Node{g.Full(tensor.Float32, 1)} }, func() []*Node { return []*Node{g.Full(tensor.Float32, 2)} }), loop...)
	}, [][]float64{{2}, {nan}}})
	for _, start := range []float64{0, 3, 100} { // the last one runs no iteration
		n, x := start, 1.0
		for n < 10 {
			n, x = n+1, x*1.5
		}
		add(flowCase{fmt.Sprint("a count from ", start), []*tensor.Tensor{f(nil, start), f([]int{2}, 1, 2)}, func(g *Graph, in []*Node) []*Node {
			return While(in, func(s []*Node) *Node { return below(s[0], 10) }, func(s []*Node) []*Node { return []*Node{plus1(s[0], 1), times(s[1], 1.5)} }, nil)
		}, [][]float64{{n}, {x, 2 * x}}})
	}
	add(flowCase{"a limit", []*tensor.Tensor{f(nil, 0)}, func(g *Graph, in []*Node) []*Node {
		return While(in, func(s []*Node) *Node { return below(s[0], 10) }, func(s []*Node) []*Node { return []*Node{plus1(s[0], 1)} }, &LoopOptions{Limit: 4})
	}, [][]float64{{4}}})
	add(flowCase{"values that change places", []*tensor.Tensor{f([]int{2}, 1, 2), f([]int{2}, 3, 4), f(nil, 0)}, func(g *Graph, in []*Node) []*Node {
		return While(in, func(s []*Node) *Node { return below(s[2], 3) }, func(s []*Node) []*Node { return []*Node{s[1], s[0], plus1(s[2], 1)} }, nil)
	}, [][]float64{{3, 4}, {1, 2}, {3}}})
	add(flowCase{"three values that go round", []*tensor.Tensor{f([]int{2}, 1, 2), f([]int{2}, 3, 4), f([]int{2}, 5, 6), f(nil, 0)}, func(g *Graph, in []*Node) []*Node {
		return While(in, func(s []*Node) *Node { return below(s[3], 4) }, func(s []*Node) []*Node { return []*Node{s[1], s[2], s[0], plus1(s[3], 1)} }, nil)
	}, [][]float64{{3, 4}, {5, 6}, {1, 2}, {4}}})
	add(flowCase{"a value that stays", []*tensor.Tensor{f([]int{2}, 1, 2), f([]int{2}, 3, 4), f(nil, 0)}, func(g *Graph, in []*Node) []*Node {
		y := While(in, func(s []*Node) *Node { return below(s[2], 3) }, func(s []*Node) []*Node { return []*Node{s[0], Add(s[0], s[1]), plus1(s[2], 1)} }, nil)
		return append(y, in[0])
	}, [][]float64{{1, 2}, {6, 10}, {3}, {1, 2}}})
	add(flowCase{"one node for two values", []*tensor.Tensor{f([]int{2}, 1, 2), f([]int{2}, 3, 4), f(nil, 0)}, func(g *Graph, in []*Node) []*Node {
		return While(in, func(s []*Node) *Node { return below(s[2], 2) }, func(s []*Node) []*Node {
			n := Add(s[0], s[1])
			return []*Node{n, n, plus1(s[2], 1)}
		}, nil)
	}, [][]float64{{8, 12}, {8, 12}, {2}}})
	add(flowCase{"one beginning for two values, read afterwards", []*tensor.Tensor{f([]int{2}, 1, 2), f(nil, 0)}, func(g *Graph, in []*Node) []*Node {
		y := While([]*Node{in[0], in[0], in[1]}, func(s []*Node) *Node { return below(s[2], 2) }, func(s []*Node) []*Node {
			return []*Node{times(s[0], 2), plus1(s[1], 1), plus1(s[2], 1)}
		}, nil)
		return append(y, Neg(in[0]))
	}, [][]float64{{4, 8}, {3, 4}, {2}, {-1, -2}}})
	add(flowCase{"captured views", []*tensor.Tensor{f([]int{2, 3}, 1, 2, 3, 4, 5, 6), f([]int{3, 2}, 0, 0, 0, 0, 0, 0), f(nil, 0)}, func(g *Graph, in []*Node) []*Node {
		tr, row := Transpose(in[0]), Slice(in[0], Range{Start: 1, Stop: 2}, Range{Axis: 1, Start: 0, Stop: 2})
		return While(in[1:], func(s []*Node) *Node { return below(s[1], 2) }, func(s []*Node) []*Node {
			return []*Node{Add(Add(s[0], tr), row), plus1(s[1], 1)}
		}, nil)
	}, [][]float64{{2*1 + 8, 2*4 + 10, 2*2 + 8, 2*5 + 10, 2*3 + 8, 2*6 + 10}, {2}}})
	add(flowCase{"what is the same in each iteration", []*tensor.Tensor{f([]int{2, 2}, 1, 2, 3, 4), f([]int{2, 2}, 1, 0, 0, 1), f(nil, 0)}, func(g *Graph, in []*Node) []*Node {
		return While(in[1:], func(s []*Node) *Node { return below(s[1], 3) }, func(s []*Node) []*Node {
			return []*Node{MatMul(s[0], MatMul(in[0], in[0])), plus1(s[1], 1)}
		}, nil)
	}, [][]float64{{5743, 8370, 12555, 18298}, {3}}})
	add(flowCase{"nothing to carry but a count", []*tensor.Tensor{f([]int{0, 3}), f(nil, 0)}, func(g *Graph, in []*Node) []*Node {
		return While(in, func(s []*Node) *Node { return below(s[1], 3) }, func(s []*Node) []*Node { return []*Node{times(s[0], 2), plus1(s[1], 1)} }, nil)
	}, [][]float64{{}, {3}}})
	add(flowCase{"a loop within a branch within a loop", []*tensor.Tensor{f(nil, 0), f([]int{2}, 1, 1)}, func(g *Graph, in []*Node) []*Node {
		return While(in, func(s []*Node) *Node { return below(s[0], 5) }, func(s []*Node) []*Node {
			even := Equal(Rem(s[0], ScalarLike(s[0], 2)), ScalarLike(s[0], 0))
			x := If(even, func() []*Node {
				return While([]*Node{s[1], g.Full(tensor.Float32, 0)}, func(u []*Node) *Node { return Less(u[1], s[0]) },
					func(u []*Node) []*Node { return []*Node{times(u[0], 2), plus1(u[1], 1)} }, nil)[:1]
			}, func() []*Node { return []*Node{plus1(s[1], 1)} })
			return []*Node{plus1(s[0], 1), x[0]}
		}, nil)
	}, func() [][]float64 {
		x := 1.0
		for i := range 5 {
			if i%2 == 1 {
				x++
				continue
			}
			for range i {
				x *= 2
			}
		}
		return [][]float64{{5}, {x, x}}
	}()})
	add(flowCase{"a scan", []*tensor.Tensor{f([]int{2}, 1, 1), f([]int{3, 2}, 1, 2, 3, 4, 5, 6), f([]int{3}, 10, 20, 30)}, func(g *Graph, in []*Node) []*Node {
		last, ys := Scan(in[:1], in[1:], func(i *Node, s, x []*Node) (next, y []*Node) {
			n := Add(times(s[0], 2), x[0])
			return []*Node{n}, []*Node{n, s[0], Add(x[1], Cast(i, tensor.Float32))}
		}, nil)
		return append(last, ys...)
	}, [][]float64{{23, 30}, {3, 4, 9, 12, 23, 30}, {1, 1, 3, 4, 9, 12}, {10, 21, 32}}})
	add(flowCase{"a scan in reverse", []*tensor.Tensor{f([]int{2}, 1, 1), f([]int{3, 2}, 1, 2, 3, 4, 5, 6)}, func(g *Graph, in []*Node) []*Node {
		last, ys := Scan(in[:1], in[1:], func(i *Node, s, x []*Node) (next, y []*Node) {
			n := Add(times(s[0], 2), x[0])
			return []*Node{n}, []*Node{n, i}
		}, &ScanOptions{Reverse: true})
		return append(last, ys[0], Cast(ys[1], tensor.Float32))
	}, [][]float64{{35, 42}, {35, 42, 17, 20, 7, 8}, {0, 1, 2}}})
	add(flowCase{"a scan of nothing", []*tensor.Tensor{f([]int{2}, 1, 2), f([]int{0, 2})}, func(g *Graph, in []*Node) []*Node {
		last, ys := Scan(in[:1], in[1:], func(_ *Node, s, x []*Node) (next, y []*Node) {
			return []*Node{Add(s[0], x[0])}, []*Node{x[0]}
		}, nil)
		return append(last, ys...)
	}, [][]float64{{1, 2}, {}}})
	add(flowCase{"a map, which carries nothing", []*tensor.Tensor{f([]int{3, 2}, 1, 2, 3, 4, 5, 6)}, func(g *Graph, in []*Node) []*Node {
		_, ys := Scan(nil, in, func(_ *Node, _, x []*Node) (next, y []*Node) { return nil, []*Node{Sum(x[0]), Neg(x[0])} }, nil)
		return ys
	}, [][]float64{{3, 7, 11}, {-1, -2, -3, -4, -5, -6}}})
	add(flowCase{"a count without rows", []*tensor.Tensor{f(nil, 1)}, func(g *Graph, in []*Node) []*Node {
		last, ys := Scan(in, nil, func(i *Node, s, _ []*Node) (next, y []*Node) {
			return []*Node{times(s[0], 2)}, []*Node{Add(s[0], Cast(i, tensor.Float32))}
		}, &ScanOptions{Trips: 5})
		return append(last, ys...)
	}, [][]float64{{32}, {1, 3, 6, 11, 20}}})
	for _, dt := range []tensor.DType{tensor.Bool, tensor.Uint8, tensor.Int16, tensor.Float16, tensor.Int64, tensor.Float64} {
		add(flowCase{"rows of " + dt.String(), []*tensor.Tensor{opstest.TensorOf(t, dt, []int{3, 3}, 1, 0, 1, 1, 1, 1, 0, 0, 1)}, func(g *Graph, in []*Node) []*Node {
			_, ys := Scan(nil, in, func(_ *Node, _, x []*Node) (next, y []*Node) { return nil, []*Node{Flip(x[0], 0)} }, nil)
			return ys
		}, [][]float64{{1, 0, 1, 1, 1, 1, 1, 0, 0}}})
	}
	add(flowCase{"a scan within a scan", []*tensor.Tensor{f([]int{2, 3}, 1, 2, 3, 4, 5, 6)}, func(g *Graph, in []*Node) []*Node {
		zero := g.Full(tensor.Float32, 0)
		last, ys := Scan([]*Node{zero}, in, func(_ *Node, s, x []*Node) (next, y []*Node) {
			in, sums := Scan([]*Node{s[0]}, []*Node{x[0]}, func(_ *Node, s, x []*Node) (next, y []*Node) {
				n := Add(s[0], x[0])
				return []*Node{n}, []*Node{n}
			}, nil)
			return in, sums
		}, nil)
		return append(last, ys...)
	}, [][]float64{{21}, {1, 3, 6, 10, 15, 21}}})
	return all
}

// anywhere are runtimes by name, with how nodes are put there.
func anywhere(t *testing.T) map[string]func(t *testing.T) (*Runtime, Place) {
	return map[string]func(t *testing.T) (*Runtime, Place){
		"cpu":    func(t *testing.T) (*Runtime, Place) { return opstest.CPUOnly(t), OnCPU },
		"device": func(t *testing.T) (*Runtime, Place) { return opstest.Device(t), OnDevice },
		"auto":   func(t *testing.T) (*Runtime, Place) { return opstest.Device(t), Auto },
	}
}

func TestLoopsAndBranchesComputeWhatGoDoes(t *testing.T) {
	for where, open := range anywhere(t) {
		t.Run(where, func(t *testing.T) {
			if testing.Short() && where == "auto" {
				t.Skip("short")
			}
			for _, c := range flowCases(t) {
				t.Run(c.name, func(t *testing.T) {
					rt, place := open(t)
					c.check(t, rt, place, nil)
				})
			}
		})
	}
}

// Ops of one graph on two engines, at random: what a loop reads moves once, what an iteration
// makes moves in each.
func TestLoopsAndBranchesMayBeDivided(t *testing.T) {
	for _, c := range flowCases(t) {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(8) {
				rt := opstest.BesideCPU(t, &opstest.Slowed{Time: func(*engine.Task) time.Duration { return 0 }})
				r := rand.New(rand.NewPCG(seed, 2))
				c.check(t, rt, Auto, func(n *Node) { Put(n, Place(r.IntN(3))) })
			}
		})
	}
}

func (c *flowCase) check(t *testing.T, rt *Runtime, place Place, put func(n *Node)) {
	t.Helper()
	g := NewGraph(c.name)
	feeds := Feeds{}
	var in []*Node
	for i, x := range c.feeds {
		n := g.Input(fmt.Sprint("x", i), x.DType(), x.Shape()...)
		in, feeds[n] = append(in, n), x
	}
	outs := c.build(g, in)
	if put != nil {
		for n := range g.Nodes() {
			put(n)
		}
	}
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: outs, Place: place})
	if errors.Is(err, engine.ErrUnsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	defer exe.Close()
	for range 3 {
		got, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
		for i, want := range c.want {
			have := opstest.NumbersOf(got[i])
			require.Len(t, have, len(want), "output %d", i)
			for k := range want {
				if math.IsNaN(want[k]) {
					require.True(t, math.IsNaN(have[k]))
					continue
				}
				require.InDelta(t, want[k], have[k], 1e-4*math.Abs(want[k]), "output %d, element %d\n%s", i, k, exe.Explain())
			}
		}
	}
}
