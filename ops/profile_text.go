package ops

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/anycl/anycl/engine"
)

// String is the profile as two tables, of tasks and of kernels.
func (p *Profile) String() string {
	var b strings.Builder
	busy := p.busy()
	fmt.Fprintf(&b, "%s: a run takes %s, of which %s is in %d launches (medians of %d runs); %s\n",
		p.Graph, duration(int64(p.Wall)), duration(int64(busy)), p.launches(), p.Runs, p.Runtime)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "task\textents\twhere\tlaunches\ttime\tpart\tpredicted\tGFLOPS\tGB/s\tof the peak\tkernel")
	for _, t := range p.Tasks {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", t.Name, extents(t.Axes), t.Where, t.Launches,
			duration(int64(t.Time)), percent(t.Time, busy), duration(int64(t.Predicted)), t.columns(), t.Variant)
	}
	fmt.Fprintln(w, "\nkernel\t\twhere\tlaunches\ttime\tpart\t\tGFLOPS\tGB/s\tof the peak\t")
	for _, k := range p.Kernels {
		fmt.Fprintf(w, "%s\t\t%s\t%d\t%s\t%s\t\t%s\t\n", k.Name, k.Where, k.Launches, duration(int64(k.Time)), percent(k.Time, busy), k.columns())
	}
	w.Flush()
	return b.String()
}

// busy is the time in all launches together.
func (p *Profile) busy() time.Duration {
	var d time.Duration
	for _, t := range p.Tasks {
		d += t.Time
	}
	return d
}

func (p *Profile) launches() int {
	n := 0
	for _, t := range p.Tasks {
		n += t.Launches
	}
	return n
}

func (r *Rate) columns() string {
	share := ""
	if r.Bound != "" {
		share = fmt.Sprintf("%.0f %% of %s", 100*r.Share, r.Bound)
	}
	return fmt.Sprintf("%.3g\t%.3g\t%s", r.GFLOPS, r.GBs, share)
}

func percent(d, all time.Duration) string {
	if all <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*float64(d)/float64(all))
}

// where tells how the times of an engine were taken, for the trace's tracks.
func (s *Span) where() string {
	if s.Track != hostTrack && s.Clock == engine.HostClock {
		return s.Track + " (host clock)"
	}
	return s.Track
}
