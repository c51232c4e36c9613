package frame_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// The reference holds a table as rows of Go values (nil for null, int64 for every integer and for dates, float64, bool, string) and
// does everything row by row.
type kind int

const (
	isBool kind = iota
	isInt
	isFloat
	isString
	isDate
)

type ref struct {
	names []string
	kinds []kind
	exact []bool // sums of the column do not depend on their order
	rows  [][]any
}

func (t *ref) add(name string, k kind, exact bool) {
	t.names, t.kinds, t.exact = append(t.names, name), append(t.kinds, k), append(t.exact, exact)
}

// head returns a table with the same columns and no rows.
func (t *ref) head() *ref {
	c := &ref{}
	for i := range t.names {
		c.add(t.names[i], t.kinds[i], t.exact[i])
	}
	return c
}

// order compares values that are not null: NaN is equal to NaN and above the rest, 0 equals -0.
func order(a, b any) int {
	switch x := a.(type) {
	case bool:
		y := b.(bool)
		switch {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	case int64:
		y := b.(int64)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	case string:
		return strings.Compare(x, b.(string))
	}
	x, y := a.(float64), b.(float64)
	switch {
	case math.IsNaN(x) && math.IsNaN(y):
		return 0
	case math.IsNaN(x):
		return 1
	case math.IsNaN(y):
		return -1
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// identity is equal for values that are one key.
func identity(vs ...any) string {
	var s strings.Builder
	for _, v := range vs {
		switch x := v.(type) {
		case nil:
			s.WriteString("null")
		case float64:
			if x == 0 {
				x = 0 // not -0
			}
			fmt.Fprintf(&s, "f%v", x)
		default:
			fmt.Fprintf(&s, "%T%v", v, v)
		}
		s.WriteByte(0)
	}
	return s.String()
}

// plain returns a value of a column as the reference has it.
func plain(c *column.Column, i int) any {
	switch v := c.Value(i).(type) {
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case uint8:
		return int64(v)
	case uint64:
		return int64(v)
	case float32:
		return float64(v)
	case time.Time:
		return v.Unix() / 86400
	default:
		return v
	}
}

// same reports whether two results are equal, floats but for rounding.
func same(a, b any) bool {
	x, ok := a.(float64)
	y, ok2 := b.(float64)
	if !ok || !ok2 {
		return a == b
	}
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return x == y
	}
	return x == y || x != x && y != y || math.Abs(x-y) <= 1e-9*max(1, math.Abs(x), math.Abs(y))
}

var words = []string{"", "a", "A", "ab", "abc", "b_c", "x%y", "straße", "日本語", "Ünï", "a,b", "a,b,c", "zebra", "the quick brown fox jumps"}

// randomTable makes a table of 0 to about 60 rows, sometimes more, in both forms.
func randomTable(r *rand.Rand, prefix string) (*frame.Frame, *ref) {
	n := []int{0, 1, 2, 5, 17, 40, 64, 65, 130}[r.IntN(9)]
	distinct := []int{1, 3, 10, 1000}[r.IntN(4)]
	nulls := []int{0, 0, 4, 2}[r.IntN(4)]
	t := &ref{rows: make([][]any, n)}
	var cols []frame.Named
	for i, k := range []kind{isInt, isFloat, isString, isInt, isBool, isString, isDate, isFloat} {
		typ := []column.Kind{column.Int64, column.Float64, column.String, column.Int8, column.Bool, column.Dictionary, column.Date32,
			column.Float64}[i]
		name := fmt.Sprintf("%s%d", prefix, i)
		b := column.NewBuilder(typ.Of(), n)
		for row := range n {
			v := r.IntN(distinct) - distinct/2
			if r.IntN(3) == 0 {
				v = 0 // skew
			}
			if nulls > 0 && r.IntN(nulls) == 0 {
				b.Null()
				t.rows[row] = append(t.rows[row], nil)
				continue
			}
			var x any
			switch k {
			case isInt:
				if typ == column.Int8 {
					v %= 100
				}
				b.Int(int64(v))
				x = int64(v)
			case isFloat:
				f := float64(v) / 4
				switch r.IntN(25) {
				case 0:
					f = math.NaN()
				case 1:
					f = math.Copysign(0, -1)
				case 2:
					f = math.Inf(1 - 2*r.IntN(2))
				}
				b.Float(f)
				x = f
			case isString:
				s := words[(v%len(words)+len(words))%len(words)]
				b.Text(s)
				x = s
			case isBool:
				b.Bool(v&1 != 0)
				x = v&1 != 0
			case isDate:
				b.Int(int64(v)*37 + 11000)
				x = int64(v)*37 + 11000
			}
			t.rows[row] = append(t.rows[row], x)
		}
		t.add(name, k, true)
		cols = append(cols, frame.Named{Name: name, Column: b.Finish()})
	}
	f, err := frame.New(cols...)
	if err != nil {
		panic(err)
	}
	return f, t
}
