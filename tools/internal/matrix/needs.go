package matrix

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/units"
	"github.com/anycl/anycl/ops/optest"
)

// Needs are the resources of a device that the programs of one kernel need, as a compiler tells.
type Needs struct {
	Family    string `json:"family"`
	Kernel    string `json:"kernel"`
	Forced    bool   `json:"forced,omitempty"` // no rule chooses it for the device
	Programs  int    `json:"programs"`
	Refused   int    `json:"refused,omitempty"`
	Ended     int    `json:"ended,omitempty"`    // programs at which the compiler ends its process, with a reason
	Registers [2]int `json:"registers"`          // of a work-item: fewest and most; 0: not told
	Local     int64  `json:"local"`              // bytes of a work-group, at most
	Spilling  int    `json:"spilling,omitempty"` // programs
	Excused   int    `json:"excused,omitempty"`  // of these, with a reason
	Spill     int    `json:"spill,omitempty"`    // at most
}

// with are the needs of both.
func (n *Needs) with(o *Needs) *Needs {
	if n == nil {
		return o
	}
	if o == nil {
		return n
	}
	sum := *n
	sum.Programs, sum.Refused, sum.Ended = n.Programs+o.Programs, n.Refused+o.Refused, n.Ended+o.Ended
	sum.Spilling, sum.Excused = n.Spilling+o.Spilling, n.Excused+o.Excused
	sum.Local, sum.Spill = max(n.Local, o.Local), max(n.Spill, o.Spill)
	if sum.Registers[1] = max(n.Registers[1], o.Registers[1]); n.Registers[0] == 0 || o.Registers[0] > 0 {
		sum.Registers[0] = min(o.Registers[0], cmp.Or(n.Registers[0], o.Registers[0]))
	}
	return &sum
}

// Tile is the square that stands for n in a table.
func (n *Needs) Tile() tile {
	switch {
	case n == nil:
		return tile{}
	case n.Refused > 0:
		return tile{optest.Failed, fmt.Sprintf("✗ %d", n.Refused)}
	case n.Spilling > n.Excused && !n.Forced:
		return tile{optest.Failed, fmt.Sprintf("spills %d", n.Spill)}
	case n.Spilling > 0 && !n.Forced, n.Ended > 0:
		return tile{optest.Absent, n.registers() + "*"}
	}
	return tile{optest.Passed, n.registers()}
}

func (n *Needs) registers() string {
	if n.Registers[1] == 0 {
		return "ok"
	}
	return fmt.Sprint(n.Registers[1])
}

// Text is n in a line.
func (n *Needs) Text() string {
	if n == nil {
		return ""
	}
	s := "compiles"
	if n.Registers[1] > 0 {
		s = fmt.Sprintf("%d to %d", n.Registers[0], n.Registers[1])
	}
	if n.Refused > 0 {
		s = fmt.Sprintf("%d of %d refused", n.Refused, n.Programs)
	}
	if n.Ended > 0 {
		s += fmt.Sprintf(", at %d of %d the compiler ends", n.Ended, n.Programs)
	}
	if n.Local > 0 {
		s += ", " + units.Bytes(n.Local)
	}
	if n.Spilling > 0 {
		s += fmt.Sprintf("; %d of %d spill up to %d", n.Spilling, n.Programs, n.Spill)
	}
	return s
}

// needsTable has the needs of every family of kernels on every target that is compiled for.
type needsTable struct {
	Targets []*Target
	Rows    []needsRow
}

// needsRow is a family, or a kernel of it.
type needsRow struct {
	Name    string
	Cells   []*Needs // one a target, nil where there is none
	Kernels []needsRow
}

// tableOfNeeds is the table of programs that rules choose; with forced, of those that they do not.
func tableOfNeeds(targets []*Target, forced bool) *needsTable {
	tab := &needsTable{}
	for _, t := range targets {
		column := len(tab.Targets)
		for _, s := range t.Steps {
			for _, c := range s.Checks {
				if c.Needs == nil || c.Needs.Forced != forced {
					continue
				}
				if len(tab.Targets) == column {
					tab.Targets = append(tab.Targets, t)
				}
				family := rowNamed(&tab.Rows, c.Needs.Family)
				kernel := rowNamed(&family.Kernels, c.Needs.Kernel)
				for _, r := range []*needsRow{family, kernel} {
					r.Cells = append(r.Cells, make([]*Needs, column+1-min(len(r.Cells), column+1))...)
					r.Cells[column] = r.Cells[column].with(c.Needs)
				}
			}
		}
	}
	tab.finish(tab.Rows)
	return tab
}

func rowNamed(rows *[]needsRow, name string) *needsRow {
	i := slices.IndexFunc(*rows, func(r needsRow) bool { return r.Name == name })
	if i < 0 {
		i = len(*rows)
		*rows = append(*rows, needsRow{Name: name})
	}
	return &(*rows)[i]
}

// finish sorts rows, which then have a cell for every target.
func (t *needsTable) finish(rows []needsRow) {
	slices.SortFunc(rows, func(a, b needsRow) int { return cmp.Compare(a.Name, b.Name) })
	for i := range rows {
		rows[i].Cells = append(rows[i].Cells, make([]*Needs, len(t.Targets)-len(rows[i].Cells))...)
		t.finish(rows[i].Kernels)
	}
}
