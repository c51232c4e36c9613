// Package jsonl reads and writes frames as JSON lines: an object a line, whose members are the values of a row.
//
// Numbers without fraction and exponent are int64 where that holds them, others float64; a column that has both is float64. A member that
// is missing is null.
package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"unicode/utf8"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
)

// Options say how a file is read.
type Options struct {
	Types   map[string]column.Type // by column: the types that values are cast to
	Workers int                    // goroutines; 0: GOMAXPROCS
}

// ReadFile is [Read] of a file.
func ReadFile(ctx context.Context, path string, o Options) (*frame.Frame, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("jsonl: %w", err)
	}
	defer r.Close()
	f, err := Read(ctx, r, o)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return f, nil
}

// blockBytes is how much a goroutine parses at a time. Tests make it small.
var blockBytes = 4 << 20

// Read reads all rows. Columns are in the order in which their names appear. Lines of white space are left out.
//
// Errors: a line that is no JSON object, an object or array as a value, one name twice in an object, a column with values of different
// types; each names the line.
func Read(ctx context.Context, r io.Reader, o Options) (*frame.Frame, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("jsonl: %w", err)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // the mark of UTF-8
	var blocks [][]byte
	for len(data) > 0 {
		end := min(blockBytes, len(data))
		if i := bytes.IndexByte(data[end:], '\n'); i < 0 {
			end = len(data)
		} else {
			end += i + 1
		}
		blocks = append(blocks, data[:end])
		data = data[end:]
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	parts := make([]part, len(blocks))
	p := par.Pool{Context: ctx, Workers: o.Workers}
	err = p.Items(len(blocks), func(_, i int) error {
		parts[i].parse(blocks[i])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("jsonl: %w", err)
	}
	f, err := join(parts)
	if err != nil {
		return nil, fmt.Errorf("jsonl: %w", err)
	}
	cols := f.Columns()
	for i, c := range cols {
		if t, ok := o.Types[c.Name]; ok {
			if cols[i].Column, err = frame.Cast(c.Column, t); err != nil {
				return nil, fmt.Errorf("jsonl: column %q: %w", c.Name, err)
			}
		}
	}
	for name := range o.Types {
		if f.Column(name) == nil {
			return nil, fmt.Errorf("jsonl: a type is given for %q, which is no column", name)
		}
	}
	return frame.New(cols...)
}

// part is the rows of a block.
type part struct {
	cols  []*values
	names map[string]int
	rows  int
	lines int
	err   *lineError
}

type lineError struct {
	line int
	err  error
}

// values are the values of a column; rows behind their end are null.
type values struct {
	name   string
	kind   column.Kind // Invalid as long as there are only nulls
	line   int         // of the first value that is not null
	ints   []int64     // also bools
	floats []float64
	texts  []string
	valid  []bool
}

func (v *values) pad(rows int) {
	for len(v.valid) < rows {
		v.valid = append(v.valid, false)
		switch v.kind {
		case column.Bool, column.Int64:
			v.ints = append(v.ints, 0)
		case column.Float64:
			v.floats = append(v.floats, 0)
		case column.String:
			v.texts = append(v.texts, "")
		}
	}
}

// become gives the column a kind. Its values so far become floats if that is the kind.
func (v *values) become(k column.Kind, line int) error {
	switch {
	case v.kind == k:
		return nil
	case v.kind == column.Invalid:
		n := len(v.valid)
		v.kind, v.line, v.valid = k, line, nil
		v.pad(n)
		return nil
	case v.kind == column.Int64 && k == column.Float64:
		for _, i := range v.ints {
			v.floats = append(v.floats, float64(i))
		}
		v.kind, v.ints = k, nil
		return nil
	case v.kind == column.Float64 && k == column.Int64:
		return nil
	}
	return fmt.Errorf("column %q has %s here, and %s before", v.name, nameOf[k], nameOf[v.kind])
}

var nameOf = map[column.Kind]string{column.Bool: "a bool", column.Int64: "a number", column.Float64: "a number", column.String: "a string"}

func (p *part) parse(data []byte) {
	p.names = map[string]int{}
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		p.lines++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := p.row(line); err != nil {
			p.err = &lineError{p.lines, err}
			return
		}
		p.rows++
	}
	for _, v := range p.cols {
		v.pad(p.rows)
	}
}

// row adds an object. Its text is known to be JSON before it is taken apart.
func (p *part) row(b []byte) error {
	if b[0] != '{' || !json.Valid(b) {
		return errors.New("the line is no JSON object")
	}
	i, next := skip(b, 1), 0
	for b[i] != '}' {
		key, end := text(b, i)
		i = skip(b, skip(b, end)+1)
		if next >= len(p.cols) || p.cols[next].name != key { // most objects have their names in one order
			k, ok := p.names[key]
			if !ok {
				k = len(p.cols)
				p.names[key] = k
				p.cols = append(p.cols, &values{name: key})
			}
			next = k
		}
		v := p.cols[next]
		next++
		if len(v.valid) > p.rows {
			return fmt.Errorf("the name %q is there twice", key)
		}
		v.pad(p.rows)
		var err error
		if i, err = v.add(b, i, p.lines); err != nil {
			return err
		}
		if i = skip(b, i); b[i] == ',' {
			i = skip(b, i+1)
		}
	}
	return nil
}

func skip(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\t' || b[i] == '\r' {
		i++
	}
	return i
}

// text returns the string that begins at i, and where it ends.
func text(b []byte, i int) (string, int) {
	j := i + 1
	for b[j] != '"' {
		if b[j] == '\\' {
			j++
		}
		j++
	}
	if raw := b[i+1 : j]; bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw), j + 1
	}
	var s string
	_ = json.Unmarshal(b[i:j+1], &s)
	return s, j + 1
}

// add adds the value that begins at i, and returns where it ends.
func (v *values) add(b []byte, i, line int) (int, error) {
	kind := column.Int64
	switch b[i] {
	case '{', '[':
		return i, fmt.Errorf("column %q has an object or array, which no column holds", v.name)
	case '"':
		s, end := text(b, i)
		if err := v.become(column.String, line); err != nil {
			return i, err
		}
		v.texts, v.valid = append(v.texts, s), append(v.valid, true)
		return end, nil
	case 't', 'f':
		if err := v.become(column.Bool, line); err != nil {
			return i, err
		}
		x, end := int64(1), i+4
		if b[i] == 'f' {
			x, end = 0, i+5
		}
		v.ints, v.valid = append(v.ints, x), append(v.valid, true)
		return end, nil
	case 'n':
		v.pad(len(v.valid) + 1)
		return i + 4, nil
	}
	end := i
	for c := b[end]; c != ',' && c != '}' && c != ' ' && c != '\t' && c != '\r'; c = b[end] {
		if c == '.' || c == 'e' || c == 'E' {
			kind = column.Float64
		}
		end++
	}
	x, err := strconv.ParseInt(string(b[i:end]), 10, 64)
	if err != nil {
		kind = column.Float64
	}
	if err := v.become(kind, line); err != nil {
		return i, err
	}
	if v.kind == column.Int64 {
		v.ints = append(v.ints, x)
	} else {
		f, err := strconv.ParseFloat(string(b[i:end]), 64)
		if err != nil {
			return i, fmt.Errorf("column %q: %s is not held by a float64", v.name, b[i:end])
		}
		v.floats = append(v.floats, f)
	}
	v.valid = append(v.valid, true)
	return end, nil
}

// join puts the columns of parts together.
func join(parts []part) (*frame.Frame, error) {
	var all []*values
	names := map[string]int{}
	rows, lines := 0, 0
	for _, p := range parts {
		if p.err != nil {
			return nil, fmt.Errorf("line %d: %w", lines+p.err.line, p.err.err)
		}
		for _, v := range p.cols {
			k, ok := names[v.name]
			if !ok {
				k = len(all)
				names[v.name] = k
				all = append(all, &values{name: v.name})
			}
			w := all[k]
			w.pad(rows)
			if v.kind != column.Invalid {
				if err := w.become(v.kind, v.line); err != nil {
					return nil, fmt.Errorf("line %d: %w", lines+v.line, err)
				}
				if w.kind == column.Float64 && v.kind == column.Int64 {
					_ = v.become(column.Float64, v.line)
				}
				w.ints, w.floats, w.texts = append(w.ints, v.ints...), append(w.floats, v.floats...), append(w.texts, v.texts...)
				w.valid = append(w.valid, v.valid...)
			}
			w.pad(rows + p.rows)
		}
		rows += p.rows
		lines += p.lines
	}
	var out []frame.Named
	for _, v := range all {
		v.pad(rows)
		c, err := v.column(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, frame.Named{Name: v.name, Column: c})
	}
	return frame.New(out...)
}

func (v *values) column(rows int) (*column.Column, error) {
	valid := column.BitmapOfBools(v.valid)
	switch v.kind {
	case column.Bool:
		bits := column.NewBitmap(rows)
		for i, x := range v.ints {
			bits.Set(i, x != 0)
		}
		return column.Bools(bits, valid)
	case column.Int64:
		return column.FixedOf(column.Int64.Of(), v.ints, valid), nil
	case column.Float64:
		return column.FixedOf(column.Float64.Of(), v.floats, valid), nil
	case column.String:
		return column.Of(v.texts).WithValidity(valid)
	}
	return column.Nulls(column.String.Of(), rows), nil
}

// Write writes a frame, with null for nulls. Dates, timestamps, durations and decimals are strings. Errors: a float that is NaN or
// infinite, which JSON has not.
func Write(w io.Writer, f *frame.Frame) error {
	out := bufio.NewWriterSize(w, 1<<20)
	cols := f.Columns()
	var keys [][]byte
	for i, c := range cols {
		key, err := json.Marshal(c.Name)
		if err != nil {
			return fmt.Errorf("jsonl: %w", err)
		}
		if i > 0 {
			key = append([]byte{','}, key...)
		}
		keys = append(keys, append(key, ':'))
	}
	var line []byte
	for row := range f.Rows() {
		line = append(line[:0], '{')
		for i, c := range cols {
			line = append(line, keys[i]...)
			var err error
			if line, err = appendValue(line, c.Column, row); err != nil {
				return fmt.Errorf("jsonl: column %q, row %d: %w", c.Name, row, err)
			}
		}
		line = append(line, '}', '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("jsonl: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("jsonl: %w", err)
	}
	return nil
}

func appendValue(b []byte, c *column.Column, row int) ([]byte, error) {
	t := c.Type()
	switch {
	case c.IsNull(row):
		return append(b, "null"...), nil
	case t.IsInteger() || t.Kind == column.Bool:
		return append(b, c.Format(row)...), nil
	case t.IsFloat():
		var x float64
		bits := 64
		if t.Kind == column.Float32 {
			x, bits = float64(column.Values[float32](c)[row]), 32
		} else {
			x = column.Values[float64](c)[row]
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return b, fmt.Errorf("JSON has no %v", x)
		}
		from := len(b)
		b = strconv.AppendFloat(b, x, 'g', -1, bits)
		if !bytes.ContainsAny(b[from:], ".e") {
			b = append(b, ".0"...) // a float again when it is read
		}
		return b, nil
	}
	s, err := json.Marshal(c.Format(row))
	return append(b, s...), err
}
