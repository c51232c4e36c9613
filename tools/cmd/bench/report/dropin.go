package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/anycl/anycl/tools/cmd/bench/dropin"
	"github.com/anycl/anycl/tools/internal/bench"
)

// ReadSweeps reads files of lines as "go run . gonum -o" appends them.
func ReadSweeps(files ...string) (all []dropin.Sweep, err error) {
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bufio.NewReader(bytes.NewReader(text)))
		for {
			var s dropin.Sweep
			if err := d.Decode(&s); err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("report: %s: %w", f, err)
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// merged is one sweep for each device: a sweep may have been measured in parts, and a call that was
// measured again counts as it was last.
func merged(sweeps []dropin.Sweep) (all []dropin.Sweep) {
	for _, s := range sweeps {
		i := slices.IndexFunc(all, func(o dropin.Sweep) bool { return sameMachine(o, s) })
		if i < 0 {
			s.Rows = slices.Clone(s.Rows)
			all = append(all, s)
			continue
		}
		to := &all[i]
		if s.Context.Time.After(to.Context.Time) {
			to.Context = s.Context
		}
		at := make(map[string]int, len(to.Rows))
		for j, r := range to.Rows {
			at[r.Name] = j
		}
		for _, r := range s.Rows {
			if j, ok := at[r.Name]; ok {
				to.Rows[j] = r
			} else {
				to.Rows = append(to.Rows, r)
			}
		}
	}
	return all
}

// family is the row and the column that a call is counted in: its routine or method, and its size or element type.
func family(name string) (row, column string) {
	parts := strings.Split(name, "/")
	routine, _, _ := strings.Cut(parts[1], "-")
	switch parts[0] {
	case "mat":
		return "mat." + parts[1], "float64"
	case "crowd":
		routine, _, _ = strings.Cut(parts[2], "-")
		return routine + " by many goroutines", parts[1]
	}
	return routine, parts[0]
}

// tally sums calls up.
type tally struct {
	calls, slower int
	logs          float64
	worst         dropin.Row
}

func (t *tally) add(r *dropin.Row) {
	if t.calls == 0 || r.Ratio.Median < t.worst.Ratio.Median {
		t.worst = *r
	}
	t.calls++
	t.logs += math.Log(r.Ratio.Median)
	if r.Ratio.Median < dropin.Slowest {
		t.slower++
	}
}

// String is three cells.
func (t *tally) String() string {
	if t == nil {
		return " | | "
	}
	_, where, _ := strings.Cut(t.worst.Name, "/")
	return fmt.Sprintf("%d, %d slower | %.1fx | %.2fx (%s)", t.calls, t.slower, math.Exp(t.logs/float64(t.calls)), t.worst.Ratio.Median, where)
}

// slowestShown is the length of the list of calls that are slower than gonum.
const slowestShown = 20

// again is how many calls of s were measured more than once.
func again(sweeps []dropin.Sweep, s dropin.Sweep) int {
	times, n := map[string]int{}, 0
	for _, o := range sweeps {
		if !sameMachine(o, s) {
			continue
		}
		for _, r := range o.Rows {
			if times[r.Name]++; times[r.Name] == 2 {
				n++
			}
		}
	}
	return n
}

func sameMachine(a, b dropin.Sweep) bool {
	return a.Context.Device == b.Context.Device && a.Context.Processor() == b.Context.Processor()
}

// dropIn is the section on package blas in place of gonum's.
func dropIn(out io.Writer, sweeps []dropin.Sweep) {
	for _, s := range merged(sweeps) {
		if len(s.Rows) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n## Package blas beside gonum, %s\n\n", s.Context.Device)
		fmt.Fprintf(out, "The same calls by gonum's own BLAS and by package blas in its place, in turns in one process: every routine at sizes from 4 to\n"+
			"2048, methods of package mat, and calls of many goroutines at a time. %s, %d cores, %s, commit %s, %s.\n\n",
			s.Context.Processor(), s.Context.Cores, s.Context.Go, s.Context.Commit, s.Context.Time.Format("2006-01-02"))
		fmt.Fprintf(out, "%s.", s.Summary())
		if n := again(sweeps, s); n > 0 {
			fmt.Fprintf(out, " %d calls that first seemed slower were measured again, and count as they were then.", n)
		}
		fmt.Fprint(out, "\n\n")
		rows := map[string]map[string]*tally{}
		for i := range s.Rows {
			row, column := family(s.Rows[i].Name)
			if rows[row] == nil {
				rows[row] = map[string]*tally{}
			}
			if rows[row][column] == nil {
				rows[row][column] = new(tally)
			}
			rows[row][column].add(&s.Rows[i])
		}
		fmt.Fprintf(out, "| routine | float32: calls | mean | slowest | float64: calls | mean | slowest |\n|%s\n", strings.Repeat(" --- |", 7))
		for _, row := range slices.Sorted(maps.Keys(rows)) {
			fmt.Fprintf(out, "| %s | %v | %v |\n", row, rows[row]["float32"], rows[row]["float64"])
		}
		slower := slices.DeleteFunc(slices.Clone(s.Rows), func(r dropin.Row) bool { return r.Ratio.Median >= dropin.Slowest })
		if len(slower) == 0 {
			continue
		}
		slices.SortStableFunc(slower, func(a, b dropin.Row) int {
			if a.Ratio.Median < b.Ratio.Median {
				return -1
			}
			return 1
		})
		fmt.Fprintf(out, "\n| slower than gonum | ratio | of turns between | a call |\n| --- | --- | --- | --- |\n")
		for _, r := range slower[:min(slowestShown, len(slower))] {
			fmt.Fprintf(out, "| %s | %.2fx | %.2f and %.2f | %s |\n", r.Name, r.Ratio.Median, r.Ratio.Lo, r.Ratio.Hi, bench.Short(r.Ns/1e9))
		}
	}
}
