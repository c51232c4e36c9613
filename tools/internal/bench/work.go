package bench

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/anycl/anycl/ops"
)

// Work is one row: a program, its least cost, and its goals.
type Work struct {
	Name    string // "sgemm/1024": the part before the first slash groups rows in tables
	About   string
	Section string // of the tables
	Program *Program
	// Process, when not nil, is run instead of a program.
	Process *Process
	// Composed, when not nil, is the step "call" of the program as a composition of other ops than the one
	// that the work is about, or the part of it that the rest should not take much longer than.
	Composed func(x []*ops.Node) *ops.Node
	Flops    float64 // floating-point operations of one run
	Bytes    float64 // the fewest bytes that a run must move
	Reads    bool    // nearly all of them are read
	// Rate is the unit of the row's speed.
	Rate Rate
	// Tolerance is how far results may differ, relative to the largest of them;
	// 0 means 1e-4.
	Tolerance float64
	// Goals are the row's goals, each judged on its own.
	Goals []Goal
	// Clients, when not 0, ask at the same time, each as soon as it has its answer.
	Clients int
	// Slow works take long in one run or another; a short look leaves them out.
	Slow bool
}

// Rate is a unit of speed.
type Rate string

// Units of speed.
const (
	GFLOPS  Rate = "GFLOPS"
	GBps    Rate = "GB/s"
	PerSec  Rate = "/s" // runs a second
	Seconds Rate = "s"
)

// Of is the speed of a run that took so many seconds.
func (w *Work) Of(seconds float64) float64 {
	switch w.Rate {
	case GFLOPS:
		return w.Flops / seconds / 1e9
	case GBps:
		return w.Bytes / seconds / 1e9
	case PerSec:
		return 1 / seconds
	}
	return seconds
}

// Goal asks that the ratio to the best of some contenders is at least AtLeast.
type Goal struct {
	Against []string `json:"against"`
	AtLeast float64  `json:"at_least"`
}

func atLeast(ratio float64, against ...string) Goal { return Goal{against, ratio} }

// Names of contenders that works have goals against.
const (
	OpenBLAS    = "openblas"
	ONNXRuntime = "onnxruntime"
	CLBlast     = "clblast"
	PyTorch     = "pytorch"
	LimitCopy   = "limit-copy" // moves Work.Bytes, half read and half written
	LimitRead   = "limit-read" // reads Work.Bytes
	LimitExp    = "limit-exp"  // moves Work.Bytes through exp
	LimitFMA    = "limit-fma"  // does Work.Flops as multiply-adds
	LimitLoop   = "limit-loop" // enqueues the same kernels from C

	LimitHalfSecond = "limit-500ms"
	LimitMemcpy     = "limit-memcpy"  // the host's copy
	NameFloat32     = "anycl-float32" // ours with operands of 8 and 16 bits widened
)

// Works are all rows, in the order of the tables.
func Works() []*Work {
	var all []*Work
	for _, s := range []struct {
		title string
		works []*Work
	}{
		{"Matrix products", gemmWorks()},
		{"Convolutions", convWorks()},
		{"Pooling", poolWorks()},
		{"Element by element", mapWorks()},
		{"Reductions", reduceWorks()},
		{"Sorts and running sums", rankWorks()},
		{"Attention", attentionWorks()},
		{"Moving elements", moveWorks()},
		{"Ops by name", namedWorks()},
		{"Science", scienceWorks()},
		{"Networks", modelWorks()},
		{"Served networks", servedWorks()},
		{"Cost of a run and of a start", slices.Concat(loopWorks(), startWorks())},
	} {
		for _, w := range s.works {
			w.Section = s.title
		}
		all = append(all, s.works...)
	}
	return all
}

// Select returns the works whose names match the expression, all when it is empty.
func Select(works []*Work, expr string) ([]*Work, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("bench: filter: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(works), func(w *Work) bool { return !re.MatchString(w.Name) }), nil
}

// Quick leaves out slow works.
func Quick(works []*Work) []*Work {
	return slices.DeleteFunc(slices.Clone(works), func(w *Work) bool { return w.Slow })
}
