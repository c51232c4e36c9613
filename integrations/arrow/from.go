package arrow

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// FromArray returns a column that shares the array's memory, and holds it until release is called. Errors: a type that columns do
// not have, offsets or codes outside of what they point into.
func FromArray(a arrow.Array) (c *column.Column, release func(), err error) {
	c, err = fromArray(a)
	if err != nil {
		return nil, nil, err
	}
	a.Retain()
	return c, a.Release, nil
}

// FromChunked is [FromArray] of an array in chunks. More than one chunk is copied, because a column is one piece.
func FromChunked(a *arrow.Chunked) (c *column.Column, release func(), err error) {
	c, err = fromChunks(a.DataType(), a.Chunks())
	if err != nil {
		return nil, nil, err
	}
	a.Retain()
	return c, a.Release, nil
}

// FromRecord returns a frame of a record batch's columns, as [FromArray] does. Errors are also two columns of one name.
func FromRecord(r arrow.RecordBatch) (f *frame.Frame, release func(), err error) {
	f, err = fromRecord(r)
	if err != nil {
		return nil, nil, err
	}
	r.Retain()
	return f, r.Release, nil
}

// FromTable returns a frame of a table's columns, as [FromChunked] does. Errors are also two columns of one name.
func FromTable(t arrow.Table) (f *frame.Frame, release func(), err error) {
	var cols []frame.Named
	for i := range int(t.NumCols()) {
		a := t.Column(i)
		c, err := fromChunks(a.DataType(), a.Data().Chunks())
		if err != nil {
			return nil, nil, fmt.Errorf("column %q: %w", a.Name(), err)
		}
		cols = append(cols, frame.Named{Name: a.Name(), Column: c})
	}
	if f, err = frame.New(cols...); err != nil {
		return nil, nil, err
	}
	t.Retain()
	return f, t.Release, nil
}

func fromRecord(r arrow.RecordBatch) (*frame.Frame, error) {
	var cols []frame.Named
	for i, a := range r.Columns() {
		c, err := fromArray(a)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", r.ColumnName(i), err)
		}
		cols = append(cols, frame.Named{Name: r.ColumnName(i), Column: c})
	}
	return frame.New(cols...)
}

func fromChunks(t arrow.DataType, chunks []arrow.Array) (*column.Column, error) {
	want, err := TypeOf(t)
	if err != nil {
		return nil, err
	}
	if len(chunks) == 0 {
		return column.Nulls(want, 0), nil
	}
	var parts []*column.Column
	for _, a := range chunks {
		c, err := fromArray(a)
		if err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	return column.Concat(parts...)
}

var errShort = errors.New("arrow: a buffer is shorter than the array")

func fromArray(a arrow.Array) (*column.Column, error) {
	if e, ok := a.(array.ExtensionArray); ok {
		return fromArray(e.Storage())
	}
	t, err := TypeOf(a.DataType())
	if err != nil {
		return nil, err
	}
	d := a.Data()
	n, offset := d.Len(), d.Offset()
	if a.DataType().ID() == arrow.NULL {
		return column.Nulls(t, n), nil
	}
	valid, err := bits(d.Buffers()[0], offset, n)
	if err != nil {
		return nil, err
	}
	switch a := a.(type) {
	case *array.Boolean:
		values, err := bits(d.Buffers()[1], offset, n)
		if err != nil || values.Len() != n {
			return nil, errShort
		}
		return column.Bools(values, valid)
	case *array.Dictionary:
		return fromDictionary(a, valid)
	case *array.String:
		return text[int32](d, valid)
	case *array.LargeString:
		return text[int64](d, valid)
	}
	if c, ok := converted(a, t); ok {
		return c()
	}
	w := t.Width()
	b := contents(d.Buffers()[1])
	if len(b) < (offset+n)*w {
		return nil, errShort
	}
	return column.Fixed(t, aligned(b[offset*w:(offset+n)*w], min(w, 8)), valid)
}

// bits returns a bitmap over n bits of a buffer, none without a buffer.
func bits(b *memory.Buffer, offset, n int) (column.Bitmap, error) {
	if b == nil || b.Buf() == nil && n == 0 {
		return column.Bitmap{}, nil
	}
	m, err := column.BitmapOf(b.Bytes(), offset, n)
	if err != nil {
		return m, errShort
	}
	return m, nil
}

func contents(b *memory.Buffer) []byte {
	if b == nil {
		return nil
	}
	return b.Bytes()
}

// aligned returns the bytes at an address that is a multiple of align, without a copy if they are at one.
func aligned(b []byte, align int) []byte {
	if len(b) == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(align) == 0 {
		return b
	}
	words := column.Make[uint64]((len(b) + 7) / 8)
	out := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(b))
	copy(out, b)
	return out
}

// text returns a column over an array of strings.
func text[O int32 | int64](d arrow.ArrayData, valid column.Bitmap) (*column.Column, error) {
	var z O
	w := int(unsafe.Sizeof(z))
	b := contents(d.Buffers()[1])
	if d.Len() == 0 && len(b) < w { // Arrow allows no offsets for no strings
		return column.Strings([]O{0}, nil, valid)
	}
	if len(b) < (d.Offset()+d.Len()+1)*w {
		return nil, errShort
	}
	b = aligned(b[d.Offset()*w:(d.Offset()+d.Len()+1)*w], w)
	offsets := unsafe.Slice((*O)(unsafe.Pointer(unsafe.SliceData(b))), d.Len()+1)
	return column.Strings(offsets, contents(d.Buffers()[2]), valid)
}
