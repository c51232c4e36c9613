package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/anycl/anycl/frame/column"
)

var errValues = errors.New("the file is damaged: a page has fewer values than its header says")

// sink takes the values of pages one after another.
type sink interface {
	// page appends n values, of which some are null if levels are not all max.
	page(p parquet.Page, n int, levels []byte, max byte) error
	finish(valid column.Bitmap) (*column.Column, error)
}

// chunk reads the rows of a group that are needed, of one column.
func (f *File) chunk(ctx context.Context, p *parquet.File, r io.ReaderAt, g *group, l leaf, to room, mem *memory) (c *column.Column,
	err error) {
	err = guarded(func() error {
		spend := func(bytes int64) error { return g.reserve(bytes, f.o.memory()) }
		m := &p.Metadata().RowGroups[g.at].Columns[l.at].MetaData
		var pages int64
		stored, err := checkPages(r, m, p.Size(), func(bytes int64) error {
			if pages = max(pages, bytes); pages > f.o.memory() {
				return spend(pages)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := spend(int64(g.n)*int64(max(l.typ.Width(), 4)) + pages); err != nil {
			return err
		}
		defer g.spent.Add(-pages)
		chunk := p.RowGroups()[g.at].ColumnChunks()[l.at]
		s, err := newSink(chunk.Type(), l, g.n, to, spend)
		if err != nil {
			return err
		}
		if d := newDirect(r, m, stored, l, s, p.RowGroups()[g.at].NumRows(), g.n); d != nil {
			d.memory = mem
			c, err = d.column(ctx, g.ranges)
			return err
		}
		in := chunk.Pages()
		defer in.Close()
		v := validity{n: g.n}
		for _, part := range g.ranges {
			if part.from > 0 || len(g.ranges) > 1 {
				if err := in.SeekToRow(part.from); err != nil {
					return err
				}
			}
			if err := readRange(ctx, in, int(part.to-part.from), l.max, s, &v); err != nil {
				return err
			}
		}
		c, err = s.finish(v.bits)
		if err == nil && c.Len() != g.n {
			err = errValues
		}
		return err
	})
	return c, err
}

// readRange reads n rows from where the pages stand.
func readRange(ctx context.Context, in parquet.Pages, n int, top byte, s sink, v *validity) error {
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		p, err := in.ReadPage()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return errValues
			}
			return err
		}
		levels := p.DefinitionLevels()
		k := int(p.NumRows())
		if len(levels) == 0 && top > 0 {
			k = int(p.NumValues()) // a page without nulls may have no levels
		}
		if k = min(k, n); len(levels) > k {
			levels = levels[:k]
		}
		if bytes.Count(levels, []byte{top}) == len(levels) {
			levels = nil // none is null
		}
		if len(p.RepetitionLevels()) > 0 {
			parquet.Release(p)
			return errMetadata
		}
		err = v.page(k, levels, top)
		if err == nil {
			err = s.page(p, k, levels, top)
		}
		parquet.Release(p)
		if err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// validity is the bitmap of values that are not null, none as long as nothing is.
type validity struct {
	bits  column.Bitmap
	n, at int
}

func (v *validity) page(n int, levels []byte, top byte) error {
	if v.at+n > v.n {
		return errValues
	}
	for i, l := range levels {
		if l == top {
			continue
		}
		if v.bits.IsNone() {
			v.bits = column.NewBitmap(v.n)
			v.bits.Fill()
		}
		v.bits.Set(v.at+i, false)
	}
	v.at += n
	return nil
}

// present counts the values of n that are not null.
func present(n int, levels []byte, top byte) int {
	if len(levels) == 0 {
		return n
	}
	return bytes.Count(levels, []byte{top})
}

func newSink(t parquet.Type, l leaf, n int, to room, spend func(int64) error) (sink, error) {
	switch l.typ.Kind {
	case column.Bool:
		return &bools{out: column.NewBitmap(n)}, nil
	case column.String:
		return newTexts(n, spend), nil
	case column.Dictionary:
		return newCodes(to, n), nil
	case column.Decimal128:
		return newDecimals(t, l, n)
	}
	switch t.Kind() {
	case parquet.Int32:
		switch l.typ.Kind {
		case column.Int8:
			return narrow[int32, int8](l, to, n), nil
		case column.Int16:
			return narrow[int32, int16](l, to, n), nil
		case column.Uint8:
			return narrow[int32, uint8](l, to, n), nil
		case column.Uint16:
			return narrow[int32, uint16](l, to, n), nil
		}
		return same[int32](l, to, n), nil
	case parquet.Int64:
		s := same[int64](l, to, n)
		if l.typ.Kind == column.Timestamp && l.typ.Unit == column.Second && l.stored.Unit == column.Millisecond {
			s.to = func(v int64) int64 { return v / 1000 }
		}
		return s, nil
	case parquet.Float:
		return same[float32](l, to, n), nil
	case parquet.Double:
		return same[float64](l, to, n), nil
	case parquet.Int96:
		return &numbers[deprecated.Int96, int64]{typ: l.typ, out: valuesIn[int64](to, n), to: nanoseconds}, nil
	case parquet.FixedLenByteArray:
		return &numbers[[2]byte, float32]{typ: l.typ, out: valuesIn[float32](to, n), to: half}, nil
	}
	return nil, fmt.Errorf("%s is not read", t)
}
