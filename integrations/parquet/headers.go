package parquet

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// checkPages walks the headers of a column chunk's pages, so that no size in them is believed that the chunk cannot have, and returns the
// pages.
func checkPages(r io.ReaderAt, m *format.ColumnMetaData, file int64, spend func(int64) error) (pages []stored, err error) {
	at := m.DataPageOffset
	if m.DictionaryPageOffset > 0 && m.DictionaryPageOffset < at {
		at = m.DictionaryPageOffset
	}
	end := at + m.TotalCompressedSize
	if at < 4 || m.TotalCompressedSize < 0 || end > file {
		return nil, fmt.Errorf("the file is damaged or ends too early: its bytes %d to %d are not in %d", at, end, file)
	}
	buf := make([]byte, 512)
	for at < end {
		w, err := header(r, &buf, at, end)
		if err != nil {
			return nil, err
		}
		raw, packed := w.fields[2], w.fields[3]
		if raw < 0 || packed < 0 || raw > 1<<31-1 || packed > end-at-int64(w.at) {
			return nil, fmt.Errorf("the file is damaged: a page at %d has %d bytes", at, packed)
		}
		levels := int64(0) // of pages of version 2, which are not compressed
		if format.PageType(w.fields[1]) == format.DataPageV2 {
			levels = w.inner[5] + w.inner[6]
		}
		if levels < 0 || levels > packed || levels > raw {
			return nil, errMetadata
		}
		if err := spend(raw + packed); err != nil {
			return nil, err
		}
		from := at + int64(w.at) + levels
		switch {
		case w.inner[7] == no: // not compressed
		case m.Codec == format.Snappy && packed > levels: // which begins with a size of its own
			head := make([]byte, min(10, packed-levels))
			if _, err := r.ReadAt(head, from); err != nil {
				return nil, err
			}
			if v, k := binary.Uvarint(head); k > 0 && v > uint64(raw-levels) {
				return nil, fmt.Errorf("the file is damaged: a page at %d has %d bytes and not %d", at, v, raw)
			}
		case m.Codec == format.Lz4Raw && packed > levels: // whose decoder asks for twice the memory as long as there is an error
			src := make([]byte, packed-levels)
			if _, err := r.ReadAt(src, from); err != nil {
				return nil, err
			}
			if n, err := lz4.UncompressBlock(src, make([]byte, raw-levels)); err != nil || int64(n) != raw-levels {
				return nil, fmt.Errorf("the file is damaged: a page at %d", at)
			}
		}
		pages = append(pages, storedAt(&w, at))
		at += int64(w.at) + packed
	}
	return pages, nil
}

// header walks through the header of a page, whose length is known at its end only.
func header(r io.ReaderAt, buf *[]byte, at, end int64) (w walker, err error) {
	for {
		n := int(min(int64(len(*buf)), end-at))
		if _, err := r.ReadAt((*buf)[:n], at); err != nil {
			return w, fmt.Errorf("the file ends too early: %w", err)
		}
		w = walker{b: (*buf)[:n]}
		err = w.structure()
		if err == nil {
			return w, nil
		}
		if err != errMore || int64(n) == end-at || n > 16<<20 {
			return w, errMetadata
		}
		*buf = make([]byte, 4*len(*buf))
	}
}
