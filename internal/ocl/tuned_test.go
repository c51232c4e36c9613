package ocl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func TestGradientsOfKeysAndValuesAreRightForOtherTiles(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	c := sample.Attention{DType: tensor.Float32, B: 2, G: 2, M: 37, N: 70, D: 20, E: 9, Low: -37, High: 30, Pass: engine.AttentionGradKV}
	for _, p := range []kernels.Params{{"vectors": 1, "rows": 12, "block": 16}, {"vectors": 4, "rows": 2, "block": 128}} {
		e := device(t, "", nil)
		e.tuned = variant.NewTable(ocltest.Table(e.facts, c.Task(), "lane", p))
		plan, err := variant.MakePlan(e.facts, e.tuned.Load(), c.Task(), "")
		require.NoError(t, err)
		require.True(t, plan.Tuned)
		ocltest.Verify(t, e, c.Task(), c.Inputs(t, 5), 2e-5, 4)
	}
}

func TestTunedEntryIsTaken(t *testing.T) {
	t.Parallel()
	task := sample.Matmul(tensor.Float32, 1, 200, 300, 400, false, false)
	p, err := variant.MakePlan(ocltest.CPU(16), ocltest.Table(ocltest.CPU(16), task, "panel",
		kernels.Params{"rows": 12, "vectors": 2, "splits": 2}), task, "")
	require.NoError(t, err)
	require.Equal(t, "panel", p.Variant)
	require.Equal(t, "tuned: 1.50 x the default (a rule)", p.Why)
	require.Contains(t, p.Params, "block 12x32")
	require.Contains(t, p.Params, "split k 2")
	// Sizes that round to the same powers of two share it, others do not.
	for m, want := range map[int]bool{190: true, 250: true, 120: false, 400: false} {
		other := sample.Matmul(tensor.Float32, 1, m, 300, 400, false, false)
		require.Equal(t, want, variant.TaskClass(ocltest.CPU(16), access.Collapse(other)) == variant.TaskClass(ocltest.CPU(16),
			access.Collapse(task)), "%d rows", m)
	}
}

func TestForcedVariantGoesByRule(t *testing.T) {
	t.Parallel()
	task := sample.Matmul(tensor.Float32, 1, 200, 300, 400, false, false)
	p, err := variant.MakePlan(ocltest.CPU(16), ocltest.Table(ocltest.CPU(16), task, "tile", nil), task, "contract=panel")
	require.NoError(t, err)
	require.Equal(t, "panel", p.Variant)
	require.False(t, p.Tuned)
}

func TestTunedEntryThatDoesNotFitIsAsIfAbsent(t *testing.T) {
	t.Parallel()
	task := sample.Matmul(tensor.Float32, 1, 200, 300, 400, false, true)
	byRule, err := variant.MakePlan(ocltest.CPU(16), nil, task, "")
	require.NoError(t, err)
	for name, e := range map[string]struct {
		variant string
		params  kernels.Params
	}{
		"no such variant":     {"warp", nil},
		"no such parameter":   {"panel", kernels.Params{"cows": 4}},
		"no such value":       {"panel", kernels.Params{"rows": 9}},
		"negative":            {"panel", kernels.Params{"rows": -4}},
		"too many registers":  {"panel", kernels.Params{"rows": 14, "vectors": 8}},
		"too many sums":       {"dot", kernels.Params{"rows": 8, "cols": 8, "unroll": 8}},
		"columns lie apart":   {"panel", kernels.Params{"pack_b": 0}},
		"swap is a flag":      {"panel", kernels.Params{"swap": 2}},
		"larger than a group": {"tile", kernels.Params{"x": 32, "y": 32}},
		"more than local":     {"tile", kernels.Params{"m": 256, "n": 256, "k": 64, "x": 16, "y": 16}},
		"parameters of none":  {"item", kernels.Params{"rows": 4}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := variant.MakePlan(ocltest.CPU(16), ocltest.Table(ocltest.CPU(16), task, e.variant, e.params), task, "")
			require.NoError(t, err)
			require.Equal(t, byRule.Describe(), p.Describe())
		})
	}
}

// anyParams are values for every parameter of a space, many of them wrong.
func anyParams(r *rand.Rand, s *kernels.Space) kernels.Params {
	p := kernels.Params{}
	for _, q := range s.Params {
		switch r.IntN(4) {
		case 0:
			p[q.Name] = r.Int64N(70) - 3
		case 1, 2:
			p[q.Name] = q.Values[r.IntN(len(q.Values))]
		}
	}
	return p
}

func TestAnyTableGivesAPlan(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 1000 {
		s := &kernels.Spaces()[r.IntN(len(kernels.Spaces()))]
		tasks := spaceTasks(s.Family)
		task := tasks[r.IntN(len(tasks))]
		facts := []*facts.Device{ocltest.CPU(16), ocltest.CPU(4), ocltest.GPU(256), ocltest.GPU(16)}[r.IntN(4)]
		p, err := variant.MakePlan(facts, ocltest.Table(facts, task, s.Variant, anyParams(r, s)), task, "")
		require.NoError(t, err)
		for _, l := range p.Launches {
			items := 1
			for i, n := range l.Local {
				if n > 0 {
					items *= n
					require.Zero(t, l.Global[i]%n)
				}
			}
			require.LessOrEqual(t, items, max(facts.WorkGroup, 1))
		}
		if p.Tuned {
			taken++
		}
	}
	require.Greater(t, taken, 60, "most tables must not be refused")
}

// spaceGradient is one of spaceTasks.
var spaceGradient = sample.Attention{DType: tensor.Float32, B: 2, G: 2, M: 37, N: 70, D: 20, E: 8, Pass: engine.AttentionGradQ}

// spaceInputs are random, but those of a gradient of attention that its forward pass leaves.
func spaceInputs(t *testing.T, task *engine.Task) [][]byte {
	if a := task.Attention; a != nil && a.Pass == spaceGradient.Pass {
		return spaceGradient.Inputs(t, 1)
	}
	return ocltest.RandomInputs(task, 1)
}

// spaceTasks are small tasks of a family on which points of its spaces are tried.
func spaceTasks(family string) []*engine.Task {
	switch family {
	case "attention":
		f32 := tensor.Float32
		return []*engine.Task{
			sample.Attention{DType: f32, B: 2, G: 2, M: 37, N: 150, D: 20, E: 33, Low: -37, High: 100}.Task(),
			sample.Attention{DType: tensor.Float16, B: 2, G: 1, M: 70, N: 90, D: 16, E: 16, Mask: f32, MaskAxes: []int{2, 3}}.Task(),
			spaceGradient.Task(),
		}
	case "contract":
		return []*engine.Task{
			sample.Matmul(tensor.Float32, 1, 67, 71, 530, false, false),
			sample.Matmul(tensor.Float32, 2, 40, 130, 65, true, true),
			sample.Matmul(tensor.Float16, 1, 5, 33, 300, false, true),
			sample.Biased(sample.Convolution(2, 1, 3, 9, 11, 33, 3, 1, 1)),
			sample.Fused(tensor.Int32),
		}
	}
	g := goldenTasks()
	tall := engine.Domain{3000, 7}
	sum := sample.Reduce(tall, 1, engine.Sum, engine.Load(0, tensor.Float32, sample.DenseAt(tall, 0, 1), nil),
		engine.Operand{DType: tensor.Float32, Len: tall.Size()})
	switch family {
	case "map":
		return []*engine.Task{g["map-bias"], g["map-pad"], g["map-gather"], g["map-inplace"], sample.ExpOf(tensor.Float32, engine.Domain{5000}),
			g["map-transpose"]}
	case "reduce":
		return []*engine.Task{g["reduce-mean"], g["reduce-argmax"], sum}
	}
	panic("no tasks for " + family)
}

// point is a task and how a table would have it run.
type point struct {
	task int // of spaceTasks
	plan *variant.Plan
}

// covering are points of s that have every task, and every parameter at its
// least, at its most and between: each is the one of a few at random that brings
// most that is new, until none does.
func covering(t *testing.T, facts *facts.Device, s *kernels.Space, tasks []*engine.Task) []point {
	t.Helper()
	const draws, misses = 100, 2
	r := rand.New(rand.NewPCG(7, uint64(len(s.Variant))))
	seen := map[string]bool{}
	var points []point
	for missed := 0; missed < misses; missed++ {
		var best point
		var brings []string
		for range draws {
			p, n := kernels.Params{}, r.IntN(len(tasks))
			fresh := []string{fmt.Sprint("task ", n)}
			for _, q := range s.Params {
				at := r.IntN(len(q.Values))
				p[q.Name] = q.Values[at]
				fresh = append(fresh, fmt.Sprint(q.Name, at == 0, at == len(q.Values)-1))
			}
			fresh = slices.DeleteFunc(fresh, func(what string) bool { return seen[what] })
			if len(fresh) <= len(brings) {
				continue
			}
			plan, err := variant.MakePlan(facts, ocltest.Table(facts, tasks[n], s.Variant, p), tasks[n], "")
			require.NoError(t, err)
			if plan.Tuned {
				best, brings = point{n, plan}, fresh
			}
		}
		if len(brings) == 0 {
			continue
		}
		missed = 0
		points = append(points, best)
		for _, what := range brings {
			seen[what] = true
		}
	}
	return points
}

// Whatever a table may choose computes the right thing.
func TestEverySpaceIsRightFromEndToEnd(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	b := ocltest.OpenBench(t)
	facts := facts.New(b.Dev.Device(), b.Dev.Caps())
	for i := range kernels.Spaces() {
		s := &kernels.Spaces()[i]
		tasks := spaceTasks(s.Family)
		points := covering(t, facts, s, tasks)
		if testing.Short() {
			points = points[:min(len(points), 3)]
		}
		for _, p := range points {
			t.Run(fmt.Sprintf("%s/%s/%d/%v", s.Family, s.Variant, p.task, p.plan.Values), func(t *testing.T) {
				t.Parallel()
				task := tasks[p.task]
				ins := spaceInputs(t, task)
				want, err := taskref.Eval(task, ins)
				require.NoError(t, err)
				r := b.Prepare(t, task, p.plan, ins)
				r.Run(t)
				ocltest.RequireClose(t, task.Outs[0].DType, 1000, want[0], r.Read(t))
			})
		}
	}
}
