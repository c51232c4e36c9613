package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/anycl/anycl/tools/cmd/bench/dropin"
	"github.com/anycl/anycl/tools/internal/bench"
)

// worst is the length of the list of rows that miss their goals.
const worst = 12

const head = `# Performance

<!-- Generated from bench/results by "go run ./tools/cmd/bench report": do not edit. -->

Every ratio was measured side by side in one run: the contenders take turns, with a pause before each turn, and
the ratio is the median over the turns. **1.5x means that anycl was 1.5 times as fast.** Results were compared
before any time counted; operands are random. The columns named *limit* are the most that the same device can do,
measured in the same turns: a copy of the row's bytes, reading them, exp of them, the row's operations as multiply-adds, its
kernels enqueued from C. "By events" is how long the device worked by its own clock. ± is half the distance between the
quartiles of the turns. A missed goal is bold, with the goal in brackets, and explained under the table.

To measure on another machine: ` + "`make bench-peers`" + `, then ` + "`go run ./tools/cmd/bench report`" + `.
`

// Write writes performance.md and its plots to the folder.
func Write(dir string, records []bench.Record, notes []Note, sweeps ...dropin.Sweep) error {
	all := machines(records)
	if len(all) == 0 {
		return fmt.Errorf("report: no record of ours among %d", len(records))
	}
	f, err := os.Create(filepath.Join(dir, "performance.md"))
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.WriteString(f, head); err != nil {
		return err
	}
	for _, m := range all {
		m.notes = notes
		if err := m.write(f, dir); err != nil {
			return err
		}
	}
	dropIn(f, sweeps)
	return f.Close()
}

func (m *machine) write(out io.Writer, dir string) error {
	fmt.Fprintf(out, "\n## %s\n\n", m.title)
	m.context(out)
	m.summary(out)
	plots, err := m.plot(dir)
	if err != nil {
		return err
	}
	for _, p := range plots {
		fmt.Fprintf(out, "\n![%s](%s)\n", p.about, p.file)
	}
	titles, rows := m.sections()
	for _, t := range titles {
		fmt.Fprintf(out, "\n### %s\n\n", t)
		if t == "Placement" {
			placement(out, rows[t])
		}
		table(out, rows[t])
		m.remarks(out, rows[t])
	}
	return nil
}

// context writes the newest record's context, with the values that differ among the records.
func (m *machine) context(out io.Writer) {
	first, last := m.records[0], m.records[0]
	commits := []string{}
	versions := map[string]string{}
	fewest, most := len(first.Turns), 0
	shortest, longest := first.Context.Method.Pause, first.Context.Method.Pause
	for _, r := range m.records {
		fewest, most = min(fewest, len(r.Turns)), max(most, len(r.Turns))
		shortest, longest = min(shortest, r.Context.Method.Pause), max(longest, r.Context.Method.Pause)
		if r.Context.Time.After(last.Context.Time) {
			last = r
		}
		if r.Context.Time.Before(first.Context.Time) {
			first = r
		}
		if !slices.Contains(commits, r.Context.Commit) {
			commits = append(commits, r.Context.Commit)
		}
		for name, v := range r.Versions {
			versions[name] = v
		}
	}
	c := last.Context
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(out, "| %s | %s |\n", name, value)
		}
	}
	fmt.Fprint(out, "| | |\n| --- | --- |\n")
	line("processor", fmt.Sprintf("%s, %d cores, %s", c.Processor(), c.Cores, c.Vector))
	line("device", c.Device)
	line("driver", strings.Trim(c.Platform+"; driver "+c.Driver, "; "))
	line("clock", c.Clock)
	system := c.OS + ", " + c.Go
	if c.Procs > 0 {
		system += fmt.Sprintf(", GOMAXPROCS %d", c.Procs)
	}
	line("system", system)
	line("commit", strings.Join(commits, ", "))
	line("when", span(first, last))
	turns := fmt.Sprint(fewest)
	if fewest < most {
		turns = fmt.Sprintf("%d to %d", fewest, most)
	}
	pause := fmt.Sprint(max(longest, 0)) // a negative one is none
	if shortest < longest {
		pause = fmt.Sprintf("%v (%v for older records, in which a peer's threads may still have held a core)", longest, shortest)
	}
	line("method", fmt.Sprintf("%s turns of at least %v, after a warm-up of %v and a pause of %s before each turn", turns, c.Method.Slice,
		c.Method.Warm, pause))
	names := others(m.records)
	for _, name := range names {
		if !strings.HasPrefix(name, "limit-") {
			line(name, versions[name])
		}
	}
}

func span(first, last *bench.Record) string {
	a, b := first.Context.Time.Format("2006-01-02"), last.Context.Time.Format("2006-01-02")
	if a == b {
		return a
	}
	return a + " to " + b
}

// summary counts the goals and lists the works that are furthest from them.
func (m *machine) summary(out io.Writer) {
	type miss struct {
		share float64
		line  string
	}
	var misses []miss
	met := 0
	for _, r := range m.records {
		share, ratio, goal, against, ok := r.Standing()
		if !ok {
			continue
		}
		if share >= 1 {
			met++
			continue
		}
		misses = append(misses, miss{share, fmt.Sprintf("| %s | %.2fx of %s | %.2gx |", r.Work, ratio.Median, against, goal.AtLeast)})
	}
	fmt.Fprintf(out, "\n%d of %d goals are met.", met, met+len(misses))
	if len(misses) == 0 {
		fmt.Fprintln(out)
		return
	}
	slices.SortStableFunc(misses, func(a, b miss) int {
		if a.share < b.share {
			return -1
		}
		return 1
	})
	fmt.Fprintf(out, " Furthest from theirs:\n\n| work | is | goal |\n| --- | --- | --- |\n")
	for _, x := range misses[:min(worst, len(misses))] {
		fmt.Fprintln(out, x.line)
	}
}

// placement sums a sweep up.
func placement(out io.Writer, records []*bench.Record) {
	var all []bench.Record
	for _, r := range records {
		all = append(all, *r)
	}
	fmt.Fprintf(out, "Graphs as they are placed beside all on one side; a ratio below 1 is regret.\n%s\n", bench.Regrets(all))
}

// table is one section: time, speed and the ratio to each of the others.
func table(out io.Writer, records []*bench.Record) {
	names := others(records)
	served := slices.ContainsFunc(records, func(r *bench.Record) bool { return r.Clients > 0 })
	columns := []string{"work", "time", "±", "by events", "speed"}
	if served {
		columns = []string{"work", "time a request", "±", "p50", "p95", "p99", "speed"}
	}
	columns = append(columns, names...)
	fmt.Fprintf(out, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, r := range records {
		cells := []string{r.Work, bench.Short(r.Median), fmt.Sprintf("%.0f %%", 50*r.Spread)}
		switch {
		case served:
			cells = append(cells, bench.Short(r.P50), bench.Short(r.P95), bench.Short(r.P99))
		case r.Device > 0:
			cells = append(cells, bench.Short(r.Device))
		default:
			cells = append(cells, "")
		}
		cells = append(cells, bench.Speed(r.Speed, r.Rate))
		for _, name := range names {
			cells = append(cells, ratio(r, name))
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
	for _, r := range records {
		if r.Steady != nil {
			fmt.Fprintf(out, "\n%s on end: %s a run in the steady state, beside %s at its best.\n", r.Work, bench.Short(r.Steady.Median),
				bench.Short(r.Min))
		}
	}
}

// ratio is a cell: bold when it is the one that a goal is missed by.
func ratio(r *bench.Record, name string) string {
	x, ok := r.Ratios[name]
	if !ok {
		return ""
	}
	for _, g := range r.Goals {
		if best, against, ok := r.Best(g); ok && against == name && best.Median < g.AtLeast {
			return fmt.Sprintf("**%.2fx** (%.2g)", x.Median, g.AtLeast)
		}
	}
	return fmt.Sprintf("%.2fx", x.Median)
}
