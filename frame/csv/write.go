package csv

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// Write writes a frame: names, then rows. Null is an empty field, an empty string "". A file that is read again with the frame's types
// gives an equal frame, but that dictionaries are strings unless their type is given. Of the options, Comma and NoHeader count. Errors: a
// Comma that cannot separate fields; those of w.
func Write(w io.Writer, f *frame.Frame, o Options) error {
	comma, err := o.separator()
	if err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	out := bufio.NewWriterSize(w, 1<<20)
	cols := f.Columns()
	var line []byte
	if !o.NoHeader {
		for i, c := range cols {
			if i > 0 {
				line = append(line, comma)
			}
			line = quoted(line, c.Name, comma)
		}
		line = append(line, '\n')
	}
	for row := range f.Rows() {
		for i, c := range cols {
			if i > 0 {
				line = append(line, comma)
			}
			if !c.Column.IsNull(row) {
				line = appendValue(line, c.Column, row, comma)
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
	from := len(b)
	switch c.Type().Kind {
	case column.Int64:
		b = strconv.AppendInt(b, column.Values[int64](c)[row], 10)
	case column.Float64:
		b = strconv.AppendFloat(b, column.Values[float64](c)[row], 'g', -1, 64)
	case column.String, column.LargeString, column.Dictionary:
		return quoted(b, c.Text(row), comma)
	case column.Timestamp:
		t := c.Type().Time(column.Values[int64](c)[row])
		if c.Type().Zone == "" {
			b = t.AppendFormat(b, "2006-01-02T15:04:05.999999999")
		} else {
			b = t.AppendFormat(b, time.RFC3339Nano)
		}
	default:
		return quoted(b, c.Format(row), comma)
	}
	if bytes.IndexByte(b[from:], comma) >= 0 {
		return quoted(b[:from], string(b[from:]), comma)
	}
	return b
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
