package frame

import (
	"slices"
	"unsafe"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
)

// morsel is some rows of columns, and memory for what is computed from them.
type morsel struct {
	cols  []*column.Column
	n     int
	arena arena
}

// bound is an expression whose columns are positions and whose types are known. Its value has a row for each of the morsel's, or one that stands for
// all of them.
type bound struct {
	typ   column.Type
	konst bool
	eval  func(m *morsel) (*column.Column, error)
	col   int  // position of a column that is the whole expression, else -1
	mixed bool // an integer literal, which takes the type of what is beside it

	what  string                           // what it is, for reasons
	lower func(l *lowering) (value, error) // the same as ops of a graph; nil: there is no such form
	uses  []int                            // positions of the columns that are read
}

// on gives an expression its form as ops: of those of its operands.
func (e bound) on(f func(l *lowering, a []value) (value, error), operands ...bound) bound {
	e.lower = func(l *lowering) (value, error) {
		values := make([]value, len(operands))
		for i, o := range operands {
			var err error
			if values[i], err = l.of(o); err != nil {
				return value{}, err
			}
		}
		return f(l, values)
	}
	return e
}

// using says which columns an expression reads: those of its operands.
func (e bound) using(operands ...bound) bound {
	for _, o := range operands {
		for _, i := range o.uses {
			if !slices.Contains(e.uses, i) {
				e.uses = append(e.uses[:len(e.uses):len(e.uses)], i)
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

// scratch returns n values with any content.
func scratch[T any](m *morsel, n int) []T {
	var z T
	words := (n*int(unsafe.Sizeof(z)) + 7) / 8
	a := &m.arena
	if a.used+words > len(a.block) {
		if a.block != nil {
			a.full = append(a.full, a.block)
		}
		a.block, a.used = make([]uint64, max(words, 64<<10)), 0
	}
	p := a.block[a.used : a.used+words]
	a.used += words
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(p))), n)
}

// bitmap returns n bits with any content.
func (m *morsel) bitmap(n int) column.Bitmap {
	words := scratch[uint64](m, (n+63)/64)
	b, _ := column.BitmapOf(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8), 0, n)
	return b
}

// length returns how many rows the result of columns has: 1 if all have one for all.
func length(m *morsel, cols ...*column.Column) int {
	for _, c := range cols {
		if c.Len() != 1 {
			return m.n
		}
	}
	return 1
}

// evaluate computes expressions over the rows of columns, in morsels.
func (x *exec) evaluate(cols []*column.Column, n int, exprs []bound) ([]*column.Column, error) {
	out := make([]*column.Column, len(exprs))
	var todo []int
	for i, e := range exprs {
		if e.col >= 0 {
			out[i] = cols[e.col]
		} else {
			todo = append(todo, i)
		}
	}
	if len(todo) == 0 {
		return out, nil
	}
	sinks := make([]sink, len(todo))
	for k, i := range todo {
		t := exprs[i].typ
		if err := x.reserve(int64(n) * int64(max(t.Width(), 1))); err != nil {
			return nil, err
		}
		sinks[k] = newSink(t, n)
	}
	morsels := make([]morsel, x.pool.Workers)
	err := x.pool.Morsels(n, func(w, lo, hi int) error {
		m := &morsels[w]
		m.arena.reset()
		m.n = hi - lo
		m.cols = m.cols[:0]
		for _, c := range cols {
			m.cols = append(m.cols, c.Slice(lo, hi))
		}
		for k, i := range todo {
			c, err := exprs[i].eval(m)
			if err != nil {
				return err
			}
			sinks[k].put(lo, spread(c, m.n))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k, i := range todo {
		if out[i], err = sinks[k].finish(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// spread repeats a value that stands for all rows.
func spread(c *column.Column, n int) *column.Column {
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

// sink collects the results of morsels.
type sink struct {
	typ   column.Type
	n     int
	data  []byte
	bits  column.Bitmap
	valid column.Bitmap
	parts []*column.Column // of strings
}

func newSink(t column.Type, n int) sink {
	s := sink{typ: t, n: n, valid: column.NewBitmap(n)}
	switch {
	case t.IsString():
		s.parts = make([]*column.Column, (n+par.Morsel-1)/par.Morsel)
	case t.Kind == column.Bool:
		s.bits = column.NewBitmap(n)
	default:
		w := t.Width()
		s.data = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column.Make[uint64]((n*w+7)/8)))), n*w)
	}
	return s
}

func (s *sink) put(lo int, c *column.Column) {
	if s.parts != nil {
		s.parts[lo/par.Morsel] = c
		return
	}
	n := c.Len()
	copyWords(s.valid.Slice(lo, lo+n), c.Validity())
	if s.typ.Kind == column.Bool {
		copyWords(s.bits.Slice(lo, lo+n), c.Bits())
		return
	}
	copy(s.data[lo*s.typ.Width():], c.Data())
}

func copyWords(dst, src column.Bitmap) {
	for k := range dst.Words() {
		w := ^uint64(0)
		if !src.IsNone() {
			w = src.Word(k)
		}
		dst.SetWord(k, w)
	}
}

func (s *sink) finish() (*column.Column, error) {
	switch {
	case s.typ.IsString():
		if len(s.parts) == 0 {
			return column.Nulls(s.typ, 0), nil
		}
		return column.Concat(s.parts...)
	case s.typ.Kind == column.Bool:
		return column.Bools(s.bits, s.valid)
	}
	return column.Fixed(s.typ, s.data, s.valid)
}
