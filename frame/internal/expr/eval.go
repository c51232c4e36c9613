package expr

import (
	"slices"
	"unsafe"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/lower"
)

// Morsel is some rows of columns, and memory for values computed from them.
type Morsel struct {
	Cols  []*column.Column
	n     int
	arena arena
}

// Bound is an expression whose columns are positions and whose types are known. Its value has a row for each of the morsel's, or one that
// stands for all of them.
type Bound struct {
	Type     column.Type
	Constant bool
	Eval     func(m *Morsel) (*column.Column, error)
	Column   int  // position of a column that is the whole expression, else -1
	mixed    bool // an integer literal, which takes the type of the other operand

	what  string                                 // describes it, for reasons
	lower func(l *Lowering) (lower.Value, error) // the same as ops of a graph; nil: there is no such form
	Uses  []int                                  // positions of the columns that are read
}

// on gives an expression its form as ops: f computes it from the forms of the operands.
func (e Bound) on(f func(l *Lowering, a []lower.Value) (lower.Value, error), operands ...Bound) Bound {
	e.lower = func(l *Lowering) (lower.Value, error) {
		values := make([]lower.Value, len(operands))
		for i, o := range operands {
			var err error
			if values[i], err = l.Of(o); err != nil {
				return lower.Value{}, err
			}
		}
		return f(l, values)
	}
	return e
}

// using says which columns an expression reads: those of its operands.
func (e Bound) using(operands ...Bound) Bound {
	for _, o := range operands {
		for _, i := range o.Uses {
			if !slices.Contains(e.Uses, i) {
				e.Uses = append(e.Uses[:len(e.Uses):len(e.Uses)], i)
			}
		}
	}
	return e
}

// arena hands out memory that is free again with the next morsel. It stays in a core's cache.
type arena struct {
	block []uint64
	used  int
	full  [][]uint64
}

func (a *arena) reset() {
	if len(a.full) > 0 { // one block next time, as large as all were
		total := len(a.block)
		for _, b := range a.full {
			total += len(b)
		}
		a.block, a.full = make([]uint64, total), nil
	}
	a.used = 0
}

// Take begins with rows lo to hi-1 of columns, and forgets the values computed before.
func (m *Morsel) Take(cols []*column.Column, lo, hi int) {
	m.arena.reset()
	m.n, m.Cols = hi-lo, m.Cols[:0]
	for _, c := range cols {
		m.Cols = append(m.Cols, c.Slice(lo, hi))
	}
}

// Drop forgets the columns, so that a morsel that is kept holds its own memory alone.
func (m *Morsel) Drop() { clear(m.Cols[:cap(m.Cols)]) }

// scratch returns n values with any content.
func scratch[T any](m *Morsel, n int) []T {
	var z T
	words := (n*int(unsafe.Sizeof(z)) + 7) / 8
	a := &m.arena
	if a.used+words > len(a.block) {
		if a.block != nil {
			a.full = append(a.full, a.block)
		}
		a.block, a.used = make([]uint64, max(words, min(64<<10, 64+4*m.n))), 0 // of a few rows a small one
	}
	p := a.block[a.used : a.used+words]
	a.used += words
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(p))), n)
}

// bitmap returns n bits with any content.
func (m *Morsel) bitmap(n int) column.Bitmap {
	words := scratch[uint64](m, (n+63)/64)
	b, _ := column.BitmapOf(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8), 0, n)
	return b
}

// length returns how many rows the result of columns has: 1 if all have one for all.
func length(m *Morsel, cols ...*column.Column) int {
	for _, c := range cols {
		if c.Len() != 1 {
			return m.n
		}
	}
	return 1
}

// Spread repeats a value that stands for all rows.
func Spread(c *column.Column, n int) *column.Column {
	if c.Len() == n {
		return c
	}
	if c.IsNull(0) {
		return column.Nulls(c.Type(), n)
	}
	switch {
	case c.Type().Kind == column.Bool:
		b := column.NewBitmap(n)
		if c.Bits().Get(0) {
			b.Fill()
		}
		out, _ := column.Bools(b, column.Bitmap{})
		return out
	case c.Type().IsString():
		dict := column.Of([]string{c.Text(0)})
		d := column.Trusted(make([]int32, n), dict, column.Bitmap{})
		if c.Type().Kind == column.Dictionary {
			return d
		}
		return d.Plain()
	}
	w := c.Type().Width()
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column.Make[uint64]((n*w+7)/8)))), n*w)
	for i := range n {
		copy(data[i*w:], c.Data()[:w])
	}
	out, _ := column.Fixed(c.Type(), data, column.Bitmap{})
	return out
}
