package keys

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
)

var two = par.Pool{Context: context.Background(), Workers: 3}

// sample returns n values of a kind of which some are null, from about distinct values.
func sample(k column.Kind, n, distinct int, r *rand.Rand) *column.Column {
	b := column.NewBuilder(k.Of(), n)
	for range n {
		v := int64(r.IntN(distinct)) - int64(distinct)/2
		switch {
		case r.IntN(distinct+2) == 0:
			b.Null()
		case k == column.Bool:
			b.Bool(v&1 == 0)
		case k == column.String || k == column.Dictionary:
			b.Text(strings.Repeat("x", int(v&15)) + fmt.Sprint(v))
		case k == column.Float64 || k == column.Float32:
			b.Float([]float64{math.NaN(), math.Copysign(0, -1), 0, math.Inf(-1), float64(v), float64(v), float64(v)}[r.IntN(7)])
		case k == column.Decimal128:
			b.Decimal(column.Decimal{Lo: uint64(v), Hi: v % 3})
		case k == column.Int64 && r.IntN(4) == 0:
			b.Int([]int64{math.MinInt64, math.MaxInt64}[r.IntN(2)])
		default:
			b.Int(v)
		}
	}
	return b.Finish()
}

// text of a value is equal where values are in grouping.
func text(c *column.Column, i int) string {
	if c.Type().IsFloat() && !c.IsNull(i) && c.Format(i) == "-0" {
		return "=0"
	}
	if c.IsNull(i) {
		return "\x00"
	}
	return "=" + c.Format(i)
}

func digitsOf(t *testing.T, o Order, cols ...*column.Column) (all []Digit, of []*column.Column) {
	for _, c := range cols {
		d, err := Digits(two, c, o)
		require.NoError(t, err)
		for range d {
			of = append(of, c)
		}
		all = append(all, d...)
	}
	return all, of
}

var kinds = []column.Kind{column.Bool, column.Int8, column.Uint16, column.Int32, column.Int64, column.Float32, column.Float64,
	column.Decimal128, column.String, column.Dictionary, column.Uint64}

// trials is how many random tables are tried: under the race detector, which slows each ten times, some.
func trials() int {
	if testing.Short() {
		return 40
	}
	return 120
}

func TestGroupsAndIndexesAgreeWithMaps(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for trial := range trials() {
		n := []int{0, 1, 70, 3000, 400_000}[min(r.IntN(5), 3+trial%40/39)]
		distinct := []int{2, 50, 100_000}[r.IntN(3)]
		var cols, others []*column.Column
		for range 1 + r.IntN(4) {
			k := kinds[r.IntN(len(kinds))]
			cols, others = append(cols, sample(k, n, distinct, r)), append(others, sample(k, n/2, distinct, r))
		}
		key := func(cols []*column.Column, i int) (s string, null bool) {
			for _, c := range cols {
				s += text(c, i) + "|"
				null = null || c.IsNull(i)
			}
			return
		}
		digits, of := digitsOf(t, Order{}, cols...)
		g, err := Group(two, digits, n)
		require.NoError(t, err)
		ids, first, rows := map[string]int{}, []uint32(nil), map[string][]uint32{}
		for i := range n {
			s, null := key(cols, i)
			id, ok := ids[s]
			if !ok {
				id = len(first)
				ids[s], first = id, append(first, uint32(i))
			}
			number := uint32(id)
			if g.Order != nil {
				number = g.Order[id]
			}
			if g.IDs[i] != number {
				t.Fatalf("trial %d: row %d of %d, key %q, is in group %d, not %d, whose first row is %d", trial, i, n, s, g.IDs[i], number, first[id])
			}
			if !null {
				rows[s] = append(rows[s], uint32(i))
			}
		}
		require.Equal(t, len(first), g.Len())
		require.True(t, slices.Equal(first, g.First))

		x, err := NewIndex(two, digits, n)
		require.NoError(t, err)
		at := map[*column.Column]*column.Column{}
		for i := range cols {
			at[cols[i]] = others[i]
		}
		var probes []*column.Column
		for _, c := range of {
			probes = append(probes, at[c])
		}
		found, err := x.Find(two, probes, n/2)
		require.NoError(t, err)
		for i, row := range found {
			s, _ := key(others, i)
			if row != 0 {
				require.EqualValues(t, len(rows[s]), x.Count(row-1))
			}
			var got []uint32
			for ; row != 0; row = x.Next(row - 1) {
				got = append(got, row-1)
			}
			if !slices.Equal(rows[s], got) {
				t.Fatalf("trial %d: key %q is found in rows %v, not %v", trial, s, got, rows[s])
			}
		}
	}
}

func compare(c *column.Column, o Order, i, j int) int {
	if a, b := c.IsNull(i), c.IsNull(j); a || b {
		switch {
		case a && b:
			return 0
		case a == o.NullsLast:
			return 1
		}
		return -1
	}
	r := 0
	switch x := c.Value(i).(type) {
	case float64:
		y := c.Value(j).(float64)
		r = floats(x, y)
	case float32:
		r = floats(float64(x), float64(c.Value(j).(float32)))
	case string:
		r = strings.Compare(x, c.Text(j))
	case column.Decimal:
		r = x.Big().Cmp(c.Value(j).(column.Decimal).Big())
	case bool:
		y := c.Value(j).(bool)
		switch {
		case x == y:
		case x:
			r = 1
		default:
			r = -1
		}
	case uint64:
		y := c.Value(j).(uint64)
		switch {
		case x < y:
			r = -1
		case x > y:
			r = 1
		}
	default:
		var a, b int64
		fmt.Sscan(c.Format(i), &a)
		fmt.Sscan(c.Format(j), &b)
		switch {
		case a < b:
			r = -1
		case a > b:
			r = 1
		}
	}
	if o.Desc {
		r = -r
	}
	return r
}

func floats(x, y float64) int {
	switch {
	case x != x && y != y, x == y:
		return 0
	case x != x, x > y:
		return 1
	}
	return -1
}

func TestSortIsStableAndTopIsItsBeginning(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for trial := range trials() {
		n := []int{0, 1, 70, 3000, 100_000}[min(r.IntN(5), 3+trial%30/29)]
		distinct := []int{2, 50, 100_000}[r.IntN(3)]
		var cols []*column.Column
		var orders []Order
		var digits []Digit
		for range 1 + r.IntN(3) {
			c := sample(kinds[r.IntN(len(kinds))], n, distinct, r)
			o := Order{Sorted: true, Desc: r.IntN(2) == 0, NullsLast: r.IntN(2) == 0}
			d, _ := digitsOf(t, o, c)
			cols, orders, digits = append(cols, c), append(orders, o), append(digits, d...)
		}
		want := make([]uint32, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int {
			for i, c := range cols {
				if r := compare(c, orders[i], int(a), int(b)); r != 0 {
					return r
				}
			}
			return 0
		})
		got, err := Sort(two, digits, n)
		require.NoError(t, err)
		if !slices.Equal(want, got) {
			t.Fatalf("trial %d: %d rows of %v in another order", trial, n, orders)
		}
		k := r.IntN(n + 2)
		if trial%2 == 0 {
			k = min(n, 7)
		}
		top, err := Top(two, digits, n, k)
		require.NoError(t, err)
		if !slices.Equal(want[:min(k, n)], top) {
			t.Fatalf("trial %d: the first %d of %d rows differ", trial, k, n)
		}
	}
}

func TestManyGroupsAreFoundInPartitions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	n := 1 << 20
	v := make([]uint64, n)
	for i := range v {
		v[i] = hash64(uint64(r.IntN(n)))
	}
	digits, of := digitsOf(t, Order{}, column.Of(v))
	g, err := Group(two, digits, n)
	require.NoError(t, err)
	ids := map[uint64]uint32{}
	for i, x := range v {
		id, ok := ids[x]
		if !ok {
			id = uint32(len(ids))
			ids[x] = id
			require.Equal(t, uint32(i), g.First[id])
		}
		if g.IDs[i] != id {
			t.Fatalf("row %d is in group %d, not %d", i, g.IDs[i], id)
		}
	}
	x, err := NewIndex(two, digits, n)
	require.NoError(t, err)
	found, err := x.Find(two, of, n)
	require.NoError(t, err)
	for i, row := range found {
		if row != g.First[g.IDs[i]]+1 {
			t.Fatalf("row %d is found in row %d", i, row)
		}
	}
}

func TestAContextEndsTheWork(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := par.Pool{Context: ctx, Workers: 2}
	digits, _ := digitsOf(t, Order{}, column.Of(make([]float64, 100)))
	_, err := Group(p, digits, 100)
	require.ErrorIs(t, err, context.Canceled)
	_, err = Sort(p, digits, 100)
	require.ErrorIs(t, err, context.Canceled)
}

// Look-ups of strings share a table that the first of them makes.
func TestGoroutinesShareAnIndex(t *testing.T) {
	t.Parallel()
	texts := func(from, n int) *column.Column {
		v := make([]string, n)
		for i := range v {
			v[i] = fmt.Sprint("key", from+i)
		}
		return column.Of(v)
	}
	encoded := func(c *column.Column) *column.Column {
		c, err := c.Encode()
		require.NoError(t, err)
		return c
	}
	digits, of := digitsOf(t, Order{}, encoded(texts(0, 100)))
	require.Len(t, of, 1)
	x, err := NewIndex(two, digits, 100)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for k := range 6 {
		probe := texts(10*k, 100)
		if k%2 == 0 {
			probe = encoded(probe)
		}
		wg.Go(func() {
			found, err := x.Find(two, []*column.Column{probe}, 100)
			if err != nil {
				t.Error(err)
			}
			for i, row := range found {
				if want := 10*k + i + 1; int(row) != want && (want <= 100 || row != 0) {
					t.Errorf("goroutine %d: key %d is in row %d", k, 10*k+i, row)
				}
			}
		})
	}
	wg.Wait()
}
