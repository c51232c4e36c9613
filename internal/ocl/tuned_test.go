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
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// tableWith is a tuning table that holds an entry for t.
func tableWith(d *facts.Device, t *engine.Task, variantName string, p kernels.Params) *tuning.Table {
	return tuning.Of(tuning.Entry{
		Family: t.Kind.String(), Task: variant.TaskClass(d, access.Collapse(t)), Variant: variantName, Params: p, Gain: 1.5, Default: "a rule",
	})
}

func TestTunedEntryIsTaken(t *testing.T) {
	t.Parallel()
	task := matmul(tensor.Float32, 1, 200, 300, 400, false, false)
	p, err := variant.MakePlan(cpuFacts(16), tableWith(cpuFacts(16), task, "panel", kernels.Params{"rows": 12, "vectors": 2, "splits": 2}), task, "")
	require.NoError(t, err)
	require.Equal(t, "panel", p.Variant)
	require.Equal(t, "tuned: 1.50 x the default (a rule)", p.Why)
	require.Contains(t, p.Params, "block 12x32")
	require.Contains(t, p.Params, "split k 2")
	// Sizes that round to the same powers of two share it, others do not.
	for m, want := range map[int]bool{190: true, 250: true, 120: false, 400: false} {
		other := matmul(tensor.Float32, 1, m, 300, 400, false, false)
		require.Equal(t, want, variant.TaskClass(cpuFacts(16), access.Collapse(other)) == variant.TaskClass(cpuFacts(16), access.Collapse(task)), "%d rows", m)
	}
}

func TestForcedVariantGoesByRule(t *testing.T) {
	t.Parallel()
	task := matmul(tensor.Float32, 1, 200, 300, 400, false, false)
	p, err := variant.MakePlan(cpuFacts(16), tableWith(cpuFacts(16), task, "tile", nil), task, "contract=panel")
	require.NoError(t, err)
	require.Equal(t, "panel", p.Variant)
	require.False(t, p.Tuned)
}

func TestTunedEntryThatDoesNotFitIsAsIfAbsent(t *testing.T) {
	t.Parallel()
	task := matmul(tensor.Float32, 1, 200, 300, 400, false, true)
	byRule, err := variant.MakePlan(cpuFacts(16), nil, task, "")
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
			p, err := variant.MakePlan(cpuFacts(16), tableWith(cpuFacts(16), task, e.variant, e.params), task, "")
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
	numbersOnly(t)
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 1000 {
		s := &kernels.Spaces()[r.IntN(len(kernels.Spaces()))]
		tasks := spaceTasks(s.Family)
		task := tasks[r.IntN(len(tasks))]
		facts := []*facts.Device{cpuFacts(16), cpuFacts(4), gpuFacts(256), gpuFacts(16)}[r.IntN(4)]
		p, err := variant.MakePlan(facts, tableWith(facts, task, s.Variant, anyParams(r, s)), task, "")
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

// spaceTasks are small tasks of a family on which points of its spaces are tried.
func spaceTasks(family string) []*engine.Task {
	switch family {
	case "attention":
		f32 := tensor.Float32
		return []*engine.Task{
			attending{dt: f32, b: 2, g: 2, m: 37, n: 150, d: 20, e: 33, low: -37, high: 100}.task(),
			attending{dt: tensor.Float16, b: 2, g: 1, m: 70, n: 90, d: 16, e: 16, mask: f32, maskAxes: []int{2, 3}}.task(),
			attending{dt: f32, b: 2, g: 2, m: 37, n: 70, d: 20, e: 8, pass: engine.AttentionGradQ}.task(),
		}
	case "contract":
		return []*engine.Task{
			matmul(tensor.Float32, 1, 67, 71, 530, false, false),
			matmul(tensor.Float32, 2, 40, 130, 65, true, true),
			matmul(tensor.Float16, 1, 5, 33, 300, false, true),
			biased(convolution(2, 1, 3, 9, 11, 33, 3, 1, 1)),
			fused(tensor.Int32),
		}
	}
	g := goldenTasks()
	tall := engine.Domain{3000, 7}
	sum := reduceTask(tall, 1, engine.Sum, engine.Load(0, tensor.Float32, denseAt(tall, 0, 1), nil), engine.Operand{DType: tensor.Float32, Len: tall.Size()})
	switch family {
	case "map":
		return []*engine.Task{g["map-bias"], g["map-pad"], g["map-gather"], g["map-inplace"], expOf(tensor.Float32, engine.Domain{5000}), g["map-transpose"]}
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
			plan, err := variant.MakePlan(facts, tableWith(facts, tasks[n], s.Variant, p), tasks[n], "")
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
	numbersOnly(t)
	t.Parallel()
	b := useBench(t)
	facts := facts.New(b.dev.Device(), b.dev.Caps())
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
				ins := randomInputs(task, 1)
				want, err := taskref.Eval(task, ins)
				require.NoError(t, err)
				r := b.prepare(t, task, p.plan, ins)
				r.run(t)
				requireClose(t, task.Outs[0].DType, 1000, want[0], r.read(t))
			})
		}
	}
}
