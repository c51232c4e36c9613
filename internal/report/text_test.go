package report

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
)

// sample is a report of tasks on a device and one on the CPU.
func sample(tasks int) *Report {
	r := &Report{
		Graph: "sample", Runtime: "dev:0 a device: the best of 1 found", Predicted: 247_123, Error: 0.29, Placement: Adaptive,
		Pure:   map[string]time.Duration{"cpu": 1_413_000, "dev:0": 300_000},
		Memory: []Memory{{Where: "dev:0", Arena: 1 << 20, Values: 3 << 19, Live: 1 << 20, Variables: 512}},
	}
	for i := range tasks {
		r.Tasks = append(r.Tasks, Task{
			Name: "matmul+" + strings.Repeat("add+", 2*i) + "relu", Kind: "contract", Axes: []int{32, 256, 784}, Where: "dev:0", Why: "predicted fastest",
			Predicted: map[string]int64{"dev:0": 16_412, "cpu": 524_400},
			Plan:      engine.Plan{Variant: "panel block 8x32", Why: "a CPU driver: vectors over columns; CPU threads: inline 1 us (driver threads 2 us)"},
		})
	}
	last := &r.Tasks[tasks-1]
	last.Kind, last.Plan.Variant, last.Plan.Why = "row", "band", "a CPU driver: rows side by side; CPU threads: inline 1 us (driver threads 2 us)"
	r.Tasks = append(r.Tasks, Task{
		Name: "nms", Kind: "routine", Where: "cpu", Why: "dev:0 cannot: no doubles", Predicted: map[string]int64{"dev:0": -1, "cpu": 900},
		Plan: engine.Plan{Variant: "2 folds"},
	})
	return r
}

func TestAReportSaysOnceWhatIsCommon(t *testing.T) {
	require.Equal(t, `sample: 3 tasks on dev:0 (predicted fastest), 1 task on cpu (dev:0 cannot: no doubles)
runtime: dev:0 a device: the best of 1 found
predicted 247 us ± 29 % (50 % interval); all on cpu 1.41 ms; all on dev:0 300 us
CPU threads: inline 1 us (driver threads 2 us), on dev:0
task                         kind      extents     where  predicted  elsewhere     kernel
matmul+relu                  contract  32x256x784  dev:0    16.4 us  cpu 524 us    panel block 8x32
matmul+add+add+relu          contract  32x256x784  dev:0    16.4 us  cpu 524 us    panel block 8x32
matmul+add+add+add+add+relu  row       32x256x784  dev:0    16.4 us  cpu 524 us    band
nms                          routine   scalar      cpu       900 ns  dev:0 cannot  2 folds
kernels on dev:0, a CPU driver
  contract panel  vectors over columns
  row band        rows side by side
memory on dev:0: 1 MiB: arena 1 MiB (1.5 MiB without sharing), variables 512 B
`, sample(3).String())
}

func TestKernelsOfOneNameAreToldApartByTheirTasks(t *testing.T) {
	r := sample(4)
	r.Tasks[0].Plan.Why = "tuned: 1.25 x the default; CPU threads: inline 1 us (driver threads 2 us)"
	text := r.String()
	require.Contains(t, text, "contract panel of matmul+relu                      tuned: 1.25 x the default\n")
	require.Contains(t, text, "contract panel of matmul+add+add+relu and 1 other  a CPU driver: vectors over columns\n")
}

func TestTextFitsAWidthWhateverIsInIt(t *testing.T) {
	r := sample(40)
	long := strings.Repeat("very long words, ", 30)
	r.Runtime += long
	r.Refused = []Refusal{{Engine: "dev:0", Task: "six", Caller: strings.Repeat("/path", 60) + ".go:7", Why: long}}
	r.Tasks[3].Plan.Variant += long
	r.Tasks[4].Plan.Why = long
	r.Tasks[5].Where, r.Tasks[5].Predicted = "dev:1", map[string]int64{"dev:0": 1, "dev:1": 2, "dev:2": 3, "dev:3": 4, "cpu": 5}
	r.Tried = []Trial{{Where: long}}
	r.Regions = []Region{{Op: "while", Caller: long, In: -1, Last: 3, Iterations: 4}}
	r.Values = []Value{{Name: long, Moves: []Move{{From: "dev:0", To: "cpu"}}}}
	p := r.Measure([]time.Duration{1}, []*Recorder{NewRecorder(nil, len(r.Tasks))}, nil)
	p.Kernels = append(p.Kernels, KernelProfile{Name: long, Rate: Rate{Launches: 1e9, Time: 1e15, GFLOPS: 1e12, GBs: 1e12, Bound: "flops", Share: 100}})
	for line := range strings.Lines(r.String() + p.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
	}
	require.Contains(t, r.String(), "matmul+add+add+")
}

func TestALineIsBrokenAfterPunctuation(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("word ", 20))
	require.Equal(t, fmt.Sprintf("%s,\n  %s\n", words, words), wrapped(words+", "+words))
	require.Equal(t, "short\n", wrapped("short"))
	require.Equal(t, strings.Repeat("x", width)+"\n  "+strings.Repeat("x", 10)+"\n", wrapped(strings.Repeat("x", width+10)))
}
