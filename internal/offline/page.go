package offline

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/units"
)

// WritePage writes what reports say as a page of documentation.
func WritePage(w io.Writer, reports []*Report) error {
	p := &printer{w: w}
	p.print(`# What compilers make of the kernels

Made by ` + "`go run ./internal/offline/compile -page`" + ` from what the compile targets of portability/targets.yaml left;
do not edit. Those of the examples are compiled too where ANYCL_CORPUS is set, as ` + "`make matrix-full`" + ` does.

Each target is given, for devices that were not there, the programs that a rule of the planner chooses for its class
of devices, and of variants that only ` + "`ANYCL_VARIANT`" + ` forces one for each choice of types and flags. *All* says that no
program that a rule chooses was left out; else it is a sample. What a target lacks is not given to it. What such
numbers can and cannot show is in [design/kernels-gpu.md](design/kernels-gpu.md#what-compilers-show-without-a-device).

| target | compiler | by rule | forced | refused | spilling by rule | of these excused |
| --- | --- | --- | --- | --- | --- | --- |
`)
	for _, r := range reports {
		p.target(r)
	}
	p.print(`
The most registers of a work-item, of all programs that rules choose: what is more than a target has would spill.
**Bold**: something spills, which is excused below. ` + "`ok`" + `: Intel's driver does not tell registers, only spills. ` + "`-`" + `: not
chosen there.

`)
	p.families(reports)
	p.print(`
## Every kernel that rules choose

Registers of a work-item from the fewest to the most, the most local memory of a work-group where it has any, and in
brackets how many programs spill up to how much: registers on AMD, else bytes.
`)
	for _, vendor := range vendorsOf(reports) {
		p.print("\n")
		p.kernels(slices.DeleteFunc(slices.Clone(reports), func(r *Report) bool { return r.vendor() != vendor }))
	}
	p.excused(reports)
	return p.err
}

// vendor is what the target's name begins with.
func (r *Report) vendor() string {
	v, _, _ := strings.Cut(r.Target, "-")
	return v
}

func vendorsOf(reports []*Report) (all []string) {
	for _, r := range reports {
		if v := r.vendor(); !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// target is one line about all programs of a report.
func (p *printer) target(r *Report) {
	var chosen, forced, refused, spilling, excused int
	for _, o := range r.Outcomes {
		if o.Refused != "" && o.Excused == "" {
			refused++
		}
		switch {
		case !o.Chosen:
			forced++
			continue
		case o.Refused == "" && o.Spills():
			spilling++
			if o.Excused != "" {
				excused++
			}
		}
		chosen++
	}
	name := r.Target
	if r.Whole {
		name += ", all"
	}
	p.print("| %s | %s | %d | %d | %d | %d | %d |\n", name, r.Compiler, chosen, forced, refused, spilling, excused)
}

// rowsBy are the rows of what rules choose.
func rowsBy(reports []*Report, key func(*Row) string) (names []string, all map[string]map[string][]*Row) {
	all = map[string]map[string][]*Row{}
	for _, r := range reports {
		for _, row := range r.Rows() {
			if !row.Chosen {
				continue
			}
			if all[key(row)] == nil {
				all[key(row)] = map[string][]*Row{}
			}
			all[key(row)][r.Target] = append(all[key(row)][r.Target], row)
		}
	}
	return slices.Sorted(maps.Keys(all)), all
}

func (p *printer) table(what string, reports []*Report, names []string, cell func(name, target string) string) {
	p.print("| %s |", what)
	for _, r := range reports {
		p.print(" %s |", r.Target)
	}
	p.print("\n| --- |%s\n", strings.Repeat(" --- |", len(reports)))
	for _, name := range names {
		p.print("| %s |", name)
		for _, r := range reports {
			p.print(" %s |", cmp.Or(cell(name, r.Target), "-"))
		}
		p.print("\n")
	}
}

func (p *printer) families(reports []*Report) {
	names, all := rowsBy(reports, func(r *Row) string { return r.Family })
	p.table("kernels of", reports, names, func(name, target string) string {
		most, spilling, refused := 0, 0, 0
		for _, r := range all[name][target] {
			most, spilling, refused = max(most, r.Registers[2]), spilling+r.Spilling, refused+r.Refused
		}
		s := fmt.Sprint(most)
		switch {
		case len(all[name][target]) == 0:
			return ""
		case refused > 0:
			return fmt.Sprintf("**%d refused**", refused)
		case most == 0:
			s = "ok"
		}
		if spilling > 0 {
			s = "**" + s + "**"
		}
		return s
	})
}

func (p *printer) kernels(reports []*Report) {
	names, all := rowsBy(reports, func(r *Row) string { return r.Kernel })
	p.table("kernel", reports, names, func(name, target string) string {
		if rows := all[name][target]; len(rows) > 0 {
			return cell(rows[0])
		}
		return ""
	})
}

func cell(r *Row) string {
	s := ""
	switch n := r.Registers; {
	case n[2] > 0:
		s = fmt.Sprintf("%d-%d", n[0], n[2])
	case r.Refused < r.Programs:
		s = "ok"
	}
	if r.Local > 0 {
		s += ", " + units.Bytes(r.Local)
	}
	if r.Spilling > 0 {
		s += fmt.Sprintf(" (%d: %d)", r.Spilling, r.Spill)
	}
	if r.Refused > 0 {
		s += fmt.Sprintf(" %d refused", r.Refused)
	}
	return strings.TrimSpace(s)
}

// excused lists the excuses that are used, and what targets lack.
func (p *printer) excused(reports []*Report) {
	p.print("\n## What is excused\n\n")
	none := true
	for i := range excuses {
		x := &excuses[i]
		var on []string
		for _, r := range reports {
			n := 0
			for _, o := range r.Outcomes {
				if o.Excused == x.name {
					n++
				}
			}
			if n > 0 {
				on = append(on, fmt.Sprintf("%d on %s", n, r.Target))
			}
		}
		if len(on) > 0 {
			none = false
			most := fmt.Sprintf("at most %d", x.spill)
			if x.dies {
				most = "only forced"
			}
			p.print("- %s, `%s`, %s: %s. Programs: %s\n", x.name, x.kernel, most, x.why, strings.Join(on, ", "))
		}
	}
	if none {
		p.print("Nothing.\n")
	}
	p.print("\n## What targets lack\n\n")
	none = true
	for _, r := range reports {
		for _, feature := range slices.Sorted(maps.Keys(r.Lacks)) {
			none = false
			p.print("- %s: `%s`, so that %d programs were not compiled; one of them was tried, and is refused\n", r.Target, feature, r.Lacks[feature].Programs)
		}
	}
	if none {
		p.print("Nothing that any program of their class needs.\n")
	}
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
