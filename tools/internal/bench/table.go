package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Line is a record of ours as one line of text: speed, and how many times as fast
// as each of the others it was; a goal that was missed is marked.
func (r *Record) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-34s %10s ±%2.0f%% %12s", r.Work, Short(r.Median), r.Spread*50, Speed(r.Speed, r.Rate))
	if r.Predicted > 0 {
		fmt.Fprintf(&b, "  predicted %s", Short(r.Predicted))
	}
	if r.Clients > 0 {
		fmt.Fprintf(&b, "  p50 %s p95 %s p99 %s", Short(r.P50), Short(r.P95), Short(r.P99))
	}
	if r.Steady != nil {
		fmt.Fprintf(&b, "  steady %s", Short(r.Steady.Median))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Ratios)) {
		fmt.Fprintf(&b, "  %s %.2fx", name, r.Ratios[name].Median)
	}
	for _, g := range r.Goals {
		if ratio, against, ok := r.Best(g); ok && ratio.Median < g.AtLeast {
			fmt.Fprintf(&b, "  BELOW %.2gx of %s", g.AtLeast, against)
		}
	}
	return b.String()
}

// Explainer is a Job that can tell how it runs.
type Explainer interface{ Explain() string }

// Short is a time as people read it.
func Short(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= 100*time.Millisecond:
		d = d.Round(time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(10 * time.Microsecond)
	default:
		d = d.Round(100 * time.Nanosecond)
	}
	return d.String()
}

// Speed is a speed with its unit.
func Speed(v float64, unit Rate) string {
	switch {
	case unit == Seconds:
		return Short(v)
	case v >= 100:
		return fmt.Sprintf("%.0f %s", v, unit)
	case v >= 1:
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	return fmt.Sprintf("%.3f %s", v, unit)
}

// Compare prints for every work and contender that both a and b have how many times as fast b is,
// and counts the works that became faster and slower beyond the noise.
func Compare(out io.Writer, a, b []Record) error {
	type key struct{ work, contender string }
	before := map[key]*Record{}
	for i := range a {
		before[key{a[i].Work, a[i].Contender}] = &a[i]
	}
	faster, slower, same := 0, 0, 0
	fmt.Fprintf(out, "%-34s %-14s %12s %12s  %s\n", "work", "contender", "A", "B", "B is so many times as fast")
	for i := range b {
		y := &b[i]
		x := before[key{y.Work, y.Contender}]
		if x == nil {
			continue
		}
		r := unpaired(y.Turns, x.Turns)
		mark := "same within noise"
		switch {
		case !r.Differs():
			same++
		case r.Median > 1:
			faster++
			mark = "faster"
		default:
			slower++
			mark = "SLOWER"
		}
		fmt.Fprintf(out, "%-34s %-14s %12s %12s  %.2fx [%.2f %.2f] %s\n", y.Work, y.Contender, Short(x.Median), Short(y.Median), r.Median, r.Lo,
			r.Hi, mark)
	}
	if faster+slower+same == 0 {
		return fmt.Errorf("bench: the two files have no measurement in common")
	}
	_, err := fmt.Fprintf(out, "\n%d faster, %d slower, %d the same within noise\n", faster, slower, same)
	return err
}
