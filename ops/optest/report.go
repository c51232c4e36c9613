package optest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/ops"
)

// Report counts the outcomes of the suite on one engine. It is safe for concurrent
// use.
type Report struct {
	engine string
	mu     sync.Mutex
	rows   map[string]*row
}

// row is one op. A cell is one sample in one dtype.
type row struct {
	passed, absent, failed, left, known int
	ulp                                 float64 // largest error, in units in the last place of the dtype
	share                               float64 // largest error as a share of its bound
}

func newReport(engine string) *Report {
	return &Report{engine: engine, rows: map[string]*row{}}
}

// enter counts the outcome of a sample of op.
func (r *Report) enter(op *ops.Op, o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.rows[op.Name]
	if w == nil {
		w = &row{}
		r.rows[op.Name] = w
	}
	switch o.State {
	case Passed:
		w.passed++
		w.ulp, w.share = max(w.ulp, o.Verdict.ULP), max(w.share, o.Verdict.Share)
	case Failed:
		w.failed++
	case Absent:
		w.absent++
	case Left:
		w.left++
	case Known:
		w.known++
	}
}

// String is a table: one line an op, and a line with the totals.
func (r *Report) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	var sum row
	fmt.Fprintf(&b, "%s\n%-16s %7s %7s %7s %8s  %9s  %s\n", r.engine, "op", "passed", "failed", "absent", "left out", "worst ulp",
		"of its bound")
	for _, name := range slices.Sorted(maps.Keys(r.rows)) {
		w := r.rows[name]
		fmt.Fprintf(&b, "%-16s %7d %7d %7d %8d  %9.3g  %11.0f%%\n", name, w.passed, w.failed, w.absent, w.left, w.ulp, 100*w.share)
		sum.passed, sum.failed = sum.passed+w.passed, sum.failed+w.failed
		sum.absent, sum.left = sum.absent+w.absent, sum.left+w.left
		sum.known += w.known
	}
	fmt.Fprintf(&b, "%-16s %7d %7d %7d %8d", fmt.Sprintf("%d ops", len(r.rows)), sum.passed, sum.failed, sum.absent, sum.left)
	if sum.known > 0 {
		fmt.Fprintf(&b, "\n%d more cells are known", sum.known)
	}
	return b.String()
}
