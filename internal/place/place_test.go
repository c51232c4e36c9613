package place

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// graph is a Problem whose times do not depend on each other.
type graph struct {
	times [][]time.Duration
	wait  []time.Duration
	rate  [][]time.Duration // of a byte, from and to; the host last
	Problem
}

func newGraph(times [][]time.Duration, engines ...string) *graph {
	g := &graph{times: times, wait: make([]time.Duration, len(engines))}
	g.Engines, g.Only = engines, -1
	for _, row := range times {
		t := Task{Only: -1}
		for _, d := range row {
			t.Able = append(t.Able, d != Never)
		}
		g.Tasks = append(g.Tasks, t)
	}
	g.rate = make([][]time.Duration, len(engines)+1)
	for i := range g.rate {
		g.rate[i] = make([]time.Duration, len(engines)+1)
	}
	g.Price = func(s int, tasks []int) (out []time.Duration, link Link) {
		for _, t := range tasks {
			out = append(out, g.times[t][s])
		}
		return out, Link{Wait: g.wait[s]}
	}
	g.Move = func(from, to int, _ []Link, x *Value) time.Duration {
		return g.rate[(from+len(g.rate))%len(g.rate)][(to+len(g.rate))%len(g.rate)] * time.Duration(x.Bytes)
	}
	g.Why = func(task, engine int) error { return fmt.Errorf("task %d cannot on %d", task, engine) }
	return g
}

// randomGraph is one in which every task reads some that come before.
func randomGraph(r *rand.Rand, tasks, engines, most int) *graph {
	rows := make([][]time.Duration, tasks)
	for t := range rows {
		rows[t] = make([]time.Duration, engines)
		for s := range engines {
			if rows[t][s] = time.Duration(r.IntN(most)); r.IntN(12) == 0 && s != t%engines {
				rows[t][s] = Never
			}
		}
	}
	g := newGraph(rows, []string{"a", "b", "c", "d"}[:engines]...)
	for i := range g.rate {
		for j := range g.rate {
			if i != j {
				g.rate[i][j] = time.Duration(r.IntN(4))
			}
		}
	}
	for t := range tasks {
		v := Value{Bytes: int64(r.IntN(most)), Maker: t, Result: t == tasks-1 || r.IntN(8) == 0}
		for o := t + 1; o < tasks; o++ {
			if o == t+1 && r.IntN(4) > 0 || r.IntN(tasks) == 0 {
				v.Readers = append(v.Readers, o)
			}
		}
		g.Values = append(g.Values, v)
	}
	for range 1 + tasks/4 {
		v := Value{Bytes: int64(r.IntN(most)), Maker: r.IntN(2*tasks) - tasks} // fed, or of the run before
		for t := range tasks {
			if r.IntN(tasks) < 2 {
				v.Readers = append(v.Readers, t)
			}
		}
		v.Maker = max(v.Maker, Host)
		g.Values = append(g.Values, v)
	}
	return g
}

// each calls f with every assignment that is allowed.
func (g *graph) each(f func(assignment []int)) {
	assignment := make([]int, len(g.Tasks))
	var next func(t int)
	next = func(t int) {
		if t == len(assignment) {
			f(assignment)
			return
		}
		for s := range g.Engines {
			if g.Tasks[t].Able[s] {
				assignment[t] = s
				next(t + 1)
			}
		}
	}
	next(0)
}

func (g *graph) decision(t testing.TB) *decision {
	d := &decision{Problem: &g.Problem, allowed: make([][]bool, len(g.Tasks))}
	for i := range g.Tasks {
		require.NoError(t, d.allow(i))
	}
	d.readers()
	d.priceAll()
	return d
}

func TestACutIsTheBestOfAllAssignments(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		g := randomGraph(r, 1+r.IntN(9), 2, 1+r.IntN(60))
		p, err := Decide(g.Problem)
		require.NoError(t, err)
		d := g.decision(t)
		least := time.Duration(math.MaxInt64)
		g.each(func(assignment []int) { least = min(least, d.cost(assignment)) })
		require.Equal(t, least, p.Total, "graph %d", i)
		require.Equal(t, p.Total, d.cost(assignmentOf(p)), "graph %d", i)
	}
}

func assignmentOf(p *Plan) (assignment []int) {
	for _, c := range p.Choices {
		assignment = append(assignment, c.Engine)
	}
	return assignment
}

// With waits a cut is no more than near the best, and with more than two engines too.
func TestNoPlacementIsWorseThanAllOnOneSide(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	best, cases := 0.0, 0
	for i := range 300 {
		g := randomGraph(r, 1+r.IntN(8), 2+i%3/2, 1+r.IntN(60))
		for s := range g.wait {
			g.wait[s] = time.Duration(r.IntN(50))
		}
		p, err := Decide(g.Problem)
		require.NoError(t, err)
		for _, pure := range p.Pure {
			require.LessOrEqual(t, p.Total, pure.Total, "graph %d", i)
		}
		d := g.decision(t)
		least := time.Duration(math.MaxInt64)
		g.each(func(assignment []int) { least = min(least, d.cost(assignment)) })
		require.LessOrEqual(t, least, p.Total)
		if least > 0 {
			best += float64(p.Total) / float64(least)
			cases++
		}
	}
	require.Less(t, best/float64(cases), 1.03, "the mean over the best of all assignments")
}

func TestTheFasterSideTakesTheGraph(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{10, 5}, {10, 50}}, "gpu", "cpu")
	g.Values = []Value{{Bytes: 1, Maker: Host, Readers: []int{0}}, {Bytes: 100, Maker: 0, Readers: []int{1}},
		{Bytes: 1, Maker: 1, Result: true}}
	g.rate[0][1], g.rate[1][0], g.rate[2][0] = 1, 1, 10
	p, err := Decide(g.Problem)
	require.NoError(t, err)
	require.Equal(t, []int{0, 0}, assignmentOf(p))
	require.False(t, p.Split)
	g.rate[2][0] = 200
	p, err = Decide(g.Problem)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, assignmentOf(p))
	require.Equal(t, "predicted fastest", p.Choices[0].Why)
}

func TestATaskThatOneSideCannotRunGoesToTheOther(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{10, 500}, {Never, 5}}, "gpu", "cpu")
	g.Values = []Value{{Bytes: 1, Maker: 0, Readers: []int{1}}}
	p, err := Decide(g.Problem)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, assignmentOf(p))
	require.Contains(t, p.Choices[1].Why, "gpu cannot: task 1 cannot on 0")
}

func TestADemandedSideIsNotReplaced(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{Never, 5}, {1, Never}}, "gpu", "cpu")
	g.Only = 0
	_, err := Decide(g.Problem)
	require.ErrorContains(t, err, "task 0 cannot on 0")
	g.Tasks[0].Only = 1 // its own demand is the nearer one
	p, err := Decide(g.Problem)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, assignmentOf(p))
	g.Tasks[1].Only = 1
	_, err = Decide(g.Problem)
	require.ErrorContains(t, err, "task 1 cannot on 1")
}

// Tasks that are cheap on the other engine stay where their values are.
func TestAChainThatIsCheaperWholeIsNotSplit(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{10, 90}, {20, 15}, {10, 90}}, "gpu", "cpu")
	g.Values = []Value{{Bytes: 4, Maker: 0, Readers: []int{1}}, {Bytes: 4, Maker: 1, Readers: []int{2}}}
	g.rate[0][1], g.rate[1][0] = 1, 1
	p, err := Decide(g.Problem)
	require.NoError(t, err)
	require.Equal(t, []int{0, 0, 0}, assignmentOf(p))
	g.times[1][0] = 24
	p, err = Decide(g.Problem)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 0}, assignmentOf(p))
	require.True(t, p.Split)
	g.wait[0] = 2 // a value that is read on the other engine must be waited for
	p, err = Decide(g.Problem)
	require.NoError(t, err)
	require.Equal(t, []int{0, 0, 0}, assignmentOf(p))
}

func TestAValueWithSeveralReadersIsMovedOnce(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{1, 110}, {50, 10}, {50, 10}, {50, 10}}, "gpu", "cpu")
	g.Values = []Value{{Bytes: 100, Maker: 0, Readers: []int{1, 2, 3}}}
	g.rate[0][1] = 1
	p, err := Decide(g.Problem)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 1, 1}, assignmentOf(p))
	require.EqualValues(t, 131, p.Total)
}

func TestASplitThatGainsLittleIsNotMade(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{100, 200}, {100, 95}}, "gpu", "cpu")
	for gain, want := range map[float64]bool{0: true, 0.02: true, 0.03: false} {
		g.Gain = gain
		p, err := Decide(g.Problem)
		require.NoError(t, err)
		require.Equal(t, want, p.Split)
	}
}

// An engine that gets little may do it in less time than if it got all.
func TestTheTimesOfASplitAreThoseOfWhatEachSideGets(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{40, Never}, {Never, 10}}, "gpu", "cpu")
	g.Values = []Value{{Bytes: 1, Maker: 0, Readers: []int{1}}}
	price := g.Price
	g.Price = func(s int, tasks []int) ([]time.Duration, Link) {
		times, link := price(s, tasks)
		if s == 0 && len(tasks) == 1 {
			return []time.Duration{3}, Link{}
		}
		return times, link
	}
	p, err := Decide(g.Problem)
	require.NoError(t, err)
	require.EqualValues(t, 13, p.Total)
}

func TestErrorsNameEveryTaskThatCanRunNowhere(t *testing.T) {
	t.Parallel()
	g := newGraph([][]time.Duration{{Never}, {1}, {Never}}, "cpu")
	_, err := Decide(g.Problem)
	var joined interface{ Unwrap() []error }
	require.True(t, errors.As(err, &joined))
	require.Len(t, joined.Unwrap(), 2)
	p, err := Decide(Problem{Engines: []string{"cpu"}, Only: -1, Price: g.Price, Move: g.Move})
	require.NoError(t, err)
	require.Empty(t, p.Choices)
}

func FuzzDecide(f *testing.F) {
	f.Add(uint64(1), uint8(6), uint8(2))
	f.Add(uint64(7), uint8(40), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, tasks, engines uint8) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := randomGraph(r, int(tasks), 1+int(engines)%4, 1<<(1+r.IntN(40)))
		p, err := Decide(g.Problem)
		require.NoError(t, err)
		d := g.decision(t)
		require.Equal(t, p.Total, d.cost(assignmentOf(p)))
		for _, pure := range p.Pure {
			require.LessOrEqual(t, p.Total, pure.Total)
		}
		for i, c := range p.Choices {
			require.True(t, g.Tasks[i].Able[c.Engine])
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	for _, shape := range []string{"net", "chain", "wide", "wide beside"} {
		b.Run(shape+"/10000", func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			shape, _, beside := strings.Cut(shape, " ")
			g := newLarge(r, shape, 10_000)
			if beside {
				g.beside()
			}
			b.ReportAllocs()
			for b.Loop() {
				p, err := Decide(g.Problem)
				require.NoError(b, err)
				require.True(b, p.Split)
			}
		})
	}
}

// newLarge is a graph of many tasks: a random one, a chain, or many tasks side by side that
// all read one value.
func newLarge(r *rand.Rand, shape string, n int) *graph {
	if shape == "net" {
		g := randomGraph(r, n/10, 2, 10_000) // its readers are drawn for every pair
		for len(g.Tasks) < n {
			more := randomGraph(r, n/10, 2, 10_000)
			base := len(g.Tasks)
			for _, v := range more.Values {
				if v.Maker >= 0 {
					v.Maker += base
				}
				for i := range v.Readers {
					v.Readers[i] += base
				}
				g.Values = append(g.Values, v)
			}
			g.Tasks, g.times = append(g.Tasks, more.Tasks...), append(g.times, more.times...)
		}
		g.wait[0] = 1000
		return g
	}
	rows := make([][]time.Duration, n)
	for t := range rows {
		rows[t] = []time.Duration{time.Duration(r.IntN(10_000)), time.Duration(r.IntN(10_000))}
	}
	g := newGraph(rows, "gpu", "cpu")
	g.rate[0][1], g.rate[1][0], g.wait[0] = 1, 1, 1000
	all := Value{Bytes: 1000, Maker: 0}
	for t := range n - 1 {
		if shape == "chain" {
			g.Values = append(g.Values, Value{Bytes: int64(r.IntN(3000)), Maker: t, Readers: []int{t + 1}})
		}
		all.Readers = append(all.Readers, t+1)
	}
	if shape == "wide" {
		g.Values = append(g.Values, all)
	}
	return g
}
