package matrix

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteText writes r as a table for a terminal: an op a line, an engine a column, then the failures.
func (r *Report) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if r.Context.Incomplete {
		fmt.Fprintf(w, "INCOMPLETE: ended after %s; this is what was done until then\n\n", took(r.Context.Took))
	}
	if r.LoadErr != "" {
		fmt.Fprintf(w, "no OpenCL: %s\n", r.LoadErr)
	}
	if r.lacksDevices() {
		fmt.Fprintf(w, "no OpenCL device: the CPU path alone is checked\n\n")
	}
	fmt.Fprintln(t, "engine\tpassed\tfailed\tabsent\tgraphs\ttook\twhat it is")
	for _, e := range r.Engines {
		n, g := e.Total(), e.GraphTotal()
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d of %d\t%s\t%s\n", e.Name, n.Passed, n.Failed, n.Absent, g.Passed, g.Passed+g.Failed, took(e.Took),
			e.Title())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "absent: %s\n", strings.Join(r.Absent, ", "))
	for _, e := range r.Engines {
		if on := e.quirks(); on != "" {
			fmt.Fprintf(w, "quirks of %s: %s\n", e.Name, on)
		}
	}
	fmt.Fprintln(w)

	fmt.Fprint(t, "op")
	for _, e := range r.Engines {
		fmt.Fprintf(t, "\t%s", e.Name)
	}
	fmt.Fprintln(t)
	for i, names := 0, r.opNames(); i < len(names); i++ {
		fmt.Fprint(t, names[i])
		for _, e := range r.Engines {
			fmt.Fprintf(t, "\t%s", e.row(names[i]).text())
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, e := range r.Engines {
		e.writeFailures(w)
	}
	return nil
}

// lacksDevices reports whether a machine without devices is reported of.
func (r *Report) lacksDevices() bool {
	for _, e := range r.Engines {
		if e.Device != nil {
			return false
		}
	}
	return len(r.Context.Devices) == 0
}

// quirks are the names of the quirks that were in effect, and of those that were switched.
func (e *Engine) quirks() string {
	if e.Device == nil {
		return ""
	}
	var names []string
	for _, q := range e.Device.Quirks {
		name := q.Name
		if q.Forced {
			name += " (switched on)"
		}
		names = append(names, name)
	}
	for _, name := range e.Device.QuirksOff {
		names = append(names, name+" (switched off)")
	}
	return strings.Join(names, ", ")
}

// opNames are the ops of all engines.
func (r *Report) opNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, e := range r.Engines {
		for _, p := range e.Parts {
			if !seen[p.Op] {
				seen[p.Op], names = true, append(names, p.Op)
			}
		}
	}
	return names
}

// row is the op of that name; nil where e has none.
func (e *Engine) row(name string) *opRow {
	for _, r := range e.rows() {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// text is the summary of r in a line: the number of dtypes that pass, others by name, and the largest error.
func (r *opRow) text() string {
	if r == nil {
		return "-"
	}
	passed := 0
	var parts []string
	for _, p := range r.ordered() {
		switch s := p.State(); s {
		case "passed":
			passed++
		default:
			parts = append(parts, p.DType+" "+string(s))
		}
	}
	if r.Gradient != nil && r.Gradient.Failed > 0 {
		parts = append(parts, "gradient failed")
	}
	all := shown(passed, "dtype", "dtypes")
	if passed < len(r.Cells) {
		all = fmt.Sprintf("%d of %d dtypes", passed, len(r.Cells))
	}
	return strings.Join(append([]string{all, r.worst()}, parts...), "; ")
}

// worst is the largest error: in ulp, or of a sum as a share of the allowed error, as the error in
// ulp is unbounded where terms cancel.
func (p *Part) worst() string {
	if p.Gradient || strings.Contains(p.Bound, "Σ") {
		return percent(p.Share)
	}
	return ulps(p.ULP)
}

// worst is that of all parts of r but the gradient.
func (r *opRow) worst() string {
	for _, p := range r.Cells {
		if strings.Contains(p.Bound, "Σ") {
			return percent(r.Share) + " of what is allowed"
		}
	}
	return ulps(r.ULP) + " ulp"
}

func (e *Engine) writeFailures(w io.Writer) {
	if e.Err != "" {
		fmt.Fprintf(w, "\n%s: %s\n", e.Name, e.Err)
	}
	for _, note := range e.Notes {
		fmt.Fprintf(w, "\n%s: %s\n", e.Name, note)
	}
	for _, p := range e.Parts {
		if p.Failed == 0 {
			continue
		}
		what := p.Op + " in " + p.DType
		if p.Gradient {
			what = "gradient of " + p.Op
		}
		fmt.Fprintf(w, "\nFAILED %s: %s, %d of %d samples: %s\n  alone: %s\n", e.Name, what, p.Failed, p.Passed+p.Failed, p.Why, e.alone(p))
	}
	for _, g := range e.Graphs {
		if g.Failed > 0 {
			fmt.Fprintf(w, "\nFAILED %s: %d of %d %s: %s\n", e.Name, g.Failed, g.Passed+g.Failed, g.What, g.Why)
		}
	}
}

// alone is the command that checks p and nothing else.
func (e *Engine) alone(p Part) string {
	device := e.Name
	if e.Device == nil {
		device = "none"
	}
	return fmt.Sprintf("anycl matrix -full -device %s -op %s -dtype %s", device, p.Op, p.DType)
}

// ulps and percent write errors in as few digits as tell something.
func ulps(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.01:
		return "<0.01"
	case v < 10:
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
	case v < 1e5:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.0e", v)
}

func percent(share float64) string {
	if share > 0 && share < 0.01 {
		return "<1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
