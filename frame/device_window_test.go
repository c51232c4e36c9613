package frame_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
)

// exactFunctions are functions of windows over edges' columns whose results are the same bits on every side.
func exactFunctions(c func(name string) frame.Expr) []frame.Expr {
	all := []frame.Expr{frame.RowNumber(), frame.CumCount("in"), frame.CumCount("i"), frame.CumSum("s"), frame.CumSum(c("s").Mul(2)),
		frame.CumSum("none")}
	for _, ties := range []frame.Ties{frame.RankMin, frame.RankMax, frame.RankDense, frame.RankAverage, frame.RankOrdinal} {
		all = append(all, frame.Rank(ties))
	}
	for _, name := range []string{"i", "u", "f", "fn", "s", "t", "d", "at", "none"} {
		all = append(all, frame.Lag(name, 2), frame.Lead(name, 1), frame.CumMin(name), frame.CumMax(name), frame.RollingMin(name, 3),
			frame.RollingMax(name, 3))
	}
	all = append(all, frame.Lag(c("s").Add(1), 1), frame.Lead(c("fn").Mul(2), 3), frame.Lag("i", 0), frame.Lag("i", math.MaxInt),
		frame.Lead("i", math.MaxInt),
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
	aggregates := []frame.Expr{frame.Rows().As("a"), frame.Count("fn").As("b"), frame.Min("f").As("c"), frame.Max("fn").As("e"),
		frame.Sum("s").As("g"), frame.First("at").As("h"),
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
		"none left": q.Filter(c("s").Gt(126).And(c("s").Lt(3))).Window(frame.Over("k").OrderBy("s"),
			slices.Concat(all, aggregates)...),
		"aggregates":             q.Window(frame.Over("t"), aggregates...),
		"aggregates, ordered":    q.Window(frame.Over("k").OrderBy(frame.Desc("fn")), aggregates...),
		"aggregates of all rows": q.Window(frame.Over(), aggregates...),
		"aggregates of floats":   q.Window(frame.Over("fn"), frame.Max("i").As("a"), frame.Min("d").As("b"), frame.Count("t").As("c")),
		"aggregates of some":     q.Filter(c("s").Gt(0)).Window(frame.Over("t"), aggregates...),
		"replaced": q.With(c("s").Mul(2).As("x")).Window(frame.Over("k").OrderBy("x"), frame.RowNumber().Add(c("k")).As("k"),
			frame.Lag("x", 1).As("x")).Select("k", "x", "t"),
	}
}

// With many rows a scan has several parts. On the device some of the queries run, since each function costs a second of compiling.
func TestWindowsOnDevicesGiveTheSameBitsAsTheCPUPath(t *testing.T) {
	t.Parallel()
	for name, many := range map[string]int{"none": 500, "": 9000} {
		t.Run("device="+name, func(t *testing.T) {
			t.Parallel()
			for _, compact := range []frame.Choice{frame.No, frame.Yes} {
				d := openDevice(t, name, frame.DeviceOptions{Place: ops.OnDevice, Compact: compact})
				for _, repeat := range []int{1, many} {
					for title, q := range windowQueries(edges(t, repeat)) {
						if name == "" && *manyPlans == 0 &&
							(repeat == 1 || compact == frame.No || !slices.Contains([]string{"order of ties", "aggregates"}, title)) {
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

// Sums are over the rows in the window alone: rows before it, in its partition or in another, leave no error, infinity or NaN behind.
func TestSumsOfWindowsOnDevicesForgetWhatIsNotInThem(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "none", frame.DeviceOptions{Place: ops.OnDevice})
	nan, inf := math.NaN(), math.Inf(1)
	f, err := frame.New(
		frame.Of("k", []int32{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3}),
		frame.Of("x", []float64{1e300, 1, 2, 3, -4, 1e-300, 2e-300, inf, 1, nan, 1, 2, -inf, inf, 1, math.Copysign(0, -1)}))
	require.NoError(t, err)
	got, err := f.Query().Window(frame.Over("k"), frame.CumSum("x").As("sum"), frame.RollingSum("x", 2).As("two"),
		frame.RollingMean("x", 2).As("mean"), frame.RollingSum("x", 100).As("all")).
		Run(t.Context(), frame.Options{Device: d})
	require.NoError(t, err)
	require.Equal(t, 1, got.OnDevice(), got)
	sum := []float64{1e300, 1e300, 1e300, 1e300, 1e300, 1e-300, 3e-300, inf, inf, nan, nan, nan, -inf, nan, nan, nan}
	two := []float64{1e300, 1e300, 3, 5, -1, 1e-300, 3e-300, inf, inf, nan, nan, 3, -inf, nan, inf, 1}
	for row := range sum {
		for name, want := range map[string]float64{"sum": sum[row], "all": sum[row], "two": two[row]} {
			v, err := got.Frame.Value(name, row)
			require.NoError(t, err)
			require.True(t, v == want || v != v && want != want, "%s of row %d: %v, not %v", name, row, v, want)
		}
	}
	v, err := got.Frame.Value("mean", 3)
	require.NoError(t, err)
	require.Equal(t, 2.5, v)
}

// A running sum of n floats is off by at most n u Σ|x|, also where positive and negative ones cancel out.
func TestRunningSumsOnDevicesAreWithinTheirBound(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"none", ""} {
		t.Run("device="+name, func(t *testing.T) {
			t.Parallel()
			d := openDevice(t, name, frame.DeviceOptions{Place: ops.OnDevice})
			const rows, size = 50_000, 700
			r := rand.New(rand.NewPCG(1, 2))
			x, k := make([]float64, rows), make([]int32, rows)
			for i := range x {
				k[i] = int32(min(i/20_000, i/9000))
				x[i] = math.Ldexp(r.Float64()-0.5, 40-int(k[i])*30)
			}
			f, err := frame.New(frame.Of("x", x), frame.Of("k", k))
			require.NoError(t, err)
			got, err := f.Query().Window(frame.Over("k"), frame.CumSum("x").As("sum"), frame.RollingSum("x", size).As("roll")).Run(t.Context(),
				frame.Options{Device: d})
			require.NoError(t, err)
			require.Equal(t, 1, got.OnDevice(), got)
			sum, roll := column.Values[float64](got.Frame.Column("sum")), column.Values[float64](got.Frame.Column("roll"))
			start := 0
			for i := range x {
				if i > 0 && k[i] != k[i-1] {
					start = i
				}
				if i%97 != 0 && i != start {
					continue
				}
				for _, c := range []struct {
					from int
					got  float64
				}{{start, sum[i]}, {max(start, i-size+1), roll[i]}} {
					exact, all := new(big.Float).SetPrec(200), 0.0
					for _, v := range x[c.from : i+1] {
						exact.Add(exact, big.NewFloat(v))
						all += math.Abs(v)
					}
					off, _ := new(big.Float).Sub(exact, big.NewFloat(c.got)).Float64()
					require.LessOrEqual(t, math.Abs(off), float64(i+1-c.from)*0x1p-53*all, "row %d, from %d", i, c.from)
				}
			}
		})
	}
}

func TestWindowsThatStayOnTheCPUPathSayWhy(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "none", frame.DeviceOptions{Place: ops.OnDevice})
	f := edges(t, 3)
	plain, err := frame.New(frame.Of("p", []string{"a", "b", "a"}), frame.Of("x", []float64{math.MaxFloat64, math.MaxFloat64, 1}))
	require.NoError(t, err)
	for why, q := range map[string]*frame.Query{
		"quantile has no form as ops":  f.Query().Window(frame.Over("k"), frame.Median("s").As("w")),
		"utf8 has no form as ops":      plain.Query().Window(frame.Over("p"), frame.CumMax("p").As("w")),
		"a value does not fit":         plain.Query().Window(frame.Over(), frame.CumSum("x").As("w")),
		"no rows":                      f.Query().Limit(0).Window(frame.Over("k"), frame.RowNumber().As("w")),
		"no column is read":            f.Query().Window(frame.Over(), frame.RowNumber().As("w")),
		"window: a value does not fit": plain.Query().Window(frame.Over(), frame.RollingSum("x", 3).As("w")),
	} {
		want, err := q.Collect(t.Context())
		require.NoError(t, err, why)
		got, err := q.Run(t.Context(), frame.Options{Device: d})
		require.NoError(t, err, why)
		require.Contains(t, strings.Join(got.Left(), "\n"), why, got)
		require.True(t, frame.Equal(want, got.Frame), why)
	}
	// Plain strings are partitions, and values that are moved.
	sameOnDevice(t, d, "strings",
		plain.Query().Window(frame.Over("p").OrderBy("x"), frame.Lag("p", 1).As("a"), frame.CumCount("p").As("b"), frame.First("p").As("c")))
	one, err := plain.Slice(2, 3)
	require.NoError(t, err)
	sameOnDevice(t, d, "one row", one.Query().Window(frame.Over("p").OrderBy("x"), frame.Lag("p", 1).As("a"), frame.CumSum("x").As("b"),
		frame.RollingMin("x", 3).As("c"), frame.Rank(frame.RankMin).As("e")))
}
