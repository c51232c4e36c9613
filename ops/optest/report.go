package optest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/ops"
)

// Report counts what the suite found on one engine. It is safe for concurrent
// use.
type Report struct {
	engine string
	mu     sync.Mutex
	rows   map[string]*row
}

// row is one op. A cell is one sample in one dtype.
type row struct {
	passed, absent, failed, left int
	ulp                          float64 // largest error, in units in the last place of the dtype
	share                        float64 // largest error as a share of its bound
}

func newReport(engine string) *Report {
	return &Report{engine: engine, rows: map[string]*row{}}
}

func (r *Report) update(op *ops.Op, f func(*row)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rows[op.Name] == nil {
		r.rows[op.Name] = &row{}
	}
	f(r.rows[op.Name])
}

func (r *Report) absent(op *ops.Op) { r.update(op, func(w *row) { w.absent++ }) }
func (r *Report) left(op *ops.Op)   { r.update(op, func(w *row) { w.left++ }) }
func (r *Report) failed(op *ops.Op) { r.update(op, func(w *row) { w.failed++ }) }
func (r *Report) passed(op *ops.Op, v Verdict) {
	r.update(op, func(w *row) {
		w.passed++
		w.ulp, w.share = max(w.ulp, v.ULP), max(w.share, v.Share)
	})
}

// String is a table: one line an op, and a line with the totals.
func (r *Report) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	var sum row
	fmt.Fprintf(&b, "%s\n%-16s %7s %7s %7s %8s  %9s  %s\n", r.engine, "op", "passed", "failed", "absent", "left out", "worst ulp", "of its bound")
	for _, name := range slices.Sorted(maps.Keys(r.rows)) {
		w := r.rows[name]
		fmt.Fprintf(&b, "%-16s %7d %7d %7d %8d  %9.3g  %11.0f%%\n", name, w.passed, w.failed, w.absent, w.left, w.ulp, 100*w.share)
		sum.passed, sum.failed = sum.passed+w.passed, sum.failed+w.failed
		sum.absent, sum.left = sum.absent+w.absent, sum.left+w.left
	}
	fmt.Fprintf(&b, "%-16s %7d %7d %7d %8d", fmt.Sprintf("%d ops", len(r.rows)), sum.passed, sum.failed, sum.absent, sum.left)
	return b.String()
}
