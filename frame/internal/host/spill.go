package host

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"unsafe"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/table"
)

// spill is a temporary file of tables, one after the other. Where the system allows it, the file has no name any more while it is open, so
// that it ends with the program, however that ends.
type spill struct {
	f      *os.File
	w      *bufio.Writer
	name   string // "" if it was removed
	dir    string
	schema []table.Field
	starts []int64 // of the tables, and the end
}

// newSpill makes a file in a folder, "" for the system's folder of temporary files.
func newSpill(dir string, schema []table.Field) (*spill, error) {
	f, err := os.CreateTemp(dir, "anycl-rows-*")
	if err != nil {
		return nil, spillError(dir, err)
	}
	s := &spill{f: f, name: f.Name(), dir: dir, schema: schema, starts: []int64{0}}
	if os.Remove(s.name) == nil {
		s.name = ""
	}
	s.w = bufio.NewWriterSize(f, 1<<18)
	return s, nil
}

func spillError(dir string, err error) error {
	if dir == "" {
		dir = os.TempDir()
	}
	return fmt.Errorf("rows that do not fit in memory are kept in %s: %w", dir, err)
}

// close ends the file.
func (s *spill) close() error {
	err := s.f.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
		s.name = ""
	}
	return err
}

// tables returns how many tables were written.
func (s *spill) tables() int { return len(s.starts) - 1 }

// write appends a table.
func (s *spill) write(t *table.Table) error {
	n := s.starts[len(s.starts)-1]
	put := func(b []byte) error {
		k, err := s.w.Write(b)
		n += int64(k)
		return err
	}
	number := func(v int) error { return put(binary.LittleEndian.AppendUint64(nil, uint64(v))) }
	bitmap := func(b column.Bitmap) error {
		for k := range b.Words() {
			if err := put(binary.LittleEndian.AppendUint64(nil, b.Word(k))); err != nil {
				return err
			}
		}
		return nil
	}
	err := number(t.Rows)
	for i := 0; i < len(t.Cols) && err == nil; i++ {
		err = writeColumn(t.Cols[i], put, number, bitmap)
	}
	if err != nil {
		return spillError(s.dir, err)
	}
	s.starts = append(s.starts, n)
	return nil
}

func writeColumn(c *column.Column, put func([]byte) error, number func(int) error, bitmap func(column.Bitmap) error) error {
	if err := number(c.Nulls()); err != nil {
		return err
	}
	if c.Nulls() > 0 {
		if err := bitmap(c.Validity()); err != nil {
			return err
		}
	}
	switch {
	case c.Type().Kind == column.Bool:
		return bitmap(c.Bits())
	case c.Type().IsString():
		ends, text := make([]int64, c.Len()), 0
		for i := range ends {
			if !c.IsNull(i) {
				text += len(c.Text(i))
			}
			ends[i] = int64(text)
		}
		if err := number(text); err != nil {
			return err
		}
		if err := put(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(ends))), 8*len(ends))); err != nil {
			return err
		}
		for i := range c.Len() {
			if c.IsNull(i) {
				continue
			}
			if s := c.Text(i); len(s) > 0 {
				if err := put(unsafe.Slice(unsafe.StringData(s), len(s))); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return put(c.Data())
}

// flush writes the buffered bytes. After it, tables are read.
func (s *spill) flush() error {
	err := s.w.Flush()
	s.w = nil
	if err != nil {
		return spillError(s.dir, err)
	}
	return nil
}

// read returns table i.
func (s *spill) read(i int) (*table.Table, error) {
	data := column.Make[uint64](int(s.starts[i+1]-s.starts[i]+7) / 8)
	at := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), s.starts[i+1]-s.starts[i])
	if _, err := s.f.ReadAt(at, s.starts[i]); err != nil {
		return nil, spillError(s.dir, err)
	}
	in := &spilled{rest: at}
	t := &table.Table{Rows: in.number()}
	for _, f := range s.schema {
		c, err := in.column(f.Type, t.Rows)
		if err == nil && in.short {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, spillError(s.dir, err)
		}
		t.Names, t.Cols = append(t.Names, f.Name), append(t.Cols, c)
	}
	return t, nil
}

// spilled is the bytes of a table.
type spilled struct {
	rest  []byte
	short bool // there were fewer than expected
}

func (s *spilled) take(n int) []byte {
	if n < 0 || n > len(s.rest) {
		s.short = true
		return make([]byte, max(n, 0))
	}
	b := s.rest[:n:n]
	s.rest = s.rest[n:]
	return b
}

func (s *spilled) number() int { return int(binary.LittleEndian.Uint64(s.take(8))) }

func (s *spilled) bitmap(n int) (column.Bitmap, error) {
	return column.BitmapOf(s.take((n+63)/64*8), 0, n)
}

// aligned returns bytes that begin at a multiple of 8.
func (s *spilled) aligned(n int) []byte {
	b := s.take(n)
	if n == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 == 0 {
		return b
	}
	words := column.Make[uint64]((n + 7) / 8)
	c := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
	copy(c, b)
	return c
}

func (s *spilled) column(t column.Type, n int) (*column.Column, error) {
	var valid column.Bitmap
	var err error
	if s.number() > 0 {
		if valid, err = s.bitmap(n); err != nil {
			return nil, err
		}
	}
	switch {
	case t.Kind == column.Bool:
		bits, err := s.bitmap(n)
		if err != nil {
			return nil, err
		}
		return column.Bools(bits, valid)
	case t.IsString():
		return s.texts(t, n, valid)
	}
	return column.Fixed(t, s.aligned(n*t.Width()), valid)
}

func (s *spilled) texts(t column.Type, n int, valid column.Bitmap) (*column.Column, error) {
	size := s.number()
	ends := s.aligned(8 * n)
	text := s.take(size)
	var c *column.Column
	var err error
	if size > math.MaxInt32 || t.Kind == column.LargeString {
		offsets := column.Make[int64](n + 1)
		for i := range n {
			offsets[i+1] = int64(binary.LittleEndian.Uint64(ends[8*i:]))
		}
		c, err = column.Strings(offsets, text, valid)
	} else {
		offsets := column.Make[int32](n + 1)
		for i := range n {
			offsets[i+1] = int32(binary.LittleEndian.Uint64(ends[8*i:]))
		}
		c, err = column.Strings(offsets, text, valid)
	}
	if err == nil && t.Kind == column.Dictionary {
		c, err = c.Encode()
	}
	return c, err
}
