package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// blockBytes is how much of a file a goroutine parses at a time. Tests make it small.
var blockBytes = 8 << 20

// block is whole rows of a file.
type block struct {
	data  []byte
	first bool
	last  bool
	out   *frame.Frame
	lines int // line breaks in it
	err   error
	done  chan struct{}
}

// read cuts the file in blocks, which workers parse, and hands them over in their order.
func (l *layout) read(ctx context.Context, r io.Reader, q frame.Request, workers int, progress func(int64),
	rows func(*frame.Frame) error) error {
	ctx, cancel := context.WithCancel(ctx)
	todo, inOrder := make(chan *block), make(chan *block, 2*workers)
	var wg sync.WaitGroup
	defer func() {
		cancel()
		wg.Wait()
	}()
	for range workers {
		wg.Go(func() {
			for b := range todo {
				l.parseBlock(b, q.Columns)
				close(b.done)
			}
		})
	}
	var readErr error
	wg.Go(func() {
		defer close(todo)
		defer close(inOrder)
		readErr = l.cut(ctx, r, progress, func(b *block) bool {
			select {
			case <-ctx.Done():
				return false
			case inOrder <- b:
			}
			select {
			case <-ctx.Done():
				return false
			case todo <- b:
				return true
			}
		})
	})
	line, have := 0, 0
	for b := range inOrder {
		select {
		case <-b.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if b.err != nil {
			return shifted(b.err, line)
		}
		line += b.lines
		out := b.out
		b.out, b.data = nil, nil
		if q.Limit >= 0 && have+out.Rows() > q.Limit {
			out, _ = out.Slice(0, q.Limit-have)
		}
		have += out.Rows()
		if err := rows(out); err != nil {
			return err
		}
		if q.Limit >= 0 && have >= q.Limit {
			return nil
		}
	}
	if readErr == nil {
		readErr = ctx.Err()
	}
	return readErr
}

// shifted adds the lines before a block to the place of an error.
func shifted(err error, lines int) error {
	var m *misfit
	var bad *malformed
	switch {
	case errors.As(err, &m):
		m.line += lines
	case errors.As(err, &bad):
		bad.line += lines
	}
	return err
}

// cut divides the text at the ends of rows. A line break within quotes has an odd number of quotes before it.
func (l *layout) cut(ctx context.Context, r io.Reader, progress func(int64), emit func(*block) bool) error {
	var rest []byte
	first, total := true, int64(0)
	for size := blockBytes; ; {
		data := make([]byte, len(rest), max(size, 2*len(rest)))
		copy(data, rest)
		n, err := io.ReadFull(r, data[len(data):cap(data)])
		data = data[:len(data)+n]
		total += int64(n)
		if progress != nil {
			progress(total)
		}
		end := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !end {
			return err
		}
		at := len(data)
		if !end {
			at = lastRow(data)
		}
		rest = data[at:]
		if at > 0 || end {
			if !emit(&block{data: data[:at], first: first, last: end, done: make(chan struct{})}) {
				return ctx.Err()
			}
			first = false
		}
		if end {
			return nil
		}
	}
}

// lastRow returns where the last whole row of the data ends, 0 if there is none.
func lastRow(data []byte) int {
	quotes := bytes.Count(data, []byte{'"'})
	for end := len(data); ; {
		i := bytes.LastIndexByte(data[:end], '\n')
		if i < 0 {
			return 0
		}
		quotes -= bytes.Count(data[i:end], []byte{'"'})
		if quotes%2 == 0 {
			return i + 1
		}
		end = i
	}
}

// parseBlock makes a frame of a block.
func (l *layout) parseBlock(b *block, names []string) {
	defer func() {
		if r := recover(); r != nil {
			b.err = fmt.Errorf("internal error: %v\n%s", r, debug.Stack())
		}
	}()
	s := &scanner{comma: l.comma, data: b.data, line: 1}
	if b.first {
		s.start()
		if l.header {
			for s.pos < len(s.data) {
				if fields, err := s.row(true); err != nil || fields != nil {
					b.err = err
					break
				}
			}
		}
	}
	room := len(b.data) / 64
	cells := make([]cells, len(l.fields))
	for i, f := range l.fields {
		if slices.Contains(names, f.Name) {
			cells[i] = newCells(f.Type, room)
		}
	}
	for b.err == nil && s.pos < len(s.data) {
		line, from := s.line, s.pos
		fields, err := s.row(true)
		if err != nil {
			b.err = err
			return
		}
		if fields == nil {
			if len(l.fields) != 1 {
				continue
			}
			fields = append(s.fields[:0], field{})
		}
		if len(fields) != len(l.fields) {
			b.err = &malformed{place{line, 1}, fmt.Sprintf("the row has %d fields, the header %d", len(fields), len(l.fields))}
			return
		}
		for i := range cells {
			c := &cells[i]
			if c.kind == column.Invalid {
				continue
			}
			f := &fields[i]
			if !f.quoted && (len(f.text) == 0 && len(l.nulls) == 1 && l.nulls[0] == "" || len(l.nulls) != 1 && l.isNull(*f) ||
				len(l.nulls) == 1 && string(f.text) == l.nulls[0]) {
				c.null()
			} else if !c.add(f.text) {
				b.err = &misfit{place{line, f.at - from + 1}, l.fields[i].Name, string(f.text), l.fields[i].Type}
				return
			}
		}
	}
	if b.err != nil {
		return
	}
	b.lines = bytes.Count(b.data, newline)
	var cols []frame.Named
	for _, name := range names {
		i := slices.IndexFunc(l.fields, func(f frame.Field) bool { return f.Name == name })
		c, err := cells[i].finish()
		if err != nil {
			b.err = fmt.Errorf("column %q: %w", name, err)
			return
		}
		cols = append(cols, frame.Named{Name: name, Column: c})
	}
	b.out, b.err = frame.New(cols...)
}

// cells are the values of a column of a block.
type cells struct {
	kind   column.Kind
	typ    column.Type
	n      int
	ints   []int64
	floats []float64
	text   []byte
	offs   []int32
	nulls  []int32         // positions
	other  *column.Builder // types that are parsed by a cast from strings at the end
}

func newCells(t column.Type, room int) cells {
	c := cells{kind: t.Kind, typ: t}
	switch t.Kind {
	case column.Int64, column.Bool, column.Date32, column.Timestamp,
		column.Int8, column.Int16, column.Int32, column.Uint8, column.Uint16, column.Uint32:
		c.ints = make([]int64, 0, room)
	case column.Float64, column.Float32:
		c.floats = make([]float64, 0, room)
	case column.Dictionary:
		c.other = column.NewBuilder(t, room)
	default:
		c.offs = append(make([]int32, 0, room+1), 0)
		c.text = make([]byte, 0, 8*room)
	}
	return c
}

func (c *cells) null() {
	c.nulls = append(c.nulls, int32(c.n))
	c.n++
	switch {
	case c.other != nil:
		c.other.Null()
	case c.kind == column.Float64 || c.kind == column.Float32:
		c.floats = append(c.floats, 0)
	case c.offs != nil:
		c.offs = append(c.offs, int32(len(c.text)))
	default:
		c.ints = append(c.ints, 0)
	}
}

// add appends a field; false says that the type does not have it.
func (c *cells) add(b []byte) bool {
	c.n++
	var v int64
	var ok bool
	switch c.kind {
	case column.Float64, column.Float32:
		f, ok := parseFloat(str(b))
		c.floats = append(c.floats, f)
		return ok
	case column.Int64:
		v, ok = parseInt(b)
	case column.Int8, column.Int16, column.Int32:
		v, ok = parseInt(b)
		bits := 8*c.typ.Width() - 1
		ok = ok && v >= -1<<bits && v < 1<<bits
	case column.Uint8, column.Uint16, column.Uint32:
		v, ok = parseInt(b)
		ok = ok && v >= 0 && v < 1<<(8*c.typ.Width())
	case column.Bool:
		var is bool
		if is, ok = parseBool(b); is {
			v = 1
		}
	case column.Date32:
		v, ok = parseDate(b)
	case column.Timestamp:
		t, zoned, fits := parseTime(b)
		if !zoned && c.typ.Zone != "" && c.typ.Zone != "UTC" {
			return false // the zone's local time is a matter for a cast
		}
		per := c.typ.Unit.PerSecond()
		s := t.Unix()
		ok = fits && s < math.MaxInt64/per && s > math.MinInt64/per
		v = s*per + int64(t.Nanosecond())/int64(c.typ.Unit.Duration())
	case column.Dictionary:
		c.other.Text(str(b))
		return true
	default:
		c.text = append(c.text, b...)
		c.offs = append(c.offs, int32(len(c.text)))
		return true
	}
	c.ints = append(c.ints, v)
	return ok
}

func (c *cells) finish() (*column.Column, error) {
	valid := column.Bitmap{}
	if len(c.nulls) > 0 {
		valid = column.NewBitmap(c.n)
		valid.Fill()
		for _, i := range c.nulls {
			valid.Set(int(i), false)
		}
	}
	switch c.kind {
	case column.Float64:
		return column.FixedOf(c.typ, c.floats, valid), nil
	case column.Int64, column.Timestamp:
		return column.FixedOf(c.typ, c.ints, valid), nil
	case column.Date32:
		days := make([]int32, len(c.ints))
		for i, d := range c.ints {
			days[i] = int32(d)
		}
		return column.FixedOf(c.typ, days, valid), nil
	case column.Bool:
		bits := column.NewBitmap(c.n)
		for i, v := range c.ints {
			bits.Set(i, v != 0)
		}
		return column.Bools(bits, valid)
	case column.Dictionary:
		return c.other.Finish(), nil
	case column.Float32:
		return frame.Cast(column.FixedOf(column.Float64.Of(), c.floats, valid), c.typ)
	case column.Int8, column.Int16, column.Int32, column.Uint8, column.Uint16, column.Uint32:
		return frame.Cast(column.FixedOf(column.Int64.Of(), c.ints, valid), c.typ)
	}
	out, err := column.Strings(c.offs, c.text, valid)
	if err != nil || c.kind == column.String {
		return out, err
	}
	return frame.Cast(out, c.typ)
}
