package gradients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/plan"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// halving counts how often x can be halved until it is below 1, on rt.
func halving(t *testing.T, rt *Runtime, place Place) (exe *Executable, feed func(x float64) Feeds) {
	t.Helper()
	g := NewGraph("halving")
	x := g.Input("x", tensor.Float32)
	y := While([]*Node{x, g.Full(tensor.Float32, 0)}, func(s []*Node) *Node { return GreaterEqual(s[0], ScalarLike(s[0], 1)) },
		func(s []*Node) []*Node { return []*Node{times(s[0], 0.5), plus1(s[1], 1)} }, nil)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: y[1:], Place: place})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, exe.Close()) })
	return exe, func(v float64) Feeds { return Feeds{x: opstest.TensorOf(t, tensor.Float32, nil, v)} }
}

func TestALoopThatDoesNotEndIsStoppedByItsContext(t *testing.T) {
	for where, open := range anywhere(t) {
		t.Run(where, func(t *testing.T) {
			rt, place := open(t)
			for _, count := range []bool{false, true} {
				g := NewGraph("endless")
				x := g.Input("x", tensor.Float32, 4)
				var y *Node
				if count {
					last, _ := Scan([]*Node{x}, nil, func(_ *Node, s, _ []*Node) (next, y []*Node) { return []*Node{Sin(s[0])}, nil }, &ScanOptions{Trips: 1 << 60})
					y = last[0]
				} else {
					y = While([]*Node{x}, func(s []*Node) *Node { return Less(Max(s[0]), ScalarLike(s[0], 2)) }, func(s []*Node) []*Node { return []*Node{Sin(s[0])} }, nil)[0]
				}
				exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Place: place})
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				_, err = exe.Run(ctx, Feeds{x: opstest.Filled(t, 1, 4)})
				cancel()
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.NoError(t, exe.Close())
			}
		})
	}
}

func TestALoopRunsAgainWithoutAllocating(t *testing.T) {
	if opstest.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	for where, open := range anywhere(t) {
		t.Run(where, func(t *testing.T) {
			rt, place := open(t)
			exe, feed := halving(t, rt, place)
			feeds, outs := feed(1000), []*tensor.Tensor{opstest.TensorOf(t, tensor.Float32, nil, 0)}
			run := func() {
				if err := exe.RunInto(t.Context(), feeds, outs); err != nil {
					t.Error(err)
				}
			}
			for range 20 {
				run()
			}
			require.Equal(t, 10.0, outs[0].Float64At(0))
			require.Zero(t, opstest.Allocations(50, run))
		})
	}
}

func TestLoopsRunAtTheSameTime(t *testing.T) {
	for where, open := range anywhere(t) {
		t.Run(where, func(t *testing.T) {
			rt, place := open(t)
			exe, feed := halving(t, rt, place)
			var all sync.WaitGroup
			for k := range 8 {
				all.Go(func() {
					for range 30 {
						out, err := exe.Run(t.Context(), feed(float64(int(1)<<k)))
						if assert.NoError(t, err) {
							assert.Equal(t, float64(k+1), out[0].Float64At(0))
						}
					}
				})
			}
			all.Wait()
		})
	}
}

func TestIterationsAreLearned(t *testing.T) {
	exe, feed := halving(t, opstest.CPUOnly(t), Auto)
	before := exe.Report().Predicted
	for range 20 {
		_, err := exe.Run(t.Context(), feed(1<<20))
		require.NoError(t, err)
	}
	r := exe.Report()
	require.Len(t, r.Regions, 1)
	require.InDelta(t, 21, r.Regions[0].Iterations, 1e-9)
	require.Greater(t, r.Predicted, 2*before, "8 iterations were guessed, 21 there are")
}

func TestWhatIsExpectedOfALoopDecidesWhereItRuns(t *testing.T) {
	// The device takes long to wait for, and computes in no time.
	for expect, want := range map[int]string{1: "cpu", 1000: "slowed"} {
		cost := func(task *engine.Task) time.Duration { return time.Nanosecond }
		rt := opstest.BesideCPU(t, &opstest.Slowed{Time: cost, Bytes: 100})
		g := NewGraph("expect")
		x := g.Input("x", tensor.Float32, 64, 64)
		last, _ := Scan([]*Node{x}, nil, func(_ *Node, s, _ []*Node) (next, y []*Node) { return []*Node{MatMul(s[0], s[0])}, nil }, &ScanOptions{Trips: expect})
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: last})
		require.NoError(t, err)
		var where []string
		for _, task := range exe.Report().Tasks {
			if strings.Contains(task.Name, "matmul") {
				where = append(where, task.Where)
			}
		}
		require.Equal(t, []string{want}, where, "%d iterations\n%s", expect, exe.Explain())
		require.NoError(t, exe.Close())
	}
}

func TestAReportShowsRegions(t *testing.T) {
	rt := opstest.CPUOnly(t)
	g := NewGraph("regions")
	x := g.Input("x", tensor.Float32, 3)
	y := While([]*Node{x}, func(s []*Node) *Node { return below(Max(s[0]), 100) }, func(s []*Node) []*Node {
		return If(below(Sum(s[0]), 50), func() []*Node { return []*Node{times(s[0], 2)} }, func() []*Node { return []*Node{Exp(s[0])} })
	}, &LoopOptions{Expect: 30})
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: y})
	require.NoError(t, err)
	defer exe.Close()
	r := exe.Report()
	require.Len(t, r.Regions, 2)
	outer, inner := r.Regions[0], r.Regions[1]
	require.Equal(t, []string{"while", "if"}, []string{outer.Op, inner.Op})
	require.Equal(t, []float64{30, 0.5}, []float64{outer.Iterations, inner.Iterations})
	require.Equal(t, []int{-1, 0}, []int{outer.In, inner.In})
	require.Contains(t, outer.Caller, "control_run_test.go")
	require.True(t, outer.First <= inner.First && inner.Last <= outer.Last)
	text := exe.Explain()
	require.Contains(t, text, "while")
	require.Contains(t, text, "30 iterations")
	require.Contains(t, r.DOT(), "subgraph cluster_1")
	require.Contains(t, r.SVG(), "30 iterations")
	data, err := json.Marshal(r)
	require.NoError(t, err)
	require.Contains(t, string(data), `"regions":[{"op":"while"`)
}

func TestAProfileShowsIterations(t *testing.T) {
	exe, feed := halving(t, opstest.CPUOnly(t), Auto)
	p, err := exe.Profile(t.Context(), feed(100), ProfileOptions{Runs: 2})
	require.NoError(t, err)
	iterations := 0
	for _, s := range p.Spans {
		if strings.HasPrefix(s.Name, "while, iteration") {
			iterations++
		}
	}
	require.Equal(t, 7, iterations)
	most := slices.MaxFunc(p.Tasks, func(a, b TaskProfile) int { return a.Launches - b.Launches })
	require.GreaterOrEqual(t, most.Launches, 7)
	var trace bytes.Buffer
	require.NoError(t, p.WriteTrace(&trace))
	require.Contains(t, trace.String(), "iteration 6")
}

func TestVariablesAreReadInLoopsAndUpdatedBehind(t *testing.T) {
	for where, open := range anywhere(t) {
		t.Run(where, func(t *testing.T) {
			rt, place := open(t)
			g := NewGraph("variable")
			v := g.Variable("v", opstest.TensorOf(t, tensor.Float32, []int{2}, 1, 2))
			last, _ := Scan([]*Node{v}, nil, func(_ *Node, s, _ []*Node) (next, y []*Node) { return []*Node{Add(s[0], v)}, nil }, &ScanOptions{Trips: 3})
			exe, err := g.Compile(t.Context(), rt, Target{Outputs: last, Updates: []*Node{Assign(v, last[0])}, Place: place})
			require.NoError(t, err)
			defer exe.Close()
			for _, want := range []float64{4, 16, 64} {
				out, err := exe.Run(t.Context(), nil)
				require.NoError(t, err)
				require.Equal(t, []float64{want, 2 * want}, opstest.NumbersOf(out[0]))
				now, err := Value(t.Context(), v)
				require.NoError(t, err)
				require.Equal(t, []float64{want, 2 * want}, opstest.NumbersOf(now))
			}
		})
	}
}

func TestIterationsDrawNumbersOfTheirOwn(t *testing.T) {
	draw := func(rt *Runtime, place Place) (runs [][]float64) {
		g := NewGraph("random")
		g.Seed(9)
		zero := g.Full(tensor.Float32, 0)
		_, ys := Scan([]*Node{zero}, nil, func(_ *Node, s, _ []*Node) (next, y []*Node) {
			_, in := Scan(nil, []*Node{g.Full(tensor.Float32, 0, 3)}, func(_ *Node, _, _ []*Node) (next, y []*Node) {
				return nil, []*Node{g.Uniform(tensor.Float32, 5)}
			}, nil)
			return s, []*Node{in[0], g.Normal(tensor.Float32, 5)}
		}, &ScanOptions{Trips: 4})
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: ys, Place: place})
		require.NoError(t, err)
		defer exe.Close()
		for range 2 {
			out, err := exe.Run(t.Context(), nil)
			require.NoError(t, err)
			runs = append(runs, append(opstest.NumbersOf(out[0]), opstest.NumbersOf(out[1])...))
		}
		return runs
	}
	runs := draw(opstest.CPUOnly(t), OnCPU)
	all := slices.Concat(runs...)
	slices.Sort(all)
	require.Len(t, slices.Compact(all), 2*(4*3*5+4*5), "numbers are drawn twice")
	t.Run("device", func(t *testing.T) {
		for i, run := range draw(opstest.Device(t), OnDevice) {
			require.InDeltaSlice(t, runs[i], run, 1e-5)
		}
	})
}

func TestEachGoesThroughLoops(t *testing.T) {
	exe, feed := halving(t, opstest.Device(t), OnDevice)
	var got []float64
	feeds := func(yield func(Feeds, error) bool) {
		for _, v := range []float64{1, 8, 0.5, 1000} {
			if !yield(feed(v), nil) {
				return
			}
		}
	}
	for outs, err := range exe.Each(t.Context(), feeds, EachOptions{}) {
		require.NoError(t, err)
		got = append(got, outs[0].Float64At(0))
	}
	require.Equal(t, []float64{1, 4, 0, 10}, got)
}

// A graph with a loop that moves to another engine computes what it did.
func TestALoopMovesToAnotherEngine(t *testing.T) {
	rt := opstest.BesideCPU(t, &opstest.Slowed{Time: func(*engine.Task) time.Duration { return time.Microsecond }})
	for _, c := range flowCases(t) {
		g := NewGraph(c.name)
		feeds := Feeds{}
		var in []*Node
		for _, x := range c.feeds {
			n := g.Input("x", x.DType(), x.Shape()...)
			in, feeds[n] = append(in, n), x
		}
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: c.build(g, in)})
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(1, 1))
		for range 3 {
			m, _ := inside.Executor(exe).Model()
			decided := *inside.Executor(exe).Program().Placement.Plan
			p := plan.Placement{Plan: &decided, Often: inside.Executor(exe).Program().Placement.Often}
			p.Choices = slices.Clone(p.Choices)
			for i := range p.Choices {
				p.Choices[i].Engine = r.IntN(2)
			}
			for _, pair := range plan.Tied(inside.Executor(exe).Program().Instructions) {
				p.Choices[pair[1]] = p.Choices[pair[0]]
			}
			moved, err := exec.NewPlaced(t.Context(), inside.Machine(rt), c.name, m.Again(), &p)
			require.NoError(t, err)
			outs, err := inside.WithExecutor(exe, moved).(*Executable).Run(t.Context(), feeds)
			require.NoError(t, err)
			for i, want := range c.want {
				for k, v := range opstest.NumbersOf(outs[i]) {
					if want[k] == want[k] {
						require.InDelta(t, want[k], v, 1e-3*(1+math.Abs(want[k])), "%s: output %d, element %d", c.name, i, k)
					}
				}
			}
			require.NoError(t, moved.Close())
		}
		require.NoError(t, exe.Close())
	}
}

func TestMistakesInLoopsAndBranches(t *testing.T) {
	same := func(s []*Node) []*Node { return s }
	yes := func(s []*Node) *Node { return below(s[0], 1) }
	for name, c := range map[string]struct {
		call func(g *Graph, x *Node)
		want []string
	}{
		"a predicate of another shape": {func(g *Graph, x *Node) {
			If(below(x, 1), func() []*Node { return []*Node{x} }, func() []*Node { return []*Node{x} })
		}, []string{"if at gradients/control_run_test.go", "bool[2 3], not a bool scalar"}},
		"a predicate that is no bool": {func(g *Graph, x *Node) {
			If(Sum(x), func() []*Node { return []*Node{x} }, func() []*Node { return []*Node{x} })
		}, []string{"float32[], not a bool scalar"}},
		"branches of different shapes": {func(g *Graph, x *Node) {
			If(below(Sum(x), 1), func() []*Node { return []*Node{x, x} }, func() []*Node { return []*Node{x, Sum(x, 0)} })
		}, []string{"result 1 is float32[2 3] in one branch and float32[3] in the other"}},
		"branches of different numbers": {func(g *Graph, x *Node) {
			If(below(Sum(x), 1), func() []*Node { return []*Node{x, x} }, func() []*Node { return []*Node{x} })
		}, []string{"the branches return 2 and 1 values"}},
		"branches of nothing": {func(g *Graph, x *Node) {
			If(below(Sum(x), 1), func() []*Node { return nil }, func() []*Node { return nil })
		}, []string{"return nothing"}},
		"no branch": {func(g *Graph, x *Node) { If(below(Sum(x), 1), func() []*Node { return []*Node{x} }, nil) }, []string{"both branches must be given"}},
		"nil in a branch": {func(g *Graph, x *Node) {
			If(below(Sum(x), 1), func() []*Node { return []*Node{nil} }, func() []*Node { return []*Node{x} })
		}, []string{"result 0 is nil"}},
		"a condition that is no scalar": {func(g *Graph, x *Node) {
			While([]*Node{x}, func(s []*Node) *Node { return below(s[0], 1) }, same, nil)
		}, []string{"while at gradients/control_run_test.go", "bool[2 3], not a bool scalar"}},
		"no condition": {func(g *Graph, x *Node) { While([]*Node{x}, func([]*Node) *Node { return nil }, same, nil) }, []string{"the predicate is nil"}},
		"a value that grows": {func(g *Graph, x *Node) {
			While([]*Node{Sum(x)}, yes, func(s []*Node) []*Node { return []*Node{Reshape(s[0], 1)} }, nil)
		}, []string{"value 0 is float32[] at first, and float32[1] after an iteration"}},
		"a value of another dtype": {func(g *Graph, x *Node) {
			While([]*Node{Sum(x)}, yes, func(s []*Node) []*Node { return []*Node{Cast(s[0], tensor.Float64)} }, nil)
		}, []string{"value 0 is float32[] at first, and float64[] after an iteration"}},
		"a value too few": {func(g *Graph, x *Node) {
			While([]*Node{Sum(x), x}, yes, func(s []*Node) []*Node { return s[:1] }, nil)
		}, []string{"is given 2 values and returns 1"}},
		"a negative limit": {func(g *Graph, x *Node) { While([]*Node{Sum(x)}, yes, same, &LoopOptions{Limit: -1}) }, []string{"limit of -1"}},
		"a value that is read behind its loop": {func(g *Graph, x *Node) {
			var inside *Node
			While([]*Node{Sum(x)}, yes, func(s []*Node) []*Node {
				inside = plus1(s[0], 1)
				return []*Node{inside}
			}, nil)
			Neg(inside)
		}, []string{"neg at gradients/control_run_test.go", "add ends with its region, of while at gradients/control_run_test.go"}},
		"a value of the other branch": {func(g *Graph, x *Node) {
			var inside *Node
			If(below(Sum(x), 1), func() []*Node {
				inside = Exp(x)
				return []*Node{inside}
			}, func() []*Node { return []*Node{inside} })
		}, []string{"exp ends with its region, of if"}},
		"an assignment in a branch": {func(g *Graph, x *Node) {
			v := g.Variable("v", opstest.Filled(t, 0))
			If(below(Sum(x), 1), func() []*Node { return []*Node{Assign(v, Sum(x))} }, func() []*Node { return []*Node{Sum(x)} })
		}, []string{"assign at gradients/control_run_test.go", "return the new value, and assign it outside"}},
		"rows of different numbers": {func(g *Graph, x *Node) {
			Scan(nil, []*Node{x, Transpose(x)}, func(_ *Node, _, x []*Node) (next, y []*Node) { return nil, x }, nil)
		}, []string{"scan at gradients/control_run_test.go", "operand 1 has 3 rows, not 2"}},
		"rows of a scalar": {func(g *Graph, x *Node) {
			Scan(nil, []*Node{Sum(x)}, func(_ *Node, _, x []*Node) (next, y []*Node) { return nil, x }, nil)
		}, []string{"has no rows"}},
		"an unknown number of iterations": {func(g *Graph, x *Node) {
			Scan([]*Node{x}, nil, func(_ *Node, s, _ []*Node) (next, y []*Node) { return s, nil }, nil)
		}, []string{"no rows to count, and no Trips"}},
		"a mistake within": {func(g *Graph, x *Node) {
			While([]*Node{Sum(x)}, yes, func(s []*Node) []*Node { return []*Node{MatMul(s[0], x)} }, nil)
		}, []string{"1 error", "matmul at gradients/control_run_test.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewGraph("mistake")
			c.call(g, g.Input("x", tensor.Float32, 2, 3))
			require.Error(t, g.Err())
			for _, want := range c.want {
				require.ErrorContains(t, g.Err(), want)
			}
		})
	}
}

func TestAValueOfALoopIsNoTarget(t *testing.T) {
	g := NewGraph("target")
	var inside *Node
	While([]*Node{g.Input("x", tensor.Float32)}, func(s []*Node) *Node { return below(s[0], 1) }, func(s []*Node) []*Node {
		inside = plus1(s[0], 1)
		return []*Node{inside}
	}, nil)
	_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{inside}})
	require.ErrorContains(t, err, "add ends with its region, of while")
}

// copiesLeft are the copies of loops and branches that a run makes, and how many there were.
func copiesLeft(t *testing.T, build func(g *Graph) []*Node) (left, all int) {
	t.Helper()
	g := NewGraph("copies")
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: build(g)})
	require.NoError(t, err)
	for i, u := range inside.Executor(exe).Program().Instructions {
		if u.Carries {
			all++
			if b := inside.Executor(exe).Program().Engines[0].Tasks[i]; b.Ins[0] != b.Outs[0] {
				left++
			}
		}
	}
	return left, all
}

func TestIterationsComputeInPlace(t *testing.T) {
	left, all := copiesLeft(t, func(g *Graph) []*Node {
		x := g.Input("x", tensor.Float32, 50)
		last, _ := Scan([]*Node{Exp(x), Neg(x)}, nil, func(_ *Node, s, _ []*Node) (next, y []*Node) {
			a := Sin(s[0])
			return []*Node{a, Add(s[1], a)}, nil
		}, &ScanOptions{Trips: 3})
		return last
	})
	require.Equal(t, [2]int{0, 4}, [2]int{left, all}, "two values begin and are handed on")
	left, all = copiesLeft(t, func(g *Graph) []*Node {
		x := g.Input("x", tensor.Float32, 50)
		last, _ := Scan([]*Node{Exp(x), Neg(x)}, nil, func(_ *Node, s, _ []*Node) (next, y []*Node) { return []*Node{s[1], s[0]}, nil }, &ScanOptions{Trips: 3})
		return last
	})
	require.Equal(t, [2]int{3, 6}, [2]int{left, all}, "values that change places go by a third place")
	left, _ = copiesLeft(t, func(g *Graph) []*Node {
		a, b := g.Input("a", tensor.Float64, 30, 30), g.Input("b", tensor.Float64, 30, 1)
		dot := func(x, y *Node) *Node { return Sum(Mul(x, y)) }
		return While([]*Node{g.Full(tensor.Float64, 0, 30, 1), Neg(b), Exp(b), dot(b, b)}, func(s []*Node) *Node { return Greater(s[3], ScalarLike(s[3], 1)) }, func(s []*Node) []*Node {
			ap := MatMul(a, s[2])
			alpha := Div(s[3], dot(s[2], ap))
			x, r := Add(s[0], Mul(alpha, s[2])), Sub(s[1], Mul(alpha, ap))
			next := dot(r, r)
			return []*Node{x, r, Add(r, Mul(Div(next, s[3]), s[2])), next}
		}, nil)[:1]
	})
	require.LessOrEqual(t, left, 1, "the vectors of conjugate gradients are computed in place")
}
