package plans

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// kind is the type of a value, as far as it matters for expressions.
type kind int

const (
	isInt kind = iota
	isFloat
	isText
	isBool
	isDate
)

// texts are values of columns of text.
var texts = []string{"", "a", "A", "ab", "b", "Brno", "Oslo", "žluťoučký", "日本", "a%b", "it's"}

// Table is a random table: it has the columns id (distinct numbers), k, x, s, b, d, followed by the table's number.
func Table(r *rand.Rand, number int) (*frame.Frame, error) {
	n := []int{0, 1, 2, 7, 30, 100}[r.IntN(6)]
	few := 1 + r.IntN(12)
	skewed := r.IntN(4) == 0
	key := func() int64 {
		if skewed && r.IntN(10) > 0 {
			return 1
		}
		return int64(r.IntN(few))
	}
	ids := column.NewBuilder(column.Int64.Of(), n)
	k := column.NewBuilder([]column.Type{column.Int64.Of(), column.Int32.Of(), column.Int16.Of()}[r.IntN(3)], n)
	x := column.NewBuilder(column.Float64.Of(), n)
	s := column.NewBuilder([]column.Type{column.String.Of(), column.Dictionary.Of()}[r.IntN(2)], n)
	b, d := column.NewBuilder(column.Bool.Of(), n), column.NewBuilder(column.Date32.Of(), n)
	nulls := r.IntN(3) * 4
	for _, id := range r.Perm(n) {
		ids.Int(int64(id))
		for _, c := range []struct {
			b   *column.Builder
			add func()
		}{
			{k, func() { k.Int(key()) }},
			{x, func() {
				x.Float([]float64{0, 1.5, -2, math.NaN(), math.Inf(1), math.Inf(-1), float64(key()), math.Round(r.NormFloat64()*1e6) / 1e4}[r.IntN(8)])
			}},
			{s, func() { s.Text(texts[r.IntN(min(few, len(texts)))]) }},
			{b, func() { b.Bool(r.IntN(2) == 0) }},
			{d, func() { d.Int(int64(r.IntN(2000)) - 500) }},
		} {
			if nulls > 0 && r.IntN(nulls) == 0 {
				c.b.Null()
			} else {
				c.add()
			}
		}
	}
	var cols []frame.Named
	for i, b := range []*column.Builder{ids, k, x, s, b, d} {
		cols = append(cols, frame.Named{Name: []string{"id", "k", "x", "s", "b", "d"}[i] + strconv.Itoa(number), Column: b.Finish()})
	}
	return frame.New(cols...)
}
