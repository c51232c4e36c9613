package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// groups is db-benchmark's K, how many values the small keys have.
const groups = 100

// generate makes the tables: g for the groups, x for the left side of joins, and small, medium and big for their right sides.
func generate(n int, dictionary bool) (map[string]*frame.Frame, error) {
	r := rand.New(rand.NewPCG(42, 42))
	ints := func(n, k int) frame.Named {
		v := make([]int32, n)
		for i := range v {
			v[i] = int32(1 + r.IntN(k))
		}
		return frame.Named{Column: column.Of(v)}
	}
	texts := func(c frame.Named, format string) frame.Named {
		kind := column.String
		if dictionary {
			kind = column.Dictionary
		}
		b := column.NewBuilder(kind.Of(), c.Column.Len())
		for _, v := range column.Values[int32](c.Column) {
			b.Text(fmt.Sprintf(format, v))
		}
		return frame.Named{Column: b.Finish()}
	}
	floats := func(n int) frame.Named {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Round(r.Float64()*100e6) / 1e6
		}
		return frame.Named{Column: column.Of(v)}
	}
	table := func(names []string, cols ...frame.Named) (*frame.Frame, error) {
		for i := range cols {
			cols[i].Name = names[i]
		}
		return frame.New(cols...)
	}
	out := map[string]*frame.Frame{}
	var err error
	many := max(n/groups, 1)
	if out["g"], err = table([]string{"id1", "id2", "id3", "id4", "id5", "id6", "v1", "v2", "v3"},
		texts(ints(n, groups), "id%03d"), texts(ints(n, groups), "id%03d"), texts(ints(n, many), "id%010d"),
		ints(n, groups), ints(n, groups), ints(n, many), ints(n, 5), ints(n, 15), floats(n)); err != nil {
		return nil, err
	}
	// Of the keys of joins, nine of ten have a partner; those of a right side are unique.
	distinct := func(k int) frame.Named {
		v := make([]int32, k)
		for i, p := range r.Perm(k + k/10)[:k] {
			v[i] = int32(p + 1)
		}
		return frame.Named{Column: column.Of(v)}
	}
	small, medium := max(n/1_000_000, 1), max(n/1000, 1)
	id1, id2, id3 := ints(n, small+max(small/10, 1)), ints(n, medium+max(medium/10, 1)), distinct(n)
	if out["x"], err = table([]string{"id1", "id2", "id3", "id4", "id5", "id6", "v1"}, id1, id2, id3,
		texts(id1, "id%d"), texts(id2, "id%d"), texts(id3, "id%d"), floats(n)); err != nil {
		return nil, err
	}
	a, b, c := distinct(small), distinct(medium), distinct(n)
	if out["small"], err = table([]string{"id1", "id4", "v2"}, a, texts(a, "id%d"), floats(small)); err != nil {
		return nil, err
	}
	if out["medium"], err = table([]string{"id1", "id2", "id4", "id5", "v2"}, ints(medium, small), b, texts(ints(medium, small), "id%d"),
		texts(b, "id%d"), floats(medium)); err != nil {
		return nil, err
	}
	out["big"], err = table([]string{"id1", "id2", "id3", "id4", "id5", "id6", "v2"}, ints(n, small), ints(n, medium), c,
		texts(ints(n, small), "id%d"), texts(ints(n, medium), "id%d"), texts(c, "id%d"), floats(n))
	return out, err
}

// question is one of the benchmark, with the columns whose sums are compared.
type question struct {
	name, text string
	query      *frame.Query
	checked    []string
}

func questions(t map[string]*frame.Frame) []question {
	g, x := t["g"].Query(), t["x"].Query()
	on := func(right string, how frame.JoinKind, key string) *frame.Query {
		return x.Join(t[right].Query(), frame.Join{How: how, On: []string{key}})
	}
	return []question{
		{"q1", "sum by id1", g.GroupBy("id1").Agg(frame.Sum("v1").As("v1")), []string{"v1"}},
		{"q2", "sum by id1, id2", g.GroupBy("id1", "id2").Agg(frame.Sum("v1").As("v1")), []string{"v1"}},
		{"q3", "sum, mean by id3", g.GroupBy("id3").Agg(frame.Sum("v1").As("v1"), frame.Mean("v3").As("v3")), []string{"v1", "v3"}},
		{"q4", "means by id4", g.GroupBy("id4").Agg(frame.Mean("v1").As("v1"), frame.Mean("v2").As("v2"), frame.Mean("v3").As("v3")),
			[]string{"v1", "v2", "v3"}},
		{"q5", "sums by id6", g.GroupBy("id6").Agg(frame.Sum("v1").As("v1"), frame.Sum("v2").As("v2"), frame.Sum("v3").As("v3")),
			[]string{"v1", "v2", "v3"}},
		{"q6", "median, sd by id4, id5", g.GroupBy("id4", "id5").Agg(frame.Median("v3").As("median"), frame.Std("v3").As("sd")),
			[]string{"median", "sd"}},
		{"q7", "max - min by id3", g.GroupBy("id3").Agg(frame.Max("v1").Sub(frame.Min("v2")).As("range")), []string{"range"}},
		{"q8", "two largest by id6", g.Select("id6", "v3").GroupBy("id6").TopK(2, frame.Desc("v3")), []string{"v3"}},
		{"q9", "corr^2 by id2, id4", g.GroupBy("id2", "id4").Agg(frame.Corr("v1", "v2").Pow(2).As("r2")), []string{"r2"}},
		{"q10", "sum, count by six", g.GroupBy("id1", "id2", "id3", "id4", "id5", "id6").Agg(frame.Sum("v3").As("v3"), frame.Rows().As("count")),
			[]string{"v3", "count"}},
		{"j1", "join small on int", on("small", frame.Inner, "id1"), []string{"v1", "v2"}},
		{"j2", "join medium on int", on("medium", frame.Inner, "id2"), []string{"v1", "v2"}},
		{"j3", "left join medium on int", on("medium", frame.Left, "id2"), []string{"v1", "v2"}},
		{"j4", "join medium on string", on("medium", frame.Inner, "id5"), []string{"v1", "v2"}},
		{"j5", "join big on int", on("big", frame.Inner, "id3"), []string{"v1", "v2"}},
	}
}
