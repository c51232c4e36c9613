package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/units"
)

// String is the profile as two tables, of tasks and of kernels, of at most 140 columns.
func (p *Profile) String() string {
	var b strings.Builder
	busy, launches := time.Duration(0), 0
	for _, t := range p.Tasks {
		busy += t.Time
		launches += t.Launches
	}
	fmt.Fprintf(&b, "%s: a run takes %s, of which %s is in %d launches (medians of %s)\n",
		p.Graph, units.Duration(p.Wall), units.Duration(busy), launches, counted(p.Runs, "run"))
	b.WriteString(wrapped("runtime: " + p.Runtime))
	rates := []column{{"launches", true}, {"time", true}, {"share", true}, {"predicted", true}, {"GFLOPS", true}, {"GB/s", true},
		{"of the peak", true}}
	tasks := table{columns: append(append([]column{{title: "task"}, {title: "extents"}, {title: "where"}}, rates...), column{title: "kernel"})}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		cells := append([]string{t.Name, Extents(t.Axes), t.Where}, t.cells(busy)...)
		cells[6] = units.Duration(t.Predicted)
		tasks.row(append(cells, t.Variant)...)
	}
	kernels := table{columns: append([]column{{title: "kernel"}, {title: "where"}}, rates...)}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		kernels.row(append([]string{k.Name, k.Where}, k.cells(busy)...)...)
	}
	return b.String() + tasks.String() + "\n" + kernels.String()
}

// cells are the columns of rates in a table; a kernel has no prediction of its own.
func (r *Rate) cells(busy time.Duration) []string {
	share, peak := "", ""
	if busy > 0 {
		share = fmt.Sprintf("%.1f %%", 100*float64(r.Time)/float64(busy))
	}
	if r.Bound != "" {
		peak = fmt.Sprintf("%.0f %% of %s", 100*r.Share, r.Bound)
	}
	return []string{strconv.Itoa(r.Launches), units.Duration(r.Time), share, "", fmt.Sprintf("%.3g", r.GFLOPS), fmt.Sprintf("%.3g", r.GBs),
		peak}
}

// where tells how the times of an engine were taken, for the trace's tracks.
func (s *Span) where() string {
	if s.Track != Host && s.Clock == engine.HostClock {
		return s.Track + " (host clock)"
	}
	return s.Track
}
