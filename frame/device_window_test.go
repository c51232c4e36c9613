package frame_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
)

// exactFunctions are functions of windows over edges' columns whose results are the same bits on every side.
func exactFunctions(c func(name string) frame.Expr) []frame.Expr {
	all := []frame.Expr{frame.RowNumber(), frame.CumCount("in"), frame.CumCount("i"), frame.CumSum("s"), frame.CumSum(c("s").Mul(2)), frame.CumSum("none")}
	for _, ties := range []frame.Ties{frame.RankMin, frame.RankMax, frame.RankDense, frame.RankAverage, frame.RankOrdinal} {
		all = append(all, frame.Rank(ties))
	}
	for _, name := range []string{"i", "u", "f", "fn", "s", "t", "d", "at", "none"} {
		all = append(all, frame.Lag(name, 2), frame.Lead(name, 1), frame.CumMin(name), frame.CumMax(name), frame.RollingMin(name, 3), frame.RollingMax(name, 3))
	}
	all = append(all, frame.Lag(c("s").Add(1), 1), frame.Lead(c("fn").Mul(2), 3), frame.Lag("i", 0), frame.Lag("i", math.MaxInt), frame.Lead("i", math.MaxInt),
		frame.CumMax(c("s").Gt(0)), frame.RollingMin(c("fn").Add(1), math.MaxInt), frame.RollingMax(c("in").IntDiv(2), 1))
	for i := range all {
		all[i] = all[i].As(fmt.Sprintf("w%d", i))
	}
	return all
}

// windowQueries are windows of few and many partitions, of one and of as many as rows, with orders of each kind of key.
func windowQueries(f *frame.Frame) map[string]*frame.Query {
	c := frame.Col
	row := column.Make[int64](f.Rows())
	for i := range row {
		row[i] = int64(len(row) - i)
	}
	numbered, err := frame.New(append(f.Columns(), frame.Of("row", row))...)
	if err != nil {
		panic(err)
	}
	q := numbered.Query()
	all := exactFunctions(c)
	aggregates := []frame.Expr{frame.Rows().As("a"), frame.Count("fn").As("b"), frame.Min("f").As("c"), frame.Max("fn").As("e"), frame.Sum("s").As("g"), frame.First("at").As("h"),
		frame.Last("in").As("j"), frame.Any(c("fn").Gt(0)).As("l"), frame.Sum("s").Sub(c("s")).As("m"), frame.Last(c("i").Add(1)).As("o")}
	return map[string]*frame.Query{
		"one partition":           q.Window(frame.Over().OrderBy("fn", "row"), all...),
		"no order":                q.Window(frame.Over("k"), all...),
		"no order, one partition": q.Window(frame.Over(), all...),
		"as many as rows":         q.Window(frame.Over("row").OrderBy("s"), all...),
		"partitions of nulls":     q.Window(frame.Over("t", "none").OrderBy(frame.Desc("d")), all...),
		"partitions of floats":    q.Window(frame.Over("fn").OrderBy(frame.Asc("t").NullsFirst(), frame.Desc("fn")), all...),
		"order of ties":           q.Window(frame.Over("k").OrderBy(frame.Desc("f")), all...),
		"order of few":            q.Window(frame.Over("k").OrderBy(c("s").Gt(0), "t"), all...),
		"filtered":                q.Filter(c("s").Ne(0)).Window(frame.Over("k").OrderBy("fn"), all...),
		"filtered, one partition": q.Filter(c("s").Ne(0)).Window(frame.Over().OrderBy("s"), all...),
		"none left":               q.Filter(c("s").Gt(126).And(c("s").Lt(3))).Window(frame.Over("k").OrderBy("s"), slices.Concat(all, aggregates)...),
		"aggregates":              q.Window(frame.Over("t"), aggregates...),
		"aggregates, ordered":     q.Window(frame.Over("k").OrderBy(frame.Desc("fn")), aggregates...),
		"aggregates of all rows":  q.Window(frame.Over(), aggregates...),
		"aggregates of floats":    q.Window(frame.Over("fn"), frame.Max("i").As("a"), frame.Min("d").As("b"), frame.Count("t").As("c")),
		"aggregates of some":      q.Filter(c("s").Gt(0)).Window(frame.Over("t"), aggregates...),
		"replaced":                q.With(c("s").Mul(2).As("x")).Window(frame.Over("k").OrderBy("x"), frame.RowNumber().Add(c("k")).As("k"), frame.Lag("x", 1).As("x")).Select("k", "x", "t"),
	}
}

// On the device some of the queries run, since each function costs a second of compiling.
func TestWindowsOnDevicesGiveTheSameBitsAsTheCPUPath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"none", ""} {
		t.Run("device="+name, func(t *testing.T) {
			t.Parallel()
			for _, compact := range []frame.Choice{frame.No, frame.Yes} {
				d := openDevice(t, name, frame.DeviceOptions{Place: ops.OnDevice, Compact: compact})
				for _, repeat := range []int{1, 40} {
					for title, q := range windowQueries(edges(t, repeat)) {
						if name == "" && *manyPlans == 0 && (repeat == 1 || compact == frame.No || !slices.Contains([]string{"order of ties", "aggregates"}, title)) {
							continue
						}
						sameOnDevice(t, d, title, q)
					}
				}
			}
		})
	}
}

func sameOnDevice(t *testing.T, d *frame.Device, title string, q *frame.Query) {
	t.Helper()
	want, err := q.Collect(t.Context())
	require.NoError(t, err, title)
	got, err := q.Run(t.Context(), frame.Options{Device: d})
	require.NoError(t, err, title)
	require.Positive(t, got.OnDevice(), "%s: %s", title, got)
	require.Empty(t, got.Left(), title)
	for _, c := range want.Columns() {
		other := got.Frame.Column(c.Name)
		if column.Equal(c.Column, other) {
			continue
		}
		for row := range want.Rows() {
			if a, b := c.Column.Value(row), other.Value(row); fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%s, %d rows, %s of row %d: %v, the CPU path has %v\n%s", title, want.Rows(), c.Name, row, b, a, got)
			}
		}
	}
	require.True(t, frame.Equal(want, got.Frame), title)
}
