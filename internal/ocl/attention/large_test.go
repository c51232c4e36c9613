package attention_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// runTask computes a task somewhere.
type runTask = func(t testing.TB, task *engine.Task, ins [][]byte) [][]byte

func onReference(t testing.TB, task *engine.Task, ins [][]byte) [][]byte {
	outs, err := taskref.Eval(task, ins)
	require.NoError(t, err)
	return outs
}

// large is what queries and keys are multiplied with: scores are its square.
func large(dt tensor.DType) float64 {
	if dt == tensor.Float64 {
		return 1e9
	}
	return 1e5
}

// largeScores are Q, K, V, the mask, and DO, of which each second key has the scores of the one before: it differs where queries are 0.
// Where all are positive, scores are not small beside their terms.
func largeScores(c sample.Attention, seed uint64, positive bool) (forward [][]byte, slope []byte) {
	r := rand.New(rand.NewPCG(seed, 7))
	task := c.Task()
	for _, in := range task.Ins {
		forward = append(forward, ocltest.RandomBytes(r, in.DType, in.Len))
	}
	set := func(of, at int, v float64) { ocltest.PutAt(c.DType, forward[of], int64(at), v, 0) }
	at := func(of, at int) float64 {
		v := ocltest.NumberAt(c.DType, forward[of], at)
		if positive {
			v = math.Abs(v)
		}
		return v
	}
	for i := range c.B * c.G * c.M * c.D {
		set(0, i, at(0, i)*large(c.DType))
		if i%c.D == c.D-1 {
			set(0, i, 0)
		}
	}
	before := c.D // from the key before
	if c.HeadsLast {
		before *= c.B
	}
	for i := range c.B * c.N * c.D {
		set(1, i, at(1, i)*large(c.DType))
		n := i / c.D % c.N
		if c.HeadsLast {
			n = i / c.D / c.B
		}
		if n%2 == 1 && i%c.D < c.D-1 {
			set(1, i, at(1, i-before))
		}
	}
	return forward, ocltest.RandomBytes(r, c.DType, int64(c.B*c.G*c.M*c.E))
}

// derivatives are O, dQ, dK and dV, of which run and grad compute the passes.
func derivatives(t testing.TB, c sample.Attention, run, grad runTask, forward [][]byte, slope []byte) [][]byte {
	c.Pass, c.WithTops = engine.AttentionForward, true
	outs := run(t, c.Task(), forward)
	acc := engine.AccType(c.DType)
	delta := ocltest.Filled(acc, int64(c.B*c.G*c.M), 0)
	for i := range c.B * c.G * c.M {
		var sum float64
		for e := range c.E {
			sum += ocltest.NumberAt(c.DType, slope, i*c.E+e) * ocltest.NumberAt(c.DType, outs[0], i*c.E+e)
		}
		ocltest.PutAt(acc, delta, int64(i), sum, 0)
	}
	ins := slices.Concat(forward, [][]byte{slope, outs[1], outs[2], delta})
	c.Pass = engine.AttentionGradQ
	dq := grad(t, c.Task(), ins)
	c.Pass = engine.AttentionGradKV
	return slices.Concat(outs[:1], dq, grad(t, c.Task(), ins))
}

// Scores of some 1e10 lie hundreds of powers of two apart where they differ in the last bit: a gradient has weights only where
// its scores are the largest that the forward pass found. Keys come in pairs of equal scores, which share a row: one number has
// no room for both a large score and a sum of weights. Passes also run in every pair of variants, and of a variant and the CPU
// path, whose sums have other orders: these have the same largest score but for its rounding.
func TestGradientsOfLargeScoresKeepTheirWeights(t *testing.T) {
	ocltest.NumbersOnly(t)
	f32 := tensor.Float32
	for i, c := range []sample.Attention{
		{DType: f32, B: 1, G: 1, M: 9, N: 7, D: 9, E: 9},
		{DType: f32, B: 2, G: 2, M: 33, N: 40, D: 20, E: 24, Low: -33, High: 20},
		{DType: f32, B: 2, G: 1, M: 40, N: 70, D: 128, E: 65, Mask: tensor.Bool, MaskAxes: []int{0, 2}},
		{DType: f32, B: 1, G: 3, M: 5, N: 33, D: 70, E: 131, HeadsLast: true},
		{DType: tensor.Float64, B: 1, G: 1, M: 19, N: 22, D: 70, E: 8},
	} {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			runs := map[string]runTask{"reference": onReference, "cpu path": ocltest.OnCPUPath}
			for _, force := range []string{"lane", "tile", "block"} {
				if force != "block" || c.Blocked() {
					runs[force] = func(t testing.TB, task *engine.Task, ins [][]byte) [][]byte {
						outs, _ := ocltest.Execute(t, device(t, "attention="+force, nil), task, ins, 0)
						return outs
					}
				}
			}
			scale := []float64{1, large(c.DType), large(c.DType), 1}
			for _, mixed := range []bool{false, true} {
				forward, slope := largeScores(c, uint64(i), mixed)
				want := derivatives(t, c, onReference, onReference, forward, slope)
				for first, run := range runs {
					for second, grad := range runs {
						if !mixed && first != second {
							continue
						}
						for j, got := range derivatives(t, c, run, grad, forward, slope) {
							plan := engine.Plan{Variant: fmt.Sprintf("output %d, forward %s, backward %s", j, first, second)}
							ocltest.RequireSame(t, c.DType, want[j], got, 1e-5, scale[j], plan)
						}
					}
				}
			}
		})
	}
}
