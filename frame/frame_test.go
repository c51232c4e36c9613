package frame_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/tensor"
)

func table(t *testing.T) *frame.Frame {
	t.Helper()
	f, err := frame.New(
		frame.Of("city", []string{"Brno", "Oslo", "Brno", "Lima", "Oslo"}),
		frame.Of("t", []float64{21, 14, 25, 30, 11}),
		frame.Of("n", []int{1, 2, 3, 4, 5}),
	)
	require.NoError(t, err)
	return f
}

func collect(t *testing.T, q *frame.Query) *frame.Frame {
	t.Helper()
	f, err := q.Collect(t.Context())
	require.NoError(t, err)
	return f
}

func TestAFrameIsPrintedAsATable(t *testing.T) {
	t.Parallel()
	f := collect(t, table(t).Query().
		Filter(frame.Col("t").Gt(12)).
		GroupBy("city").
		Agg(frame.Mean("t").As("mean"), frame.Rows().As("days"), frame.Max("n").Sub(frame.Min("n")).As("span")).
		Sort(frame.Desc("mean")))
	require.Equal(t, `3 rows x 4 columns
city           mean   days   span
dictionary  float64  int64  int64
Lima             30      1      0
Brno             23      2      2
Oslo             14      1      0
`, f.String())
	long := collect(t, table(t).Query().Sample(5, 1))
	require.Equal(t, table(t).Format(2), long.Format(2))
	require.Equal(t, 7, strings.Count(long.Format(3), "\n")) // heading, names, types, 2 rows, dots, 1 row
}

func TestEveryMistakeIsReportedWithItsLine(t *testing.T) {
	t.Parallel()
	_, err := table(t).Query().
		Filter(frame.Col("wrong").Gt(1)).
		Collect(t.Context())
	require.ErrorContains(t, err, `frame_test.go:`)
	require.ErrorContains(t, err, `there is no column "wrong"; there are: city, t, n`)
	_, err = table(t).Query().
		With(frame.Col("city").Mul(2), frame.Col("t").And(true), frame.Col("nothing")).
		Collect(t.Context())
	require.ErrorContains(t, err, "3 mistakes")
	for want, q := range map[string]*frame.Query{
		"an aggregate is for Agg or Window": table(t).Query().With(frame.Sum("n")),
		"is for Window":                     table(t).Query().With(frame.RowNumber()),
		"float64 is no condition":           table(t).Query().Filter(frame.Col("t")),
		"the expression is empty":           table(t).Query().Filter(frame.Expr{}),
		`two columns are called "n"`:        table(t).Query().Select("n", frame.Col("t").As("n")),
		"utf8 has no mean":                  table(t).Query().Agg(frame.Mean("city")),
		"is not between 0 and 1":            table(t).Query().Agg(frame.Quantile("t", 2)),
		"a join needs keys":                 table(t).Query().Join(table(t).Query(), frame.Join{}),
		"there is no join":                  table(t).Query().Join(table(t).Query(), frame.Join{How: "outer", On: []string{"n"}}),
		"no type in common": table(t).Query().Join(table(t).Query(),
			frame.Join{LeftOn: []string{"n"}, RightOn: []string{"city"}}),
		"a query is nil":                 table(t).Query().Join(nil, frame.Join{On: []string{"n"}}),
		"the frame is nil":               (*frame.Frame)(nil).Query(),
		"the source is nil":              frame.Scan(nil),
		"nothing to concatenate":         frame.Concat(),
		"-1 rows":                        table(t).Query().Limit(-1),
		"error parsing regexp":           table(t).Query().Filter(frame.Col("city").Matches("(")),
		`there is no period "fortnight"`: table(t).Query().With(frame.Lit(time.Now()).Truncate("fortnight")),
		"a null needs a type":            table(t).Query().With(frame.Lit(nil).As("x")),
		"is no value of a column":        table(t).Query().With(frame.Lit([]int{1}).As("x")),
		`"Brno" cannot be held by int64`: table(t).Query().With(frame.Col("city").Cast(column.Int64.Of())),
		"a window of 0 rows":             table(t).Query().Window(frame.Over(), frame.RollingSum("n", 0)),
	} {
		_, err := q.Collect(t.Context())
		require.ErrorContains(t, err, want)
	}
	_, err = frame.New(frame.Of("a", []int{1}), frame.Of("b", []int{1, 2}))
	require.ErrorContains(t, err, `"b" has 2 rows`)
}

func TestAJoinThatExplodesIsAnError(t *testing.T) {
	t.Parallel()
	ones, err := frame.New(frame.Of("k", make([]int, 100_000)))
	require.NoError(t, err)
	q := ones.Query().Join(ones.Query(), frame.Join{On: []string{"k"}})
	_, err = q.Collect(t.Context())
	require.ErrorIs(t, err, frame.ErrMemory)
	require.ErrorContains(t, err, "10000000000 rows")
	few := ones.Query().Limit(10_000)
	_, err = few.Join(few, frame.Join{On: []string{"k"}}).Run(t.Context(), frame.Options{Memory: 100 << 20})
	require.ErrorIs(t, err, frame.ErrMemory)
	_, err = few.Join(few, frame.Join{How: frame.Cross}).Run(t.Context(), frame.Options{Memory: 100 << 20})
	require.ErrorIs(t, err, frame.ErrMemory)
}

func TestACancelledContextEndsAQuery(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(fmt.Errorf("enough"))
	_, err := table(t).Query().Filter(frame.Col("t").Gt(0)).Sort("t").Collect(ctx)
	require.ErrorContains(t, err, "enough")
}

func TestASumThatOverflowsIsAnError(t *testing.T) {
	t.Parallel()
	f, err := frame.New(frame.Of("x", []int64{math.MaxInt64, 1, -5}), frame.Of("k", []int{1, 1, 2}),
		frame.Of("u", []uint64{math.MaxUint64, 1, 2}))
	require.NoError(t, err)
	for _, q := range []*frame.Query{f.Query().GroupBy("k").Agg(frame.Sum("x")), f.Query().Agg(frame.Sum("u")),
		f.Query().Window(frame.Over(), frame.CumSum("x"))} {
		_, err = q.Collect(t.Context())
		require.ErrorContains(t, err, "overflows")
	}
	v, err := collect(t, f.Query().Agg(frame.Sum("x"))).Value("x", 0)
	require.NoError(t, err, "what overflows on the way does not matter")
	require.Equal(t, int64(math.MaxInt64-4), v)
}

func TestTimesHaveZonesAndUnits(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 3, 31, 0, 30, 0, 0, time.UTC) // half an hour before summer time in Oslo
	f, err := frame.New(frame.Of("at", []time.Time{at, at.Add(time.Hour)}))
	require.NoError(t, err)
	oslo := column.Type{Kind: column.Timestamp, Unit: column.Millisecond, Zone: "Europe/Oslo"}
	c := frame.Col("at").Cast(oslo)
	got := collect(t, f.Query().Select(c.Hour().As("hour"), c.Truncate("day").As("day"), c.Add(90*time.Minute).Sub(c).As("d"),
		c.Cast(column.Date32.Of()).As("date"), frame.Col("at").Ge(at.Add(time.Minute)).As("late"), c.Epoch().As("ms")))
	require.Equal(t, `2 rows x 6 columns
 hour  day                         d             date        late              ms
int32  timestamp[ms, Europe/Oslo]  duration[ns]  date32      bool           int64
    1  2024-03-31T00:00:00+01:00   1h30m0s       2024-03-31  false  1711845000000
    3  2024-03-31T00:00:00+01:00   1h30m0s       2024-03-31  true   1711848600000
`, got.String())
}

func TestDecimalsAreSummedExactly(t *testing.T) {
	t.Parallel()
	dec := column.Type{Kind: column.Decimal128, Precision: 15, Scale: 2}
	price, err := frame.Cast(column.Of([]string{"0.10", "0.20", "-99999999999.99"}), dec)
	require.NoError(t, err)
	f, err := frame.New(frame.Named{Name: "p", Column: price}, frame.Of("k", []string{"a", "a", "b"}))
	require.NoError(t, err)
	got := collect(t, f.Query().GroupBy("k").Agg(frame.Sum("p").As("sum"), frame.Min("p").As("least"), frame.Mean("p").As("mean")).Sort("sum"))
	require.Equal(t, "-99999999999.99", got.Column("sum").Format(0))
	require.Equal(t, "0.30", got.Column("sum").Format(1))
	require.Equal(t, "0.10", got.Column("least").Format(1))
	_, err = frame.Cast(column.Of([]string{"12345678901234.5"}), dec)
	require.ErrorContains(t, err, "cannot be held")
}

func TestConditionsAndColumnsArePushedDown(t *testing.T) {
	t.Parallel()
	f := table(t)
	q := f.Query().
		Join(f.Query().Select("city", frame.Col("t").As("warmth")), frame.Join{On: []string{"city"}}).
		With(frame.Col("n").Mul(2).As("twice")).
		Filter(frame.Col("warmth").Gt(12).And(frame.Col("n").Lt(4))).
		Select("city", "warmth")
	plan, err := q.Explain()
	require.NoError(t, err)
	require.Equal(t, `project city, warmth
  project city, warmth
    join inner on city = city
      filter (n < 4)
        frame city, n
      project city, t as warmth
        filter (t > 12)
          frame city, t
`, plan)
	r, err := q.Run(t.Context(), frame.Options{})
	require.NoError(t, err)
	require.Contains(t, r.String(), "rows  bytes")
	require.Equal(t, 5, r.Frame.Rows())
}

func TestFramesBecomeTensors(t *testing.T) {
	t.Parallel()
	f := table(t)
	x, err := f.Tensor("t", "n")
	require.NoError(t, err)
	v, err := tensor.ToSlice[float64](x)
	require.NoError(t, err)
	require.Equal(t, []float64{21, 1, 14, 2, 25, 3, 30, 4, 11, 5}, v)
	hot, err := f.OneHot("city")
	require.NoError(t, err)
	require.Equal(t, []string{"city=Brno", "city=Lima", "city=Oslo", "t", "n"}, hot.Names())
	require.Equal(t, []uint8{0, 1, 0, 0, 1}, column.Values[uint8](hot.Column("city=Oslo")))
	few, err := f.OneHot("n", "5", "77")
	require.NoError(t, err)
	require.Equal(t, []uint8{0, 0, 0, 0, 1}, column.Values[uint8](few.Column("n=5")))
	_, err = f.Tensor("city")
	require.ErrorContains(t, err, "OneHot")
	_, err = f.Tensor("none")
	require.ErrorContains(t, err, "no column")
	s, err := f.Standardizer("t", "n")
	require.NoError(t, err)
	g, err := s.Apply(f)
	require.NoError(t, err)
	m := collect(t, g.Query().Agg(frame.Mean("t").As("mean"), frame.Std("n").As("std")))
	require.InDelta(t, 0, column.Values[float64](m.Column("mean"))[0], 1e-15)
	require.InDelta(t, 1, column.Values[float64](m.Column("std"))[0], 1e-15)
	train, test, err := f.Split(0.4, 1)
	require.NoError(t, err)
	require.Equal(t, []int{3, 2}, []int{train.Rows(), test.Rows()})
	both := collect(t, frame.Concat(train.Query(), test.Query()).Sort("n"))
	require.True(t, frame.Equal(f, both))
	var sizes []int
	for b := range f.Batches(2) {
		sizes = append(sizes, b.Rows())
	}
	require.Equal(t, []int{2, 2, 1}, sizes)
	mixed, err := f.Shuffle(3)
	require.NoError(t, err)
	require.False(t, frame.Equal(f, mixed))
	require.True(t, frame.Equal(f, collect(t, mixed.Query().Sort("n"))))
}

var huge = flag.Bool("huge", false, "also test with 2^31 + 1 rows, for which 5 GB are needed")

func TestMoreRowsThanAnInt32Counts(t *testing.T) {
	if !*huge || strconv.IntSize < 64 {
		t.Skip("go test ./frame -run Int32Counts -huge")
	}
	par.Morsel = 16 << 10 // the test runs alone
	rows := 1 << 30
	rows = 2*rows + 1
	v := make([]int8, rows)
	v[rows-1] = 7
	f, err := frame.New(frame.Of("x", v))
	require.NoError(t, err)
	got := collect(t, f.Query().Agg(frame.Sum("x").As("sum"), frame.Max("x").As("max"), frame.Rows().As("rows"), frame.Last("x").As("last")))
	require.Equal(t, []any{int64(7), int8(7), int64(rows), int8(7)},
		[]any{got.Column("sum").Value(0), got.Column("max").Value(0), got.Column("rows").Value(0), got.Column("last").Value(0)})
	one := collect(t, f.Query().Filter(frame.Col("x").Gt(0)))
	require.Equal(t, 1, one.Rows())
	last := collect(t, f.Query().Slice(-1, 1))
	require.Equal(t, int8(7), last.Column("x").Value(0))
}
