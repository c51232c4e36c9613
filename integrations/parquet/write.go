package parquet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// Compression is how pages are compressed.
type Compression string

// Compressions of Parquet. LZ4 is only read: the encoder at hand loses pages that do not get smaller.
const (
	Snappy Compression = "snappy"
	Zstd   Compression = "zstd"
	Gzip   Compression = "gzip"
	Brotli Compression = "brotli"
	None   Compression = "none"
)

var codecs = map[Compression]compress.Codec{
	"": &parquet.Snappy, Snappy: &parquet.Snappy, Zstd: &parquet.Zstd, Gzip: &parquet.Gzip, Brotli: &parquet.Brotli,
	None: &parquet.Uncompressed,
}

// WriteOptions say how a frame is written.
type WriteOptions struct {
	Compression Compression // "" is Snappy
	Rows        int         // of a row group; 0 is 1,048,576
	PageBytes   int         // of a page before compression; 0 is 256 KiB
	Plain       bool        // strings without dictionaries. Otherwise all have one, until it grows beyond 1 MiB
	Workers     int         // goroutines; 0: GOMAXPROCS
}

// WriteFile writes a frame to a file. After an error there is no file.
func WriteFile(path string, f *frame.Frame, o WriteOptions) error {
	w, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	if err := errors.Join(Write(w, f, o), w.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Write writes a frame, with minima and maxima of each page and each column of a row group.
func Write(w io.Writer, f *frame.Frame, o WriteOptions) error {
	out, err := NewWriter(w, f.Schema(), o)
	if err != nil {
		return err
	}
	if err := out.Write(f); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

// Writer writes frames with the same columns after each other. Each begins a row group.
type Writer struct {
	w      *parquet.GenericWriter[any]
	fields []frame.Field
	o      WriteOptions
}

// NewWriter returns a writer of frames with these columns. Errors: no columns, an unknown compression.
func NewWriter(w io.Writer, fields []frame.Field, o WriteOptions) (*Writer, error) {
	codec, ok := codecs[o.Compression]
	if !ok {
		return nil, fmt.Errorf("parquet: there is no compression %q", o.Compression)
	}
	if len(fields) == 0 {
		return nil, errors.New("parquet: a file has at least one column")
	}
	if o.Rows <= 0 {
		o.Rows = 1 << 20
	}
	if o.PageBytes <= 0 {
		o.PageBytes = 256 << 10
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	var root group1
	noted := map[string]note{}
	for _, f := range fields {
		node := nodeOf(f.Type, o)
		if n, ok := noteOf(f.Type); ok {
			noted[f.Name] = n
		}
		root.fields = append(root.fields, field{parquet.Optional(node), f.Name})
	}
	opts := []parquet.WriterOption{
		parquet.NewSchema("schema", root), parquet.Compression(codec), parquet.PageBufferSize(o.PageBytes), parquet.DataPageStatistics(true),
		parquet.CreatedBy("anycl", "", ""), parquet.DictionaryMaxBytes(1 << 20), parquet.MaxRowsPerRowGroup(1<<63 - 1),
	}
	if len(noted) > 0 {
		text, err := json.Marshal(noted)
		if err != nil {
			return nil, fmt.Errorf("parquet: %w", err)
		}
		opts = append(opts, parquet.KeyValueMetadata(notes, string(text)))
	}
	return &Writer{parquet.NewGenericWriter[any](w, opts...), fields, o}, nil
}

// Write writes the rows of a frame. Errors: other columns than the file's, a timestamp in seconds that milliseconds do not hold.
func (w *Writer) Write(f *frame.Frame) error {
	cols := f.Columns()
	if len(cols) != len(w.fields) {
		return fmt.Errorf("parquet: %d columns, the file has %d", len(cols), len(w.fields))
	}
	for i, c := range cols {
		t := w.fields[i]
		if c.Name != t.Name || c.Column.Type() != t.Type && !(t.Type.IsString() && c.Column.Type().IsString()) {
			return fmt.Errorf("parquet: column %d is %q of %s, that of the file %q of %s", i+1, c.Name, c.Column.Type(), t.Name, t.Type)
		}
	}
	for from := 0; from < f.Rows(); from += w.o.Rows {
		to := min(from+w.o.Rows, f.Rows())
		var g errgroup.Group
		g.SetLimit(w.o.Workers)
		columns := w.w.ColumnWriters()
		for i, c := range cols {
			g.Go(func() error {
				if err := writeColumn(columns[i], c.Column.Slice(from, to)); err != nil {
					return fmt.Errorf("parquet: column %q: %w", c.Name, err)
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		if err := w.w.Flush(); err != nil {
			return fmt.Errorf("parquet: %w", err)
		}
	}
	return nil
}

// Close writes the end of the file. It does not close what it writes to.
func (w *Writer) Close() error {
	if err := w.w.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// group1 is the outermost group of a schema, whose columns are in their order and not, as in parquet.Group, in that of their names.
type group1 struct {
	parquet.Group
	fields []parquet.Field
}

func (g group1) Fields() []parquet.Field { return g.fields }
func (g group1) GoType() reflect.Type    { return reflect.TypeFor[struct{}]() }

type field struct {
	parquet.Node
	name string
}

func (f field) Name() string                           { return f.name }
func (f field) Value(base reflect.Value) reflect.Value { return base }

// nodeOf returns how a type is stored.
func nodeOf(t column.Type, o WriteOptions) parquet.Node {
	switch t.Kind {
	case column.Bool:
		return parquet.Leaf(parquet.BooleanType)
	case column.Int8, column.Int16, column.Int32, column.Int64:
		return parquet.Int(8 * t.Width())
	case column.Uint8, column.Uint16, column.Uint32, column.Uint64:
		return parquet.Uint(8 * t.Width())
	case column.Float32:
		return parquet.Leaf(parquet.FloatType)
	case column.Float64:
		return parquet.Leaf(parquet.DoubleType)
	case column.Date32:
		return parquet.Date()
	case column.Timestamp:
		unit := map[column.Unit]parquet.TimeUnit{column.Second: parquet.Millisecond, column.Millisecond: parquet.Millisecond,
			column.Microsecond: parquet.Microsecond, column.Nanosecond: parquet.Nanosecond}[t.Unit]
		return parquet.TimestampAdjusted(unit, t.Zone != "")
	case column.Duration:
		return parquet.Int(64)
	case column.Decimal128:
		return parquet.Decimal(int(t.Scale), int(t.Precision), parquet.FixedLenByteArrayType(16))
	}
	if o.Plain {
		return parquet.String()
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

// noteOf returns what Parquet cannot say of a type.
func noteOf(t column.Type) (note, bool) {
	switch {
	case t.Kind == column.Duration:
		return note{Kind: "duration", Unit: t.Unit}, true
	case t.Kind == column.Timestamp && (t.Unit == column.Second || t.Zone != "" && t.Zone != "UTC"):
		return note{"timestamp", t.Unit, t.Zone}, true
	}
	return note{}, false
}
