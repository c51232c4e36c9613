package csv

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// Write writes a frame: names, then rows. Null is an empty field, an empty string "". A file that is read again with the frame's types
// gives an equal frame, but that dictionaries are strings unless their type is given. Of the options, Comma and NoHeader count.
func Write(w io.Writer, f *frame.Frame, o Options) error {
	if o.Comma == 0 {
		o.Comma = ','
	}
	out := bufio.NewWriterSize(w, 1<<20)
	cols := f.Columns()
	var line []byte
	if !o.NoHeader {
		for i, c := range cols {
			if i > 0 {
				line = append(line, o.Comma)
			}
			line = quoted(line, c.Name, o.Comma)
		}
		line = append(line, '\n')
	}
	for row := range f.Rows() {
		for i, c := range cols {
			if i > 0 {
				line = append(line, o.Comma)
			}
			if !c.Column.IsNull(row) {
				line = appendValue(line, c.Column, row, o.Comma)
			}
		}
		line = append(line, '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("csv: %w", err)
		}
		line = line[:0]
	}
	if len(line) > 0 {
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("csv: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	return nil
}

func appendValue(b []byte, c *column.Column, row int, comma byte) []byte {
	switch c.Type().Kind {
	case column.Int64:
		return strconv.AppendInt(b, column.Values[int64](c)[row], 10)
	case column.Float64:
		return strconv.AppendFloat(b, column.Values[float64](c)[row], 'g', -1, 64)
	case column.String, column.LargeString, column.Dictionary:
		return quoted(b, c.Text(row), comma)
	case column.Timestamp:
		t := c.Type().Time(column.Values[int64](c)[row])
		if c.Type().Zone == "" {
			return t.AppendFormat(b, "2006-01-02T15:04:05.999999999")
		}
		return t.AppendFormat(b, time.RFC3339Nano)
	}
	return quoted(b, c.Format(row), comma)
}

// quoted appends a string, between quotes where it needs them.
func quoted(b []byte, s string, comma byte) []byte {
	plain := s != ""
	for i := range len(s) {
		if c := s[i]; c == '"' || c == comma || c == '\n' || c == '\r' {
			plain = false
			break
		}
	}
	if plain {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}
