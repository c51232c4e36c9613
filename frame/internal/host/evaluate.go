package host

import (
	"sync"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/par"
)

// scratch is the memory of intermediate values, half a megabyte for each worker: parts of a source are too small to make and clear it
// again.
var scratch = sync.Pool{New: func() any { return new(expr.Morsel) }}

// Evaluate computes expressions over the rows of columns, in morsels.
func (x *Exec) Evaluate(cols []*column.Column, n int, exprs []expr.Bound) ([]*column.Column, error) {
	out := make([]*column.Column, len(exprs))
	var todo []int
	for i, e := range exprs {
		if e.Column >= 0 {
			out[i] = cols[e.Column]
		} else {
			todo = append(todo, i)
		}
	}
	if len(todo) == 0 {
		return out, nil
	}
	sinks := make([]sink, len(todo))
	for k, i := range todo {
		t := exprs[i].Type
		if err := x.Reserve(int64(n) * int64(max(t.Width(), 1))); err != nil {
			return nil, err
		}
		sinks[k] = newSink(t, n)
	}
	morsels := make([]*expr.Morsel, x.Pool.Workers)
	defer func() {
		for _, m := range morsels {
			if m != nil {
				m.Drop()
				scratch.Put(m)
			}
		}
	}()
	err := x.Pool.Morsels(n, func(w, lo, hi int) error {
		if morsels[w] == nil {
			morsels[w] = scratch.Get().(*expr.Morsel)
		}
		m := morsels[w]
		m.Take(cols, lo, hi)
		for k, i := range todo {
			c, err := exprs[i].Eval(m)
			if err != nil {
				return err
			}
			if err := sinks[k].put(lo, expr.Spread(c, hi-lo)); err != nil {
				return err
			}
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
		s.data = par.Uncleared[byte](n * w)
	}
	return s
}

// put copies the result of a morsel, whose memory the next one reuses. Of strings only the validity bitmap is in such memory.
func (s *sink) put(lo int, c *column.Column) (err error) {
	n := c.Len()
	valid := s.valid.Slice(lo, lo+n)
	copyWords(valid, c.Validity())
	switch {
	case s.parts != nil:
		if c.Nulls() > 0 {
			c, err = c.WithValidity(valid)
		}
		s.parts[lo/par.Morsel] = c
	case s.typ.Kind == column.Bool:
		copyWords(s.bits.Slice(lo, lo+n), c.Bits())
	default:
		copy(s.data[lo*s.typ.Width():], c.Data())
	}
	return err
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
