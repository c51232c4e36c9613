package offline

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WritePage writes what reports say as a page of documentation.
func WritePage(w io.Writer, reports []*Report) error {
	p := &printer{w: w}
	p.print(`# What compilers make of the kernels

Made by ` + "`go run ./internal/offline/compile -page`" + ` from what the compile targets of portability/targets.yaml left;
do not edit. Those of the examples are compiled too where ANYCL_CORPUS is set, as ` + "`make matrix-full`" + ` does.

Programs that a rule of the planner chooses for a class of devices, compiled for devices that were not
there. Registers are those of a work-item: the fewest, the median and the most of all programs of a kernel.
What does not fit in them is in brackets: so many programs spill up to so much, in registers on AMD and else in
bytes. Intel's driver does not tell registers. ` + "`-`" + `: not chosen there. What such numbers can and cannot
show stands in RATIONALE.md.

| target | compiler | programs | refused | spilling |
| --- | --- | --- | --- | --- |
`)
	kernels := map[string]map[string]*Row{}
	for _, r := range reports {
		refused, spilling, chosen := 0, 0, 0
		for _, o := range r.Outcomes {
			if !o.Chosen {
				continue
			}
			chosen++
			if o.Refused != "" {
				refused++
			} else if o.Spills() {
				spilling++
			}
		}
		p.print("| %s | %s | %d | %d | %d |\n", r.Target, r.Compiler, chosen, refused, spilling)
		for _, row := range r.Rows() {
			if !row.Chosen {
				continue
			}
			if kernels[row.Kernel] == nil {
				kernels[row.Kernel] = map[string]*Row{}
			}
			kernels[row.Kernel][r.Target] = row
		}
	}
	p.print("\n| kernel |")
	for _, r := range reports {
		p.print(" %s |", r.Target)
	}
	p.print("\n| --- |")
	for range reports {
		p.print(" --- |")
	}
	for _, k := range slices.Sorted(maps.Keys(kernels)) {
		p.print("\n| %s |", k)
		for _, r := range reports {
			p.print(" %s |", cell(kernels[k][r.Target]))
		}
	}
	p.print("\n\n## What is excused\n\n")
	used := map[*excuse]bool{}
	for _, r := range reports {
		for _, row := range r.Rows() {
			if row.Refused == 0 && (!row.Chosen || row.Spill == 0) {
				continue
			}
			if x := excused(r.Target, row); x != nil && !used[x] {
				used[x] = true
				p.print("- `%s` on %s: %s\n", x.kernel, x.target, x.why)
			}
		}
	}
	if len(used) == 0 {
		p.print("Nothing.\n")
	}
	return p.err
}

func cell(r *Row) string {
	if r == nil {
		return "-"
	}
	s := ""
	switch n := r.Registers; {
	case n[2] > 0:
		s = fmt.Sprintf("%d, %d, %d", n[0], n[1], n[2])
	case r.Refused < r.Programs:
		s = "compiles"
	}
	if r.Spilling > 0 {
		s += fmt.Sprintf(" (%d: %d)", r.Spilling, r.Spill)
	}
	if r.Refused > 0 {
		s += fmt.Sprintf(" %d refused", r.Refused)
	}
	return strings.TrimSpace(s)
}

// printer remembers the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) print(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
