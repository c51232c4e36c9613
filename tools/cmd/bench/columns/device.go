package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/ops"
)

// besides are questions that db-benchmark has not: expressions, filters and sums over all rows.
func besides(t map[string]*frame.Frame) []question {
	g, x := t["g"].Query(), t["x"].Query()
	v3 := frame.Col("v3")
	wanted := frame.Col("id5").Between(20, 70).And(v3.Lt(60)).And(frame.Col("v2").Gt(3))
	score := v3.Div(100).Mul(2).Sub(1).Exp().Mul(v3.Add(1).Log()).Add(v3.Sqrt())
	return []question{
		{"e1", "filter of three columns", g.Filter(wanted).Select("id6", "v3"), []string{"v3"}},
		{"e2", "arithmetic", g.Select("id4", v3.Mul(frame.Col("v1")).Add(frame.Col("v2")).Sub(v3.Div(3)).As("y")), []string{"y"}},
		{"e3", "exp, log, sqrt", g.Select("id4", score.As("y")), []string{"y"}},
		{"e4", "filter and sum (TPC-H 6)", g.Filter(wanted).Agg(frame.Sum(v3.Mul(frame.Col("v2"))).As("y")), []string{"y"}},
		{"e5", "filter and eight sums (TPC-H 1)", g.Filter(frame.Col("id5").Le(90)).GroupBy("v1", "id4").Agg(frame.Sum("v2").As("a"),
			frame.Sum("v3").As("b"),
			frame.Sum(v3.Mul(frame.Col("v2"))).As("c"), frame.Sum(score).As("d"), frame.Mean("v2").As("e"), frame.Mean("v3").As("f"),
			frame.Rows().As("g")), []string{"a", "b", "c", "d", "g"}},
		{"e6", "join and sum by the partner's key", x.Join(t["medium"].Query(), frame.Join{On: []string{"id2"}}).GroupBy("id1_right").
			Agg(frame.Sum("v1").As("a"), frame.Mean("v2").As("b")), []string{"a", "b"}},
		{"e7", "order by an integer", g.Select("id6", "v3").Sort("id6"), []string{"v3"}},
		{"e8", "order by two keys", g.Select("id4", "v3").Sort("id4", frame.Desc("v3")), []string{"v3"}},
		{"w1", "row number by id4, order v3", g.Select("id4", "v3").Window(frame.Over("id4").OrderBy(frame.Desc("v3")),
			frame.RowNumber().As("y")), []string{"y"}},
		{"w2", "dense rank by id6, order v1", g.Select("id6", "v1").Window(frame.Over("id6").OrderBy("v1"), frame.Rank(frame.RankDense).As("y")),
			[]string{"y"}},
		{"w3", "lag by id3, order id6", g.Select("id3", "id6", "v3").Window(frame.Over("id3").OrderBy("id6"), frame.Lag("v3", 1).As("y")),
			[]string{"y"}},
		{"w4", "cumulative sum by id4", g.Select("id4", "v3").Window(frame.Over("id4"), frame.CumSum("v3").As("y")), []string{"y"}},
		{"w5", "rolling mean of 7 by id4", g.Select("id4", "v3").Window(frame.Over("id4"), frame.RollingMean("v3", 7).As("y")), []string{"y"}},
		{"w6", "rolling max of 7 by id4", g.Select("id4", "v2").Window(frame.Over("id4"), frame.RollingMax("v2", 7).As("y")), []string{"y"}},
		{"w7", "share of the sum by id3", g.Select("id3", "v3").Window(frame.Over("id3"), v3.Div(frame.Sum("v3")).As("y")), []string{"y"}},
		{"e9", "strings: equal, contains", g.Filter(frame.Col("id1").Eq("id016").Or(frame.Col("id2").Contains("7"))).Select("v3"),
			[]string{"v3"}},
	}
}

// warm is how many turns there are before those that count: Auto compares both sides in them.
const warm = 10

// onDevice asks questions of the CPU path and of a device, in turns: with all steps on the device that can run there, and with the
// placement that Auto chooses after some runs.
func onDevice(o options) error {
	ctx := context.Background()
	t, err := generate(o.rows, true)
	if err != nil {
		return err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true})
	if err != nil {
		return err
	}
	defer rt.Close()
	devices := [3]*frame.Device{nil, frame.NewDevice(rt, frame.DeviceOptions{Place: ops.OnDevice}), frame.NewDevice(rt, frame.DeviceOptions{})}
	defer devices[1].Close()
	defer devices[2].Close()
	fmt.Printf("%s\n%d rows, strings as dictionary columns, %d processors, best of %d turns after 10\n%-40s %9s %9s %9s   device/cpu  auto/cpu  what stays on the CPU path, and why\n",
		rt.Why(), o.rows, runtime.GOMAXPROCS(0), o.turns, "question", "cpu path", "device", "auto")
	slower := 0
	for _, q := range append(questions(t), besides(t)...) {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), q.name) {
			continue
		}
		var best [3]time.Duration
		var results [3]*frame.Result
		for turn := range warm + o.turns {
			for k := range devices {
				i := k
				if turn > 0 { // none always after the same
					i = (k + turn) % len(devices)
				}
				d := devices[i]
				if i == 2 {
					if err := d.Settle(ctx); err != nil {
						return err
					}
				}
				runtime.GC()
				start := time.Now()
				r, err := q.query.Run(ctx, frame.Options{Device: d})
				if err != nil {
					return fmt.Errorf("%s: %w", q.name, err)
				}
				if took := time.Since(start); turn >= warm && (best[i] == 0 || took < best[i]) {
					best[i] = took
				}
				if results[i] = r; turn == 0 && i > 0 {
					want := answer{rows: results[0].Frame.Rows(), sums: sums(results[0].Frame, q.checked)}
					if d := differs(want, answer{rows: r.Frame.Rows(), sums: sums(r.Frame, q.checked)}); d != "" {
						return fmt.Errorf("%s: the device answers otherwise: %s", q.name, d)
					}
				}
			}
		}
		a, b := float64(best[0])/float64(best[1]), float64(best[0])/float64(best[2])
		if b < 0.9 {
			slower++
		}
		fmt.Printf("%-40s", q.name+" "+q.text)
		for _, d := range best {
			fmt.Printf(" %6.1f ms", float64(d)/1e6)
		}
		fmt.Printf("   %10.2f  %8.2f  %s\n", a, b, strings.Join(results[1].Left(), "; "))
		if o.explain {
			fmt.Print(results[0], results[1], results[2])
		}
		debug.FreeOSMemory()
	}
	fmt.Printf("ratios above 1: faster than the CPU path; %d questions are slower with auto by more than a tenth\n", slower)
	return nil
}
