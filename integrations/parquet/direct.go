package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/parquet-go/bitpack"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"

	"github.com/anycl/anycl/frame/column"
)

// Pages of plain numbers, and of numbers that point into a dictionary, are decoded to where their column stays, and of those that are not
// needed nothing is read. Plain numbers without nulls are what a column has in memory: they are read, or decompressed, to there. Pages of
// other encodings are decoded by the library, whose pages are copied.

// stored is a page as its header says.
type stored struct {
	at          int64 // of what is behind the header
	packed, raw int64 // bytes there, and of what they are decompressed to, both with levels
	levels      int64 // bytes, which are not compressed
	rows        int64 // of a dictionary: entries
	packs       bool  // the values are compressed
	sum         uint32
	kind        format.PageType
	full        bool // none of the values is null
	encoding    format.Encoding
}

// storedAt is the page with a header at a place.
func storedAt(w *walker, at int64) stored {
	s := stored{at: at + int64(w.at), raw: w.fields[2], packed: w.fields[3], sum: uint32(w.fields[4]), kind: format.PageType(w.fields[1]),
		packs: true}
	switch s.kind {
	case format.DictionaryPage:
		s.rows, s.encoding = w.dict[1], format.Encoding(w.dict[2])
	case format.DataPage:
		s.rows, s.encoding = w.data[1], format.Encoding(w.data[2])
		if format.Encoding(w.data[3]) != format.RLE {
			s.encoding = -1 // levels of another encoding
		}
	case format.DataPageV2:
		s.levels, s.rows, s.packs, s.encoding = w.inner[5]+w.inner[6], w.inner[3], w.inner[7] != no, format.Encoding(w.inner[4])
		s.full = w.inner[2] == 0
		if w.inner[1] != s.rows || w.inner[6] != 0 {
			s.encoding = -1 // lists
		}
	}
	if s.rows < 0 || s.rows > math.MaxInt32 {
		s.encoding = -1
	}
	return s
}

// flat is a sink of the values of pages that are decoded here.
type flat interface {
	// bytes are where plain values go that are stored as they are in the column; nil if others do.
	bytes() []byte
	// entries takes n entries of a dictionary.
	entries(b []byte, n int) error
	// plain appends values, of which those of level 0 are null; b has the others and more. skip is how many of them are passed over.
	plain(b []byte, n, skip int, levels []byte) error
	// coded appends values that point into the dictionary.
	coded(h *hybrid, n int, levels []byte) error
	// passed says that values were put into bytes.
	passed(n int)
	finish(valid column.Bitmap) (*column.Column, error)
}

// direct are the pages of a chunk.
type direct struct {
	r     io.ReaderAt
	pages []stored
	dict  *stored        // nil: there is none
	codec compress.Codec // nil: none
	width int64          // of plain values; 0 if they are converted
	max   byte
	s     flat
	v     validity
	have  bool // the dictionary was read
	*memory
}

// memory is for a page, whichever column it is of.
type memory struct {
	buf   []byte // as it is stored
	raw   []byte // decompressed
	marks []byte // its levels
}

// newDirect returns the pages of a chunk of n rows, of which some are needed; nil if some are to be decoded by the library.
func newDirect(r io.ReaderAt, m *format.ColumnMetaData, pages []stored, l leaf, s sink, n int64, needed int) *direct {
	to, ok := s.(flat)
	if !ok || len(pages) == 0 {
		return nil
	}
	d := &direct{r: r, pages: pages, max: l.max, s: to, v: validity{n: needed}}
	if to.bytes() != nil {
		d.width = int64(l.typ.Width())
	}
	switch m.Codec {
	case format.Uncompressed:
	case format.Snappy, format.Gzip, format.Zstd, format.Lz4Raw, format.Brotli:
		d.codec = parquet.LookupCompressionCodec(m.Codec)
	default:
		return nil
	}
	for i := range pages {
		p := &pages[i]
		p.packs = p.packs && d.codec != nil
		if !p.packs && p.packed != p.raw || p.raw < p.levels {
			return nil
		}
		if p.full = p.full || l.max == 0; p.full && p.encoding == format.Plain && d.width > 0 && p.kind == format.DataPageV2 &&
			p.raw-p.levels != p.rows*d.width {
			return nil
		}
		switch {
		case p.kind == format.DictionaryPage && i == 0 && (p.encoding == format.Plain || isDictionary(p.encoding)):
			d.dict, d.pages = p, pages[1:]
		case p.kind != format.DataPage && p.kind != format.DataPageV2:
			return nil
		case p.encoding != format.Plain && (d.dict == nil || !isDictionary(p.encoding)):
			return nil
		default:
			n -= p.rows
		}
	}
	if n != 0 {
		return nil
	}
	return d
}

// column reads some rows.
func (d *direct) column(ctx context.Context, need []rows) (*column.Column, error) {
	for _, part := range need {
		if err := d.read(ctx, part); err != nil {
			return nil, err
		}
	}
	if d.v.at != d.v.n {
		return nil, errValues
	}
	return d.s.finish(d.v.bits)
}

// read appends the values of some rows.
func (d *direct) read(ctx context.Context, need rows) error {
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
		if err := d.page(p, int(lo), int(hi)); err != nil {
			return err
		}
	}
	return nil
}

// page appends rows lo to hi-1 of a page.
func (d *direct) page(p *stored, lo, hi int) error {
	n := hi - lo
	if d.v.at+n > d.v.n {
		return errValues
	}
	if p.encoding == format.Plain && d.width > 0 && p.full && n == int(p.rows) && p.raw-p.levels == p.rows*d.width {
		dst := d.s.bytes()[int64(d.v.at)*d.width:][:p.rows*d.width]
		if err := d.whole(p, dst); err != nil {
			return err
		}
		d.s.passed(n)
		d.v.at += n
		return nil
	}
	if p.encoding != format.Plain && !d.have {
		if err := d.entries(); err != nil {
			return err
		}
	}
	marks, b, err := d.body(p)
	if err != nil {
		return err
	}
	skip := lo
	if marks != nil {
		skip, marks = bytes.Count(marks[:lo], []byte{1}), marks[lo:hi]
		if bytes.Count(marks, []byte{1}) == n {
			marks = nil
		}
	}
	if err := d.v.page(n, marks, 1); err != nil {
		return err
	}
	if p.encoding == format.Plain {
		return d.s.plain(b, n, skip, marks)
	}
	if len(b) == 0 && present(n, marks, 1) > 0 {
		return errValues
	}
	if len(b) == 0 {
		return d.s.coded(&hybrid{}, n, marks)
	}
	h := &hybrid{b: b[1:], width: int(b[0])}
	if h.width > 32 {
		return errRuns
	}
	if err := h.skip(skip); err != nil {
		return err
	}
	return d.s.coded(h, n, marks)
}

// body returns the levels of a page, nil if none is null, and its values.
func (d *direct) body(p *stored) (marks, values []byte, err error) {
	n := p.raw - p.levels
	if int64(cap(d.raw)) < n+bitpack.PaddingInt32 {
		d.raw = make([]byte, n+bitpack.PaddingInt32)
	}
	b := d.raw[:n]
	if err := d.whole(p, b); err != nil {
		return nil, nil, err
	}
	switch {
	case d.max == 0:
		return nil, b, nil
	case p.kind == format.DataPageV2:
		if p.full {
			return nil, b, nil
		}
		at := make([]byte, p.levels, p.levels+bitpack.PaddingInt32)
		if _, err := d.r.ReadAt(at, p.at); err != nil {
			return nil, nil, err
		}
		marks, err = levels(at, int(p.rows), &d.marks)
		return marks, b, err
	}
	if len(b) < 4 {
		return nil, nil, errValues
	}
	k := int64(binary.LittleEndian.Uint32(b))
	if k > n-4 {
		return nil, nil, errValues
	}
	marks, err = levels(b[4:4+k], int(p.rows), &d.marks)
	return marks, b[4+k:], err
}

// entries reads the dictionary.
func (d *direct) entries() error {
	d.have = true
	b := make([]byte, d.dict.raw)
	if err := d.whole(d.dict, b); err != nil {
		return err
	}
	return d.s.entries(b, int(d.dict.rows))
}

// whole puts what is behind the levels of a page into dst, which is as large.
func (d *direct) whole(p *stored, dst []byte) error {
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
	if len(src) == 0 && len(dst) == 0 {
		return nil
	}
	out, err := d.codec.Decode(dst[:len(dst):len(dst)], src)
	if err != nil {
		return fmt.Errorf("the file is damaged: a page at %d: %w", p.at, err)
	}
	if len(out) != len(dst) {
		return errValues
	}
	if len(dst) > 0 && &out[0] != &dst[0] {
		copy(dst, out)
	}
	return nil
}
