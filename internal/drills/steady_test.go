package drills

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

func init() { roles["steady"] = steadyRole }

const (
	steadyRuns   = "ANYCL_DRILL_RUNS"
	steadyWarmup = 200
)

// random is a tensor of numbers that no two shapes share.
func random(shape ...int) *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Float32, shape...))
	state := uint32(t.Len())
	for i := range t.Len() {
		state = state*1664525 + 1013904223
		t.SetFloat64(i, (float64(state>>8)/(1<<24)-0.5)*0.2)
	}
	return t
}

// training is a small network that learns.
func training() (*ops.Graph, ops.Target, ops.Feeds) {
	g := ops.NewGraph("training")
	var params []*ops.Node
	variable := func(shape ...int) *ops.Node {
		params = append(params, g.Variable(fmt.Sprint("w", len(params)), random(shape...)))
		return params[len(params)-1]
	}
	x, y := g.Input("x", tensor.Float32, 32, 30), g.Input("y", tensor.Int32, 32)
	h := ops.ReLU(ops.Add(ops.MatMul(x, variable(30, 32)), variable(32)))
	h = ops.ReLU(ops.Add(ops.MatMul(h, variable(32, 16)), variable(16)))
	loss := ops.CrossEntropy(ops.Add(ops.MatMul(h, variable(16, 2)), variable(2)), y)
	target := ops.Target{Outputs: []*ops.Node{loss}, Updates: optim.New(optim.Adam{}, params, optim.Options{}).Minimize(loss)}
	return g, target, ops.Feeds{x: random(32, 30), y: tensor.Must(tensor.New(tensor.Int32, 32))}
}

// served is a network that answers.
func served() (*ops.Graph, ops.Target, ops.Feeds) {
	g := ops.NewGraph("served")
	x := g.Input("x", tensor.Float32, 1, 784)
	h := ops.ReLU(ops.MatMul(x, g.Const(random(784, 512))))
	h = ops.ReLU(ops.MatMul(h, g.Const(random(512, 512))))
	return g, ops.Target{Outputs: []*ops.Node{ops.MatMul(h, g.Const(random(512, 10)))}}, ops.Feeds{x: random(1, 784)}
}

// steadyRole runs both, as often as is said, and prints the median of the runs after the first 200, what all but one in 10,000
// take at most, the longest, the longest of those during which the system took no processor away, and the longest of as many turns of
// loops on all processors that only look at the clock, for as long as a run takes: what the machine does to any program, as the host of a
// virtual one does without a trace. Runs and turns alternate, so that both meet the same.
func steadyRole() error {
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(os.Getenv(steadyRuns))
	if err != nil {
		return err
	}
	wait := waiting()
	for _, build := range []func() (*ops.Graph, ops.Target, ops.Feeds){training, served} {
		g, target, feeds := build()
		exe, err := g.Compile(ctx, rt, target)
		if err != nil {
			return err
		}
		times := make([]time.Duration, n)
		var turn, longestTurn, longestAlone time.Duration
		for i := range times {
			before, start := preempted(), time.Now()
			if _, err := exe.Run(ctx, feeds); err != nil {
				return err
			}
			times[i] = time.Since(start)
			if i >= steadyWarmup && preempted() == before {
				longestAlone = max(longestAlone, times[i])
			}
			switch {
			case i == steadyWarmup:
				turn = slices.Sorted(slices.Values(times[:i]))[i/2]
			case i > steadyWarmup:
				start := time.Now()
				wait(turn)
				longestTurn = max(longestTurn, time.Since(start))
			}
		}
		steady := times[steadyWarmup:]
		longest := slices.Max(steady)
		at := slices.Index(steady, longest)
		sorted := slices.Sorted(slices.Values(steady))
		late := sorted[len(sorted)-1-len(sorted)/10_000]
		fmt.Println("steady", exe.Report().Graph, sorted[len(sorted)/2].Nanoseconds(), late.Nanoseconds(), longest.Nanoseconds(), at+steadyWarmup,
			longestAlone.Nanoseconds(), longestTurn.Nanoseconds())
	}
	return rt.Close()
}

// waiting starts a thread for each processor but one. The function that it gives looks at the clock for d on all of them and the
// caller's: it ends when the last one does, as a run of which each computes a part.
func waiting() func(d time.Duration) {
	look := func(d time.Duration) {
		for start := time.Now(); time.Since(start) < d; {
		}
	}
	begin, done := make(chan time.Duration), make(chan struct{})
	others := runtime.GOMAXPROCS(0) - 1
	for range others {
		go func() {
			runtime.LockOSThread()
			for d := range begin {
				look(d)
				done <- struct{}{}
			}
		}()
	}
	return func(d time.Duration) {
		for range others {
			begin <- d
		}
		look(d)
		for range others {
			<-done
		}
	}
}

// steadyNoise is how many times as long as the longest turn of empty loops the runs may take that are bounded by it, where that is
// more than 20 medians: of two longest of 100,000 either may be the longer.
const steadyNoise = 2

// A service and a training run in three processes, the first of which finds all caches empty. Other load on the machine
// decides the longest time of a run, so that only the long drill, which is run on a quiet machine, asserts it.
func TestSteady(t *testing.T) {
	sound(t)
	dir := t.TempDir()
	var said []string
	for process := range often(1, 3) {
		out := child(t, "steady", platform.EnvCache+"="+dir+"/anycl", "POCL_CACHE_DIR="+dir, fmt.Sprintf("%s=%d", steadyRuns, often(2000, 100_000)))
		for line := range strings.Lines(out) {
			var name string
			var median, late, longest, alone, turn time.Duration
			var at int
			if n, _ := fmt.Sscanf(line, "steady %s %d %d %d %d %d %d", &name, &median, &late, &longest, &at, &alone, &turn); n != 7 {
				continue
			}
			said = append(said, fmt.Sprintf("process %d, %s: %v, p99.99 %v, longest %v (run %d), undisturbed %v, empty loops %v",
				process+1, name, median.Round(100*time.Nanosecond), late.Round(time.Microsecond), longest.Round(time.Microsecond), at,
				alone.Round(time.Microsecond), turn.Round(time.Microsecond)))
			require.Positive(t, median)
			if full() {
				bound := max(20*median, steadyNoise*turn)
				require.Less(t, late, bound, said)
				require.Less(t, alone, bound, said)
				require.Less(t, longest, 50*time.Millisecond, said)
			}
		}
	}
	require.Len(t, said, 2*often(1, 3))
	figure(t, "%s", strings.Join(said, "; "))
}
