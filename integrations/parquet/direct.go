package parquet

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"

	"github.com/anycl/anycl/frame/column"
)

// Pages of plain numbers without nulls are what a column has in memory: they are read, or decompressed, to where they stay, and of those
// that are not needed nothing is read. Others are decoded by the library, whose pages are copied.

// stored is a page as its header says.
type stored struct {
	at          int64 // of what is behind the header
	packed, raw int64 // bytes there, and of what they are decompressed to, both with levels
	levels      int64 // bytes, which are not compressed
	rows        int64
	packs       bool // the values are compressed
	sum         uint32
	plain       bool // values without nulls, in a page of version 2
}

// storedAt is the page with a header at a place.
func storedAt(w *walker, at int64) stored {
	s := stored{at: at + int64(w.at), raw: w.fields[2], packed: w.fields[3], sum: uint32(w.fields[4])}
	if format.PageType(w.fields[1]) != format.DataPageV2 {
		return s
	}
	s.levels, s.rows, s.packs = w.inner[5]+w.inner[6], w.inner[3], w.inner[7] != no
	s.plain = s.rows >= 0 && s.rows <= math.MaxInt32 && w.inner[1] == s.rows && w.inner[2] == 0 && format.Encoding(w.inner[4]) == format.Plain && w.inner[6] == 0
	return s
}

// plain is a sink of numbers.
type plain interface {
	bytes() []byte // where they go; nil where pages have others
	whole() *column.Column
}

// direct are the pages of a chunk.
type direct struct {
	r     io.ReaderAt
	pages []stored
	codec compress.Codec // nil: none
	width int64
	buf   []byte // a page as it is stored
	raw   []byte // one of which only some rows are needed
}

// newDirect returns the pages of a chunk of n rows; nil if some are not plain numbers.
func newDirect(r io.ReaderAt, m *format.ColumnMetaData, pages []stored, l leaf, s sink, n int64) *direct {
	if at, ok := s.(plain); !ok || len(pages) == 0 || at.bytes() == nil {
		return nil
	}
	d := &direct{r: r, pages: pages, width: int64(l.typ.Width())}
	switch m.Codec {
	case format.Uncompressed:
	case format.Snappy:
		d.codec = &parquet.Snappy
	default:
		return nil
	}
	for i := range pages {
		p := &pages[i]
		if p.packs = p.packs && d.codec != nil; !p.plain || p.raw-p.levels != p.rows*d.width || !p.packs && p.packed != p.raw {
			return nil
		}
		n -= p.rows
	}
	if n != 0 {
		return nil
	}
	return d
}

// column reads some rows.
func (d *direct) column(ctx context.Context, s plain, need []rows) (*column.Column, error) {
	dst := s.bytes()
	for _, part := range need {
		n := (part.to - part.from) * d.width
		if part.from < 0 || n < 0 || n > int64(len(dst)) {
			return nil, errValues
		}
		if err := d.read(ctx, dst[:n], part); err != nil {
			return nil, err
		}
		dst = dst[n:]
	}
	if len(dst) > 0 {
		return nil, errValues
	}
	return s.whole(), nil
}

// read puts the values of some rows into dst.
func (d *direct) read(ctx context.Context, dst []byte, need rows) error {
	from := int64(0)
	for i := range d.pages {
		p := &d.pages[i]
		lo, hi := max(need.from-from, 0), min(need.to-from, p.rows)
		from += p.rows
		if lo >= hi {
			continue
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		part := dst[:(hi-lo)*d.width]
		dst = dst[len(part):]
		if hi-lo == p.rows {
			if err := d.page(p, part); err != nil {
				return err
			}
			continue
		}
		if int64(cap(d.raw)) < p.rows*d.width {
			d.raw = make([]byte, p.rows*d.width)
		}
		whole := d.raw[:p.rows*d.width]
		if err := d.page(p, whole); err != nil {
			return err
		}
		copy(part, whole[lo*d.width:])
	}
	return nil
}

// page puts all values of a page into dst, which is as large.
func (d *direct) page(p *stored, dst []byte) error {
	if !p.packs && p.sum == 0 {
		_, err := d.r.ReadAt(dst, p.at+p.levels)
		return err
	}
	if int64(cap(d.buf)) < p.packed {
		d.buf = make([]byte, p.packed)
	}
	src := d.buf[:p.packed]
	if _, err := d.r.ReadAt(src, p.at); err != nil {
		return err
	}
	if p.sum != 0 && crc32.ChecksumIEEE(src) != p.sum {
		return fmt.Errorf("the file is damaged: the checksum of a page at %d is another one", p.at)
	}
	if src = src[p.levels:]; !p.packs {
		copy(dst, src)
		return nil
	}
	out, err := d.codec.Decode(dst[:len(dst):len(dst)], src)
	if err != nil {
		return fmt.Errorf("the file is damaged: a page at %d: %w", p.at, err)
	}
	if len(out) != len(dst) {
		return errValues
	}
	if unsafe.SliceData(out) != unsafe.SliceData(dst) {
		copy(dst, out)
	}
	return nil
}

func (s *numbers[S, T]) bytes() []byte {
	if s.to != nil || len(s.out) == 0 {
		return nil
	}
	var z T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s.out))), len(s.out)*int(unsafe.Sizeof(z)))
}

func (s *numbers[S, T]) whole() *column.Column { return column.FixedOf(s.typ, s.out, column.Bitmap{}) }
