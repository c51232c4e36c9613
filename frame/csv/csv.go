// Package csv reads and writes frames as comma-separated values.
//
// Files are as RFC 4180 describes them: fields that contain a comma, a quote or a line break stand between quotes, a quote
// within is written twice. The first line has the names of the columns. An empty field is null, and "" an empty string.
//
// Types are given, or inferred from the first rows: int64, float64, bool, date32 (2006-01-02), timestamp (RFC 3339, or without zone) or
// else strings. Blocks of a file are parsed by several goroutines.
package csv

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// Options say how a file is read. The zero value is for commas, and names in the first line.
type Options struct {
	Comma    byte                   // between fields; 0 is ','
	NoHeader bool                   // the first line is a row; columns are called column_1 and so on
	Names    []string               // in place of the header's, which is read and left out
	Types    map[string]column.Type // by column; the others are inferred
	Null     []string               // fields that are null, if not quoted; nil: the empty one
	Sample   int                    // rows from which types are inferred; 0: 10,000
	Workers  int                    // goroutines; 0: GOMAXPROCS
	Progress func(bytes int64)      // told how much was read, from one goroutine at a time
}

// Read reads all rows. An inferred type that a later row does not have becomes a wider one: int64 a float64, all others strings.
//
// Errors: a row with more or fewer fields than the header, quotes out of place, a field that its given type does not have; each names
// line, byte in the line and column. Names of columns that are missing or occur twice.
func Read(ctx context.Context, r io.Reader, o Options) (*frame.Frame, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("csv: %w", err)
	}
	return read(ctx, "", func() (io.ReadCloser, error) { return io.NopCloser(&memory{data}), nil }, o)
}

// ReadFile is [Read] of a file.
func ReadFile(ctx context.Context, path string, o Options) (*frame.Frame, error) {
	return read(ctx, path, func() (io.ReadCloser, error) { return os.Open(path) }, o)
}

func read(ctx context.Context, name string, open func() (io.ReadCloser, error), o Options) (*frame.Frame, error) {
	f := &File{name: name, open: open, o: o}
	for {
		out, err := frame.Scan(f).Collect(ctx)
		var misfit *misfit
		if !asMisfit(err, &misfit) || !f.widen(misfit) {
			return out, err
		}
	}
}

// memory is a reader of bytes that hands out its own.
type memory struct{ rest []byte }

func (m *memory) Read(p []byte) (int, error) {
	if len(m.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// File is a file as a source of a query: columns that the query does not need are not parsed, and rows are read once per run, in blocks.
type File struct {
	name   string
	open   func() (io.ReadCloser, error)
	o      Options
	layout *layout
}

// Open returns a file for [frame.Scan]. Its first rows are read now, to infer types; a row further on that does not have them ends the
// query with an error.
func Open(path string, o Options) (*File, error) {
	f := &File{name: path, open: func() (io.ReadCloser, error) { return os.Open(path) }, o: o}
	_, err := f.Schema()
	return f, err
}

// String returns the file's name.
func (f *File) String() string {
	if f.name == "" {
		return "csv"
	}
	return f.name
}

// Schema returns names and types of the columns.
func (f *File) Schema() ([]frame.Field, error) {
	if f.layout != nil {
		return f.layout.fields, nil
	}
	r, err := f.open()
	if err != nil {
		return nil, fmt.Errorf("csv: %w", err)
	}
	defer r.Close()
	l, err := inferLayout(r, f.o)
	if err != nil {
		return nil, f.failed(err)
	}
	f.layout = l
	return l.fields, nil
}

func (f *File) failed(err error) error {
	if f.name == "" {
		return fmt.Errorf("csv: %w", err)
	}
	return fmt.Errorf("csv: %s: %w", f.name, err)
}

// widen gives the column of a field that did not fit another type; false if its type was given.
func (f *File) widen(m *misfit) bool {
	if _, given := f.o.Types[m.name]; given {
		return false
	}
	i := slices.IndexFunc(f.layout.fields, func(c frame.Field) bool { return c.Name == m.name })
	t := column.String.Of()
	if f.layout.fields[i].Type.Kind == column.Int64 {
		if _, ok := parseFloat(m.text); ok {
			t = column.Float64.Of()
		}
	}
	f.layout.fields[i].Type = t
	return true
}

// Read hands the rows over; see [frame.Source].
func (f *File) Read(ctx context.Context, q frame.Request, rows func(*frame.Frame) error) error {
	if _, err := f.Schema(); err != nil {
		return err
	}
	r, err := f.open()
	if err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	defer r.Close()
	workers := f.o.Workers
	if workers <= 0 {
		workers = max(q.Workers, 1)
	}
	if q.Workers == 0 && f.o.Workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if err := f.layout.read(ctx, r, q, workers, f.o.Progress, rows); err != nil {
		return f.failed(err)
	}
	return nil
}
