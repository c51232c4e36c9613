package parquet

import (
	"bytes"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// index reads the two lists that a column chunk may have of its pages: what they hold, and where they are. Both are checked before they
// are decoded.
func index(r io.ReaderAt, c *format.ColumnChunk) (column format.ColumnIndex, offset format.OffsetIndex, err error) {
	var p thrift.CompactProtocol
	read := func(at int64, n int32, into any) error {
		b := make([]byte, n)
		if _, err := r.ReadAt(b, at); err != nil {
			return err
		}
		if err := checkStruct(b); err != nil {
			return err
		}
		return thrift.NewDecoder(p.NewReader(bytes.NewReader(b))).Decode(into) // byte by byte
	}
	if err = read(c.ColumnIndexOffset, c.ColumnIndexLength, &column); err == nil {
		err = read(c.OffsetIndexOffset, c.OffsetIndexLength, &offset)
	}
	return column, offset, err
}
