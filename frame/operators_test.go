package frame_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// Every window is looked at row by row in plain Go.
func TestRollingByTimeAgreesWithALoop(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := r.IntN(60)
		at, on, x, k, has, there := make([]time.Time, n), make([]float64, n), make([]int64, n), make([]string, n), make([]bool, n),
			make([]bool, n)
		for i := range n {
			at[i] = time.Unix(int64(r.IntN(40)), 0)
			on[i] = float64(at[i].Unix())
			x[i], k[i] = int64(r.IntN(20))-5, []string{"a", "b", "c"}[r.IntN(3)]
			has[i], there[i] = r.IntN(5) > 0, r.IntN(8) > 0
		}
		back := 1 + r.IntN(12)
		f, err := frame.New(frame.Named{Name: "at", Column: column.OfNullable(at, there)},
			frame.Named{Name: "on", Column: column.OfNullable(on, there)},
			frame.Named{Name: "x", Column: column.OfNullable(x, has)}, frame.Of("k", k))
		require.NoError(t, err)
		by := [][]string{nil, {"k"}}[r.IntN(2)]
		roll := frame.Rolling{On: "at", Window: time.Duration(back) * time.Second, By: by}
		if r.IntN(2) == 0 {
			roll.On, roll.Window = "on", back
		}
		got, err := f.Query().Rolling(roll, frame.Sum("x").As("sum"), frame.Mean("x").As("mean"), frame.Count("x").As("count"),
			frame.Rows().As("rows"),
			frame.Min("x").As("min"), frame.Max("x").As("max"), frame.Max("k").As("last"),
			frame.Mean(frame.Col("x").Cast(column.Float64.Of())).As("float")).Collect(t.Context())
		require.NoError(t, err)
		for i := range n {
			var values []int64
			rows, last := 0, ""
			for j := range n {
				if d := on[i] - on[j]; there[i] && there[j] && d >= 0 && d < float64(back) && (by == nil || k[i] == k[j]) {
					rows++
					last = max(last, k[j])
					if has[j] {
						values = append(values, x[j])
					}
				}
			}
			want := map[string]any{"rows": int64(rows), "count": int64(len(values)), "sum": nil, "mean": nil, "float": nil, "min": nil, "max": nil,
				"last": nil}
			if rows > 0 {
				want["last"] = last
			}
			if len(values) > 0 {
				sum := int64(0)
				for _, v := range values {
					sum += v
				}
				mean := float64(sum) / float64(len(values))
				want["sum"], want["mean"], want["float"], want["min"], want["max"] = sum, mean, mean, slices.Min(values), slices.Max(values)
			}
			for name, w := range want {
				v, err := got.Value(name, i)
				require.NoError(t, err)
				require.Equal(t, w, v, "%s of row %d, seed %d", name, i, seed)
			}
		}
	}
}

func TestMistakesInRollingAreErrors(t *testing.T) {
	t.Parallel()
	f, err := frame.New(frame.Of("n", []int64{1, 2}), frame.Of("s", []string{"a", "b"}), frame.Of("big", []int64{math.MaxInt64, 1}))
	require.NoError(t, err)
	for want, roll := range map[string]frame.Rolling{
		"has no windows": {On: "s", Window: 1}, `no column "t"`: {On: "t", Window: 1}, "a window of 0": {On: "n", Window: 0},
		`no column "k"`: {On: "n", Window: 1, By: []string{"k"}},
	} {
		_, err := f.Query().Rolling(roll, frame.Sum("n").As("x")).Collect(t.Context())
		require.ErrorContains(t, err, want)
	}
	_, err = f.Query().Rolling(frame.Rolling{On: "n", Window: 5}, frame.Median("n")).Collect(t.Context())
	require.ErrorContains(t, err, "quantile is not computed of windows")
	_, err = f.Query().Rolling(frame.Rolling{On: "n", Window: 5}, frame.Sum("big")).Collect(t.Context())
	require.ErrorContains(t, err, "overflows")
	plan, err := f.Query().Rolling(frame.Rolling{On: "n", Window: 5}, frame.Sum("n").As("x")).Select("x").Explain()
	require.NoError(t, err)
	require.Contains(t, plan, "rolling 5 back")
	require.NotContains(t, plan, "big", "it is not needed")
}

func TestStringsAreSplitToRows(t *testing.T) {
	t.Parallel()
	f, err := frame.New(frame.Of("n", []int64{1, 2, 3, 4}),
		frame.Named{Name: "s", Column: column.OfNullable([]string{"a,b", "", "", "c,,a"}, []bool{true, true, false, true})})
	require.NoError(t, err)
	got, err := f.Query().SplitRows("s", ",").Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int64{1, 1, 2, 3, 4, 4, 4}, column.Values[int64](got.Column("n")))
	for i, want := range []string{"a", "b", "", "null", "c", "", "a"} {
		require.Equal(t, want, got.Column("s").Format(i))
	}
	counts, err := f.Query().SplitRows("s", ",").Filter(frame.Col("s").Ne("")).ValueCounts("s").Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int64{2, 1, 1}, column.Values[int64](counts.Column("count")))
	require.Equal(t, "a", counts.Column("s").Text(0))
	_, err = f.Query().SplitRows("n", ",").Collect(t.Context())
	require.ErrorContains(t, err, "int64 is not split")
	_, err = f.Query().SplitRows("s", "").Collect(t.Context())
	require.ErrorContains(t, err, "no separator")
}

func TestDescribeTellsOfEveryColumn(t *testing.T) {
	t.Parallel()
	f, err := frame.New(frame.Named{Name: "n", Column: column.OfNullable([]int64{4, 1, 2, 3, 9}, []bool{true, true, true, true, false})},
		frame.Of("s", []string{"b", "a", "b", "", "z"}), frame.Named{Name: "none", Column: column.Nulls(column.Float64.Of(), 5)})
	require.NoError(t, err)
	d, err := f.Describe(t.Context())
	require.NoError(t, err)
	text := func(i int) string {
		var out []string
		for _, c := range d.Columns() {
			out = append(out, c.Name+"="+c.Column.Format(i))
		}
		return strings.Join(out, " ")
	}
	require.Equal(t, "column=n type=int64 count=4 nulls=1 distinct=4 mean=2.5 std=1.2909944487358056 min=1 q25=1.75 median=2.5 q75=3.25 max=4",
		text(0))
	require.Equal(t, "column=s type=utf8 count=5 nulls=0 distinct=4 mean=null std=null min= q25=null median=null q75=null max=z", text(1))
	require.Equal(t, "column=none type=float64 count=0 nulls=5 distinct=0 mean=null std=null min=null q25=null median=null q75=null max=null",
		text(2))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = f.Describe(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestHistogramsCountEveryValueOnce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, bins := range []int{1, 3, 10, 101} {
		x := make([]float64, 1000)
		for i := range x {
			x[i] = math.Round(r.NormFloat64()*100) / 10
		}
		x[3], x[4], x[5] = math.NaN(), math.Inf(1), math.Inf(-1)
		f, err := frame.New(frame.Of("x", x))
		require.NoError(t, err)
		h, err := f.Histogram("x", bins)
		require.NoError(t, err)
		lower, upper, count := column.Values[float64](h.Column("lower")), column.Values[float64](h.Column("upper")),
			column.Values[int64](h.Column("count"))
		total := int64(0)
		for k := range bins {
			want := int64(0)
			for _, v := range x {
				if v >= lower[k] && (v < upper[k] || k == bins-1 && v == upper[k]) {
					want++
				}
			}
			require.Equal(t, want, count[k], "bin %d of %d", k, bins)
			total += count[k]
		}
		require.EqualValues(t, 997, total)
	}
	f, err := frame.New(frame.Of("n", []int64{7, 7}), frame.Of("t", []time.Time{time.Unix(0, 0), time.Unix(10, 0)}),
		frame.Of("s", []string{"a", "b"}),
		frame.Of("wide", []float64{-math.MaxFloat64, math.MaxFloat64}), frame.Named{Name: "none", Column: column.Nulls(column.Int8.Of(), 2)})
	require.NoError(t, err)
	for name, want := range map[string]string{"n": "[0 2]", "t": "[1 1]", "wide": "[1 1]", "none": "[]"} {
		h, err := f.Histogram(name, 2)
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(column.Values[int64](h.Column("count"))), name)
	}
	for name, bins := range map[string]int{"s": 2, "other": 2, "n": 0} {
		_, err := f.Histogram(name, bins)
		require.Error(t, err)
	}
}

func TestOffsetsFollowTheCalendar(t *testing.T) {
	t.Parallel()
	prague, err := time.LoadLocation("Europe/Prague")
	require.NoError(t, err)
	zoned := column.Type{Kind: column.Timestamp, Unit: column.Millisecond, Zone: "Europe/Prague"}
	for _, c := range []struct {
		typ    column.Type
		at     time.Time
		n      int
		period string
		want   string
	}{
		{column.Date32.Of(), time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC), 1, "month", "2024-02-29"},
		{column.Date32.Of(), time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), 1, "year", "2025-02-28"},
		{column.Date32.Of(), time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC), -2, "quarter", "2023-07-31"},
		{column.Date32.Of(), time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), -1, "week", "1969-12-24"},
		{column.Date32.Of(), time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), -13, "month", "1968-11-30"},
		{column.Timestamp.Of(), time.Date(1960, 3, 1, 1, 2, 3, 4, time.UTC), -1, "day", "1960-02-29T01:02:03.000000004"},
		{column.Timestamp.Of(), time.Date(2024, 3, 1, 1, 2, 3, 4, time.UTC), 25, "hour", "2024-03-02T02:02:03.000000004"},
		{zoned, time.Date(2024, 3, 30, 12, 0, 0, 5e6, prague), 1, "day", "2024-03-31T12:00:00.005+02:00"}, // the clock goes forward in between
		{zoned, time.Date(2024, 3, 30, 12, 0, 0, 0, prague), 24, "hour", "2024-03-31T13:00:00+02:00"},
		{zoned, time.Date(2024, 3, 30, 12, 0, 0, 0, prague), 86400, "second", "2024-03-31T13:00:00+02:00"},
	} {
		b := column.NewBuilder(c.typ, 2)
		if c.typ.Kind == column.Date32 {
			b.Int(c.at.Unix() / 86400)
		} else if c.typ.Unit == column.Millisecond {
			b.Int(c.at.UnixMilli())
		} else {
			b.Int(c.at.UnixNano())
		}
		b.Null()
		f, err := frame.New(frame.Named{Name: "t", Column: b.Finish()})
		require.NoError(t, err)
		got, err := f.Query().Select(frame.Col("t").Offset(c.n, c.period).As("t")).Collect(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.typ, got.Schema()[0].Type)
		require.Equal(t, c.want, got.Column("t").Format(0))
		require.True(t, got.Column("t").IsNull(1))
	}
	f, err := frame.New(frame.Named{Name: "d", Column: column.FixedOf(column.Date32.Of(), []int32{math.MaxInt32 - 3}, column.Bitmap{})},
		frame.Of("n", []int64{1}))
	require.NoError(t, err)
	for want, e := range map[string]frame.Expr{
		"does not hold 1 week": frame.Col("d").Offset(1, "week"), "a date has no hour": frame.Col("d").Offset(1, "hour"),
		`no period "fortnight"`: frame.Col("d").Offset(1, "fortnight"), "int64 is no date": frame.Col("n").Offset(1, "day"),
	} {
		_, err := f.Query().Select(e.As("x")).Collect(t.Context())
		require.ErrorContains(t, err, want)
	}
	two, err := f.Query().Select(frame.Col("d").Offset(1, "day").As("a"), frame.Col("d").Offset(2, "day").As("b")).Agg(frame.Max("a").As("a"),
		frame.Max(frame.Col("b")).As("b")).Collect(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, two.Column("a").Format(0), two.Column("b").Format(0))
	sums, err := f.Query().Agg(frame.Max(frame.Col("d").Offset(-1, "day")).As("a"),
		frame.Max(frame.Col("d").Offset(-2, "day")).As("b")).Collect(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, sums.Column("a").Format(0), sums.Column("b").Format(0))
}

// The mean of equal values is not always one of them, once rounded.
func TestColumnsThatDoNotVaryAreScaledToZero(t *testing.T) {
	values := make([]float64, 10)
	for i := range values {
		values[i] = 0.1
	}
	f, err := frame.New(frame.Of("x", values))
	require.NoError(t, err)
	s, err := f.Standardizer("x")
	require.NoError(t, err)
	require.Equal(t, []float64{0.1}, s.Mean)
	require.Equal(t, []float64{1}, s.Std)
	scaled, err := s.Apply(f)
	require.NoError(t, err)
	require.Equal(t, make([]float64, 10), column.Values[float64](scaled.Column("x")))
}

func TestHistogramsHaveABoundOfBins(t *testing.T) {
	f, err := frame.New(frame.Of("x", []float64{1, 2}))
	require.NoError(t, err)
	for _, bins := range []int{-1, 0, math.MaxInt} {
		_, err := f.Histogram("x", bins)
		require.ErrorContains(t, err, "bins")
	}
}

func TestRoundingToMoreDigitsThanNumbersHave(t *testing.T) {
	f, err := frame.New(frame.Of("x", []float64{1.5, -1e308, math.Inf(1), math.NaN(), 0}))
	require.NoError(t, err)
	for digits, want := range map[int][]float64{
		-309:        {0, 0, math.Inf(1), math.NaN(), 0},
		math.MinInt: {0, 0, math.Inf(1), math.NaN(), 0},
		math.MaxInt: {1.5, -1e308, math.Inf(1), math.NaN(), 0},
	} {
		r, err := f.Query().Select(frame.Col("x").Round(digits).As("r")).Collect(t.Context())
		require.NoError(t, err)
		got := column.Values[float64](r.Column("r"))
		for i, w := range want {
			require.True(t, got[i] == w || w != w && got[i] != got[i], "%v to %d digits is %v", column.Values[float64](f.Column("x"))[i], digits,
				got[i])
		}
	}
}

// limited tells how many rows it is asked for.
type limited struct{ limits *[]int }

func (limited) String() string { return "limited" }

func (limited) Schema() ([]frame.Field, error) {
	return []frame.Field{{Name: "x", Type: column.Int64.Of()}}, nil
}

func (s limited) Read(_ context.Context, r frame.Request, rows func(*frame.Frame) error) error {
	*s.limits = append(*s.limits, r.Limit)
	f, err := frame.New(frame.Of("x", []int64{1, 2, 3}))
	if err != nil {
		return err
	}
	return rows(f)
}

func TestSourcesAreAskedForNoNegativeLimit(t *testing.T) {
	var limits []int
	for _, slice := range [][2]int{{1, 1}, {1, math.MaxInt}, {math.MaxInt, math.MaxInt}, {0, math.MaxInt}} {
		_, err := frame.Scan(limited{&limits}).Slice(slice[0], slice[1]).Collect(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, []int{2, -1, -1, math.MaxInt}, limits)
}

func TestNoTensorIsNoColumn(t *testing.T) {
	f, err := frame.New(frame.Of("x", []float64{1}))
	require.NoError(t, err)
	_, err = f.WithTensor(nil, "y")
	require.ErrorContains(t, err, "nil")
}
