package place

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// beside lets the engines of g work at the same time, on processors that are enough.
func (g *graph) beside() *graph {
	g.Cores, g.Procs = func(int, int) float64 { return 0 }, 1
	return g
}

func TestBranchesOnTwoSidesTakeTheTimeOfTheLonger(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{100, 150}, {100, 150}, {10, 10}}, "gpu", "cpu")
	g.Values = []Value{{Maker: 0, Readers: []int{2}}, {Maker: 1, Readers: []int{2}}, {Maker: 2, Result: true}}
	p, err := Decide(g.Problem)
	require.NoError(t, err)
	require.EqualValues(t, 210, p.Total, "one after the other, all on one engine is best")
	require.Nil(t, p.Order)
	p, err = Decide(g.beside().Problem)
	require.NoError(t, err)
	require.EqualValues(t, 160, p.Total)
	require.EqualValues(t, 260, p.Serial)
	require.True(t, p.Split)
	require.NotEqual(t, p.Choices[0].Engine, p.Choices[1].Engine)
	require.Equal(t, 2, p.Order[2])
	g.Handover = 60
	p, err = Decide(g.Problem)
	require.NoError(t, err)
	require.Nil(t, p.Order, "telling the other engine costs more than it saves")
}

// A driver for CPUs and the CPU path have the same processors.
func TestSidesThatShareProcessorsAreNotTwoMachines(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{100, Never}, {Never, 100}}, "pocl", "cpu")
	g.Values = []Value{{Maker: 0, Result: true}, {Maker: 1, Result: true}}
	g.Procs = 2
	for _, c := range []struct {
		cores [2]float64
		want  time.Duration
	}{{[2]float64{2, 2}, 200}, {[2]float64{2, 1}, 150}, {[2]float64{1, 1}, 100}, {[2]float64{0, 2}, 100}} {
		g.Cores = func(engine, _ int) float64 { return c.cores[engine] }
		p, err := Decide(g.Problem)
		require.NoError(t, err)
		require.Equal(t, c.want, p.Total, "%v", c.cores)
		require.Equal(t, c.want < 200, p.Order != nil)
		require.EqualValues(t, 100*(c.cores[0]+c.cores[1])/2, g.decision(t).busiest())
	}
}

func TestALongWayBeginsFirst(t *testing.T) {
	t.Parallel()
	// The task before the device's comes last in the graph.
	g := newGraph([][]time.Duration{{Never, 50}, {Never, 10}, {45, Never}}, "gpu", "cpu")
	g.Values = []Value{{Maker: 1, Readers: []int{2}}, {Maker: 0, Result: true}, {Maker: 2, Result: true}}
	p, err := Decide(g.beside().Problem)
	require.NoError(t, err)
	require.Equal(t, 1, p.Order[0])
	require.EqualValues(t, 60, p.Total)
}

func TestAPlayIsNeverLongerThanItsSumAndItsOrderIsOne(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 500 {
		g := randomGraph(r, 1+r.IntN(12), 2+r.IntN(2), 1+r.IntN(60))
		for s := range g.wait {
			g.wait[s] = time.Duration(r.IntN(20))
		}
		g.Procs = 2
		cores := make([]float64, len(g.Engines))
		for s := range cores {
			cores[s] = float64(r.IntN(3))
		}
		g.Cores = func(engine, _ int) float64 { return cores[engine] }
		d := g.decision(t)
		assignment := make([]int, len(g.Tasks))
		for t := range assignment {
			for assignment[t] = r.IntN(len(g.Engines)); !g.Tasks[t].Able[assignment[t]]; assignment[t] = r.IntN(len(g.Engines)) {
			}
		}
		total, order := d.makespan(assignment)
		waits := time.Duration(0) // one for each move at most
		for s := range g.wait {
			waits += g.wait[s] * time.Duration(len(g.Values)*len(g.Engines))
		}
		require.LessOrEqual(t, total, d.cost(assignment)+waits, "graph %d", i)
		require.LessOrEqual(t, d.busiest(), total+1, "graph %d: no run is shorter than the work of the processors", i)
		sorted := slices.Clone(order)
		slices.Sort(sorted)
		for t2 := range sorted {
			require.Equal(t, t2, sorted[t2])
		}
		at := func(task int) int { return slices.Index(order, task) }
		for _, v := range g.Values {
			for _, reader := range v.Readers {
				if v.Maker >= 0 && v.Maker < reader {
					require.Less(t, at(v.Maker), at(reader), "graph %d", i)
				}
			}
		}
	}
}

func TestTheSearchComesNearTheBestOfAllAssignments(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	far, cut, cases := 0.0, 0.0, 0
	for i := range 200 {
		g := randomGraph(r, 2+r.IntN(8), 2+i%3/2, 1+r.IntN(60)).beside()
		p, err := Decide(g.Problem)
		require.NoError(t, err)
		for _, pure := range p.Pure {
			require.LessOrEqual(t, p.Total, pure.Total)
		}
		d := g.decision(t)
		if p.Order != nil {
			total, order := d.makespan(assignmentOf(p))
			require.Equal(t, total, p.Total)
			require.Equal(t, order, p.Order)
		}
		least := time.Duration(math.MaxInt64)
		g.each(func(assignment []int) {
			total, _ := d.makespan(assignment)
			least = min(least, total, d.cost(assignment))
		})
		if least > 0 {
			far += float64(p.Total) / float64(least)
			cut += float64(d.race().total) / float64(least)
			cases++
		}
	}
	t.Logf("%.3f times the best of all assignments in the mean, %.3f without overlap", far/float64(cases), cut/float64(cases))
	require.Less(t, far/float64(cases), 1.06, "the mean over the best of all assignments")
}
