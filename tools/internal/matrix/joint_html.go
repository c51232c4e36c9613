package matrix

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/units"
	"github.com/anycl/anycl/ops/optest"
)

//go:embed joint.html
var jointText string

var jointPage = template.Must(template.New("joint").Funcs(template.FuncMap{
	"ulps": ulps, "percent": percent, "took": took, "bytes": units.Bytes, "join": strings.Join,
	"tile": newTile, "shown": shown, "sum": func(a, b int) int { return a + b },
	"style": style,
	"grid":  func(j *Joint) *grid { return newGrid(j) },
	"needs": func(j *Joint, forced bool) *needsTable { return tableOfNeeds(j.Targets, forced) },
	"rate":  func(t *Target) string { return t.rate() },
	"env":   func(t *Target) string { return t.environment() },
	"alone": func(e *Engine, p Part) string { return e.alone(p) },
}).Parse(jointText))

// WriteHTML writes j as a page that needs nothing else.
func (j *Joint) WriteHTML(w io.Writer) error { return jointPage.Execute(w, j) }

// Verdict is the joint report in one sentence.
func (j *Joint) Verdict() string {
	var gates, good int
	var n, g, c Tally
	var bad, noted []string
	for _, t := range j.Targets {
		n.add(t.Total())
		g.add(t.GraphTotal())
		c.add(t.CheckTotal())
		if t.Gate {
			gates++
		}
		switch {
		case !t.Failed() && t.Gate:
			good++
		case t.Failed() && t.Gate:
			bad = append(bad, t.Name)
		case t.Failed():
			noted = append(noted, t.Name)
		}
	}
	text := fmt.Sprintf("%d of %s that must pass do: %s, %s and %s agree", good, shown(gates, "target", "targets"),
		shown(n.Passed, "sample", "samples"), shown(g.Passed, "random graph", "random graphs"), shown(c.Passed, "test", "tests"))
	if bad != nil {
		text += "; failing: " + strings.Join(bad, ", ")
	}
	if noted != nil {
		text += "; failing, for information: " + strings.Join(noted, ", ")
	}
	return text + "."
}

// Line is a target in a line.
func (t *Target) Line() string {
	state := "ok  "
	if t.Failed() {
		state = "FAIL"
	}
	return fmt.Sprintf("%s  %-22s %8s  %s", state, t.Name, took(t.Took), t.rate())
}

// rate is how much of the tried samples, graphs and tests passed, in words.
func (t *Target) rate() string {
	var parts []string
	for _, k := range []struct {
		n    Tally
		what string
	}{{t.Total(), "samples"}, {t.GraphTotal(), "graphs"}, {t.CheckTotal(), "tests"}} {
		if all := k.n.Passed + k.n.Failed; all > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s %s", thousands(k.n.Passed), thousands(all), k.what))
		}
	}
	for _, e := range t.Engines {
		if e.Err != "" {
			parts = append(parts, e.Name+": "+strings.SplitN(e.Err, "\n", 2)[0])
		}
	}
	if parts == nil {
		return "nothing was counted"
	}
	return strings.Join(parts, ", ")
}

// environment lists the environment variables of t, as one types them.
func (t *Target) environment() string {
	var set []string
	for k, v := range t.Env {
		if strings.Contains(v, " ") {
			v = `"` + v + `"`
		}
		set = append(set, k+"="+v)
	}
	slices.Sort(set)
	return strings.Join(set, " ")
}

// grid is every op on every engine of every target that has a matrix.
type grid struct {
	Columns []column
	Rows    []gridRow
}

type column struct {
	Target *Target
	Engine *Engine
	Name   string
}

type gridRow struct {
	Op     string
	State  optest.State
	Cells  []*gridCell // one a column
	DTypes []gridLine
}

// Whole reports whether the op passes in every type on every target that it ran on.
func (r gridRow) Whole() bool {
	return !slices.ContainsFunc(r.Cells, func(c *gridCell) bool { return c.row != nil && (c.row.Failed > 0 || c.row.Absent > 0) })
}

// gridCell is an op on a target; row is nil where it did not run.
type gridCell struct{ row *opRow }

// Tile is the square that stands for the cell: in how many types the op passes.
func (c *gridCell) Tile() tile {
	if c.row == nil {
		return tile{}
	}
	parts := c.row.ordered()
	if c.row.Gradient != nil {
		parts = append(parts, c.row.Gradient)
	}
	n := map[optest.State]int{}
	for _, p := range parts {
		n[p.State()]++
	}
	switch passed, all := n[optest.Passed], len(parts)-n[optest.Left]; {
	case n[optest.Failed] > 0:
		return tile{optest.Failed, fmt.Sprintf("✗ %d", n[optest.Failed])}
	case passed == 0 && n[optest.Absent] > 0:
		return tile{optest.Absent, "–"}
	case passed < all:
		return tile{optest.Passed, fmt.Sprintf("%d of %d", passed, all)}
	default:
		return tile{optest.Passed, fmt.Sprint(passed)}
	}
}

// gridLine is an op in one dtype, or its gradient, on all columns.
type gridLine struct {
	DType string
	Parts []*Part
}

func newGrid(j *Joint) *grid {
	g := &grid{}
	r := &Report{}
	for _, t := range j.Targets {
		for _, e := range t.Engines {
			if len(e.Parts) == 0 {
				continue
			}
			name := t.Name
			if len(t.Engines) > 1 {
				name += " " + e.Name
			}
			g.Columns = append(g.Columns, column{t, e, name})
			r.Engines = append(r.Engines, e)
		}
	}
	for _, op := range r.opNames() {
		row := gridRow{Op: op}
		var total Tally
		for _, c := range g.Columns {
			cell := c.Engine.row(op)
			if row.Cells = append(row.Cells, &gridCell{cell}); cell != nil {
				total.add(cell.Tally)
			}
		}
		row.State = total.State()
		for _, dt := range append(r.dtypes(), "gradient") {
			line := gridLine{DType: dt}
			some := false
			for _, cell := range row.Cells {
				var p *Part
				if cell.row != nil {
					if p = cell.row.Cells[dt]; dt == "gradient" {
						p = cell.row.Gradient
					}
				}
				line.Parts, some = append(line.Parts, p), some || p != nil
			}
			if some {
				row.DTypes = append(row.DTypes, line)
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
