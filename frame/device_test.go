package frame_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
)

// edges is a table of the values at which columns are most likely to go wrong. Of 64-bit integers, the sums do not overflow.
func edges(t *testing.T, repeat int) *frame.Frame {
	t.Helper()
	nan, inf := math.NaN(), math.Inf(1)
	signed := []int64{math.MaxInt64, math.MinInt64, 0, -1, 1, math.MaxInt64, math.MinInt64 + 1, 7}
	unsigned := []uint64{math.MaxUint64, 0, 1, 1 << 63, 1<<63 - 1, 2, 3, 0}
	floats := []float64{nan, -inf, inf, math.Copysign(0, -1), 0, math.MaxFloat64, math.SmallestNonzeroFloat64, nan}
	small := []int8{math.MinInt8, math.MaxInt8, 0, -1, 1, 5, -5, 0}
	texts := []string{"", "b", "a", "日本語", "b", "a", "", "c"}
	days := []int32{0, -1, 11016, 11017, 365, math.MaxInt32, math.MinInt32, 19782}
	stamps := []int64{0, -1, 951782399999999999, 951782400000000000, math.MaxInt64, math.MinInt64 + 1e18, 1, -951782400000000001}
	n := len(signed) * repeat
	valid := make([]bool, n)
	for i := range valid {
		valid[i] = i%3 != 1
	}
	date, err := column.Of(slices.Repeat(days, repeat)).WithType(column.Date32.Of())
	require.NoError(t, err)
	stamp, err := column.Of(slices.Repeat(stamps, repeat)).WithType(column.Timestamp.Of())
	require.NoError(t, err)
	text, err := column.Of(slices.Repeat(texts, repeat)).Encode()
	require.NoError(t, err)
	nulls := func(c *column.Column) *column.Column {
		c, err := c.WithValidity(column.BitmapOfBools(valid))
		require.NoError(t, err)
		return c
	}
	key := make([]int32, n)
	for i := range key {
		key[i] = int32(i % 5)
	}
	f, err := frame.New(
		frame.Of("i", slices.Repeat(signed, repeat)), frame.Named{Name: "in", Column: nulls(column.Of(slices.Repeat(signed, repeat)))},
		frame.Of("u", slices.Repeat(unsigned, repeat)), frame.Of("f", slices.Repeat(floats, repeat)),
		frame.Named{Name: "fn", Column: nulls(column.Of(slices.Repeat(floats, repeat)))},
		frame.Of("s", slices.Repeat(small, repeat)), frame.Named{Name: "t", Column: nulls(text)}, frame.Named{Name: "d", Column: nulls(date)},
		frame.Named{Name: "at", Column: stamp},
		frame.Named{Name: "none", Column: column.Nulls(column.Int32.Of(), n)}, frame.Of("k", key))
	require.NoError(t, err)
	return f
}

// edgeQueries are queries of edges whose results are the same bits on every side.
func edgeQueries(f *frame.Frame) map[string]*frame.Query {
	c := frame.Col
	q := f.Query()
	right, _ := frame.New(frame.Of("k", []int32{4, 0, 2}), frame.Of("name", []string{"four", "zero", "two"}),
		frame.Of("w", []float64{4, 0, 2}))
	names, _ := frame.New(frame.Of("t", []string{"", "本", "b"}), frame.Of("w", []int64{1, 2, 3}))
	signs, _ := frame.New(frame.Of("p", []bool{true}), frame.Of("sign", []string{"+"}))
	texts := column.NewBuilder(column.String.Of(), 5)
	for _, s := range []string{"b", "", "本", "never"} {
		texts.Text(s)
	}
	texts.Null()
	pairs, _ := frame.New(frame.Of("k", []int32{0, 1, 2, 0, 3}), frame.Named{Name: "t", Column: texts.Finish()},
		frame.Of("w", []int64{1, 2, 3, 4, 5}))
	twice, _ := frame.New(frame.Of("k", []int32{0, 1, 0, 4, 3, 1}), frame.Of("i", []int64{-1, 7, -1, 0, 7, 8}),
		frame.Of("p", []bool{true, true, true, false, false, true}))
	wide, _ := frame.New(frame.Of("k", []int32{0, 1, 2, 4, 3}), frame.Of("i", []int64{-1, 7, -1, 0, 7}),
		frame.Of("p", []bool{true, false, true, false, false}), frame.Of("w", []int64{1, 2, 3, 4, 5}))
	day := column.Type{Kind: column.Duration, Unit: column.Second}
	return map[string]*frame.Query{
		"integers": q.Select(c("i").Add(1).As("a"), c("i").Mul(c("i")).As("b"), c("i").Neg().As("c"), c("i").Abs().As("d"),
			c("i").IntDiv(c("s")).As("e"), c("i").Mod(c("s")).As("f"),
			c("s").Add(c("s")).As("g"), c("s").Neg().Abs().As("h"), c("u").Add(1).As("j"), c("u").IntDiv(3).As("l"), c("i").IntDiv(-1).As("m"),
			c("in").Sub(c("i")).As("n")),
		"signs of zero": q.Select(c("f").Round(0).As("a"), c("s").Cast(column.Float64.Of()).Div(-8).Round(0).As("b"),
			c("s").Cast(column.Float32.Of()).Div(8).Round(0).As("c")),
		"comparisons": q.Select(c("f").Lt(c("fn")).As("a"), c("f").Le(0).As("b"), c("f").Eq(c("fn")).As("c"), c("f").Ge(math.NaN()).As("d"),
			c("u").Gt(uint64(1<<63)).As("e"), c("i").Lt(c("in")).As("f"),
			c("f").IsNaN().As("g"), c("fn").IsNull().As("h"), c("in").IsIn(7, nil, -1).As("j"), c("none").Eq(1).As("l"), c("t").Gt("a").As("m"),
			c("d").Lt(time.Unix(0, 0).UTC()).As("n")),
		"logic": q.Select(c("fn").Gt(0).And(c("in").Gt(0)).As("a"), c("fn").Gt(0).Or(c("in").Gt(0)).As("b"),
			c("fn").Gt(0).Or(c("in").Gt(0)).Not().As("c"),
			frame.When(c("in").Gt(0)).Then(c("s")).When(c("f").IsNaN()).Then(1).Otherwise(c("none")).As("d"), c("fn").FillNull(2.5).As("e"),
			c("in").NullIf(-1).As("f"), c("i").Clip(-3, 3).As("g")),
		"casts": q.Select(c("f").TryCast(column.Int64.Of()).As("a"), c("f").TryCast(column.Uint8.Of()).As("b"),
			c("i").TryCast(column.Int8.Of()).As("c"), c("i").TryCast(column.Uint64.Of()).As("d"),
			c("u").TryCast(column.Int64.Of()).As("e"), c("u").TryCast(column.Float32.Of()).As("f"), c("s").Cast(column.Bool.Of()).As("g"),
			c("f").Gt(0).Cast(column.Int16.Of()).As("h"),
			c("d").TryCast(column.Timestamp.Of()).As("j"), c("at").TryCast(column.Date32.Of()).As("l"),
			c("at").TryCast(column.Type{Kind: column.Timestamp, Unit: column.Millisecond}).As("m"), c("i").Cast(column.Float64.Of()).As("n")),
		"times": q.Select(c("d").Year().As("a"), c("d").Month().As("b"), c("d").Day().As("c"), c("d").Weekday().As("e"), c("d").YearDay().As("f"),
			c("d").Quarter().As("g"), c("at").Year().As("h"),
			c("at").Hour().As("j"), c("at").Minute().As("l"), c("at").Second().As("m"), c("at").Weekday().As("n"),
			c("d").Sub(time.Unix(86400, 0).UTC()).As("o"), c("s").Cast(column.Int64.Of()).Cast(day).Mul(3).As("p")),
		"strings": q.Select(c("t").Len().As("a"), c("t").Upper().As("b"), c("t").Contains("本").As("c"), c("t").FillNull("x").As("d"),
			c("t").IsNull().As("e")),
		"filter": q.With(c("i").Add(c("s")).As("x"), c("f").Mul(2).As("y")).Filter(c("f").Gt(0).Or(c("t").Eq("b"))).Select("x", "y", "t", "none",
			"at"),
		"nothing": q.Filter(c("none").Gt(0)).With(c("i").Add(1).As("x")),
		"groups of few": q.GroupBy("t", "none", c("s").Gt(0).As("p")).Agg(frame.Rows().As("a"), frame.Count("fn").As("b"), frame.Min("f").As("c"),
			frame.Max("fn").As("d"), frame.Min("u").As("e"),
			frame.Max("i").As("f"), frame.First("at").As("g"), frame.Last("in").As("h"), frame.Any(c("fn").Gt(0)).As("j"),
			frame.All(c("fn").Gt(0)).As("l"), frame.Sum("s").As("m"), frame.Min("d").As("n"), frame.Last(c("i").Add(1)).As("o")),
		"groups of floats": q.GroupBy("fn").Agg(frame.Rows().As("a"), frame.Sum("k").As("b"), frame.Max("none").As("c"),
			frame.First("t").As("d")),
		"groups of months": q.GroupBy(c("d").Month().As("m"), c("d").Weekday().As("w")).Agg(frame.Rows().As("a"),
			frame.Sum(c("s").Mul(c("k"))).As("b")),
		"all rows": q.Agg(frame.Sum(c("in").IntDiv(512)).As("a"), frame.Sum("k").As("b"), frame.Min("f").As("c"), frame.Max("f").As("d"),
			frame.First("t").As("e"), frame.Last("fn").As("f"), frame.Sum("none").As("g"), frame.Count("t").As("h"),
			frame.Sum(c("u").IntDiv(512)).As("j")),
		"sort by floats": q.Sort("fn", frame.Desc("i")).Select("fn", "i", "t", "k"),
		"sort by few":    q.Filter(c("k").Ne(3)).Sort(frame.Desc("t"), frame.Asc("d").NullsFirst(), "s").Select("t", "d", "s", "i"),
		"top":            q.TopK(3, frame.Desc("u")).Select("u", "t"),
		"distinct":       q.With(c("k").Mul(2).As("x")).Distinct("t", "k"),
		"join":           q.Join(right.Query(), frame.Join{On: []string{"k"}}).Select("k", "name", c("w").Mul(2).As("x"), "t"),
		"left join": q.Join(right.Query(), frame.Join{How: frame.Left, On: []string{"k"}}).Filter(c("i").Ge(0)).Select("k", "name",
			c("w").FillNull(9).As("x")),
		"anti join":       q.Join(right.Query(), frame.Join{How: frame.Anti, On: []string{"k"}}).Select("k", "i"),
		"join by strings": q.Join(names.Query(), frame.Join{How: frame.Left, On: []string{"t"}}).Select("t", "w", "k"),
		"join by bools":   q.With(c("s").Gt(0).As("p")).Join(signs.Query(), frame.Join{On: []string{"p"}}).Select("s", "sign"),
		"semi join": q.Join(right.Query(), frame.Join{How: frame.Semi, On: []string{"k"}}).With(c("k").Add(1).As("x")).Select("k", "x",
			"t"),
		"join by two": q.Join(pairs.Query(), frame.Join{On: []string{"k", "t"}}).Select("k", "t", c("w").Add(1).As("x"), "i"),
		"left by two": q.Join(pairs.Query(), frame.Join{How: frame.Left, On: []string{"t", "k"}}).Select("k", "t", "w"),
		"left by three": q.With(c("s").Gt(0).As("p")).Join(wide.Query(), frame.Join{How: frame.Left, On: []string{"i", "p", "k"}}).Select("i",
			"p", "k", "w"),
		"semi by three": q.With(c("s").Gt(0).As("p")).Join(twice.Query(), frame.Join{How: frame.Semi, On: []string{"i", "p", "k"}}).Select("i",
			"p", "k"),
		"anti by nulls": q.Join(twice.Query(),
			frame.Join{How: frame.Anti, LeftOn: []string{"in", "k"}, RightOn: []string{"i", "k"}}).Select("in", "k", "t"),
		"joined groups": q.Join(right.Query(), frame.Join{On: []string{"k"}}).GroupBy("t").Agg(frame.Max("w").As("x"), frame.Rows().As("n"),
			frame.Last("name").As("y")),
	}
}

// The queries run on the CPU engine of ops, and some of them, since each costs seconds of compiling, on the device.
func TestDevicesGiveTheSameBitsAsTheCPUPath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"none", ""} {
		t.Run("device="+name, func(t *testing.T) {
			t.Parallel()
			d := openDevice(t, name, frame.DeviceOptions{Place: ops.OnDevice})
			for _, repeat := range []int{1, 40} {
				f := edges(t, repeat)
				for title, q := range edgeQueries(f) {
					if name == "" && *manyPlans == 0 && (repeat == 1 || !slices.Contains([]string{"integers", "joined groups"}, title)) {
						continue
					}
					sameOnDevice(t, d, fmt.Sprintf("%s, repeated %d times", title, repeat), q)
				}
			}
		})
	}
}

func TestGraphsOfColumnsAreOfOpsInTheMatrix(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "none", frame.DeviceOptions{Place: ops.OnDevice, Compact: frame.Yes})
	for _, q := range edgeQueries(edges(t, 2)) {
		_, err := q.CollectOn(t.Context(), d)
		require.NoError(t, err)
	}
	inTable := map[string]*ops.Op{}
	for op := range ops.Table() {
		inTable[op.Name] = op
	}
	seen := map[string]bool{}
	for _, g := range d.Graphs() {
		for n := range g.Nodes() {
			op := inTable[n.Op().Name]
			if op == nil { // inputs, constants, results of several
				continue
			}
			seen[op.Name] = true
			require.NotEmpty(t, optest.Samples(op.Name), op.Name)
			dt := n.DType()
			if in := n.Operands(); len(in) > 0 {
				dt = in[0].DType()
			}
			if op.Name == "where" {
				dt = n.DType()
			}
			require.Contains(t, optest.DTypes(op), dt, op.Name)
		}
	}
	for _, name := range []string{"scatter", "gather", "where", "sort", "cast", "compress"} {
		require.True(t, seen[name], name)
	}
}

func TestMistakesOfValuesAreThoseOfTheCPUPath(t *testing.T) {
	t.Parallel()
	d := openDevice(t, "none", frame.DeviceOptions{Place: ops.OnDevice})
	f := edges(t, 3)
	for _, q := range []*frame.Query{
		f.Query().Select(frame.Col("i").Cast(column.Int32.Of())),
		f.Query().Agg(frame.Sum("u")),
		f.Query().Filter(frame.Col("i").Gt(5)).GroupBy("k").Agg(frame.Sum("i")),
		f.Query().Select(frame.Col("f").Cast(column.Int64.Of())),
		f.Query().Select(frame.Col("d").Cast(column.Timestamp.Of())),
		f.Query().Window(frame.Over("k").OrderBy("s"), frame.CumSum("i").As("w")),
		f.Query().Window(frame.Over("k"), frame.CumSum("u").As("w")),
		f.Query().Window(frame.Over(), frame.Sum("u").As("w")),
	} {
		_, want := q.Collect(t.Context())
		require.Error(t, want)
		_, err := q.CollectOn(t.Context(), d)
		require.EqualError(t, err, want.Error())
	}
	// Rows that a filter has left out cannot make a cast fail.
	q := f.Query().Filter(frame.Col("i").Between(-100, 100)).Select(frame.Col("i").Cast(column.Int8.Of()))
	r, err := q.Run(t.Context(), frame.Options{Device: d})
	require.NoError(t, err)
	require.Equal(t, 2, r.OnDevice())
}
