package parquet

import (
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// index reads the two lists that a column chunk may have of its pages: what they hold, and where they are.
func index(r io.ReaderAt, c *format.ColumnChunk) (column format.ColumnIndex, offset format.OffsetIndex, err error) {
	var p thrift.CompactProtocol
	read := func(at int64, n int32, into any) error {
		return thrift.NewDecoder(p.NewReader(io.NewSectionReader(r, at, int64(n)))).Decode(into)
	}
	if err = read(c.ColumnIndexOffset, c.ColumnIndexLength, &column); err == nil {
		err = read(c.OffsetIndexOffset, c.OffsetIndexLength, &offset)
	}
	return column, offset, err
}
