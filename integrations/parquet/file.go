package parquet

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// Options say how a file is read.
type Options struct {
	LeaveOut       bool                    // columns of types that frames do not have are left out; else they are an error
	BinaryAsString bool                    // byte arrays of no type are strings, as some old writers mean them
	PlainStrings   bool                    // no dictionary columns
	Memory         int64                   // bytes that the columns of a row group may take; 0 is 8 GiB
	Progress       func(rows, total int64) // told how many rows were read or passed over, from one goroutine at a time
}

func (o Options) memory() int64 {
	if o.Memory <= 0 {
		return 8 << 30
	}
	return o.Memory
}

// File is a Parquet file as a source of a query.
type File struct {
	path string
	o    Options
	once sync.Once
	err  error
	*layout
}

// layout is what is known of a file once its end was read.
type layout struct {
	fields []frame.Field
	leaves []leaf
	info   os.FileInfo
	end    []byte // metadata, as they were
}

// leaf is a column of the file.
type leaf struct {
	at     int // in row groups
	stored column.Type
	typ    column.Type
	max    byte // definition level of values that are not null
}

// Open returns a file for [frame.Scan]. Its metadata are read now. Errors: no such file, no Parquet, or an encrypted one; columns of
// types that frames do not have, each with its name.
func Open(path string, o Options) (*File, error) {
	f := &File{path: path, o: o}
	_, err := f.Schema()
	return f, err
}

// ReadFile reads all rows of a file.
func ReadFile(ctx context.Context, path string, o Options) (*frame.Frame, error) {
	f, err := Open(path, o)
	if err != nil {
		return nil, err
	}
	return frame.Scan(f).Collect(ctx)
}

// String returns the file's name.
func (f *File) String() string { return f.path }

// Schema returns names and types of the columns.
func (f *File) Schema() ([]frame.Field, error) {
	f.once.Do(func() {
		f.err = f.failed(guarded(func() error {
			r, err := os.Open(f.path)
			if err != nil {
				return err
			}
			defer r.Close()
			p, end, info, err := open(r)
			if err == nil {
				f.layout, err = f.o.layout(p)
			}
			if err == nil {
				f.end, f.info = end, info
			}
			return err
		}))
	})
	if f.err != nil {
		return nil, f.err
	}
	return f.fields, nil
}

func (f *File) failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("parquet: %w", err)
	}
	return fmt.Errorf("parquet: %s: %w", f.path, err)
}

var errNotParquet = errors.New("not a whole Parquet file: it does not end with PAR1")

// open reads the metadata of a file, and returns them as they are, too.
func open(r *os.File) (p *parquet.File, end []byte, info os.FileInfo, err error) {
	if info, err = r.Stat(); err != nil {
		return nil, nil, nil, err
	}
	size := info.Size()
	if size < 12 {
		return nil, nil, nil, errNotParquet
	}
	tail := make([]byte, 8)
	if _, err := r.ReadAt(tail, size-8); err != nil {
		return nil, nil, nil, err
	}
	switch string(tail[4:]) {
	case "PAR1":
	case "PARE":
		return nil, nil, nil, errors.New("encrypted files are not read")
	default:
		return nil, nil, nil, errNotParquet
	}
	n := int64(binary.LittleEndian.Uint32(tail))
	if n > size-12 {
		return nil, nil, nil, errMetadata
	}
	end = make([]byte, n)
	if _, err := r.ReadAt(end, size-8-n); err != nil {
		return nil, nil, nil, err
	}
	if err := checkStruct(end); err != nil {
		return nil, nil, nil, err
	}
	p, err = parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	return p, end, info, err
}

// layout lists the columns of a file.
func (o Options) layout(p *parquet.File) (*layout, error) {
	l := &layout{}
	noted := map[string]note{}
	if text, ok := p.Lookup(notes); ok {
		if err := json.Unmarshal([]byte(text), &noted); err != nil {
			return nil, fmt.Errorf("its metadata %q are damaged: %w", notes, err)
		}
	}
	var errs []error
	for _, c := range p.Root().Columns() {
		t, err := typeOf(c, o)
		if err != nil {
			if !o.LeaveOut {
				errs = append(errs, fmt.Errorf("column %q: %w", c.Name(), err))
			}
			continue
		}
		f := leaf{at: int(c.Index()), stored: t, typ: t}
		if c.Optional() {
			f.max = 1
		}
		if r, ok := restored(noted[c.Name()], t); ok {
			f.typ = r
		}
		if t.Kind == column.String && !o.PlainStrings && encoded(p, f.at) {
			f.typ = column.Dictionary.Of()
		}
		if slices.ContainsFunc(l.fields, func(g frame.Field) bool { return g.Name == c.Name() }) {
			errs = append(errs, fmt.Errorf("two columns are called %q", c.Name()))
		}
		l.leaves = append(l.leaves, f)
		l.fields = append(l.fields, frame.Field{Name: c.Name(), Type: f.typ})
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if len(l.fields) == 0 {
		return nil, errors.New("the file has no columns that frames have")
	}
	return l, nil
}

// encoded reports whether all pages of a column, as far as is known, point into a dictionary.
func encoded(p *parquet.File, at int) bool {
	groups := p.Metadata().RowGroups
	for _, g := range groups {
		if at >= len(g.Columns) {
			return false
		}
		m := &g.Columns[at].MetaData
		if m.NumValues == 0 {
			continue
		}
		if m.DictionaryPageOffset == 0 && !slices.ContainsFunc(m.Encoding, isDictionary) {
			return false
		}
		for _, s := range m.EncodingStats {
			if (s.PageType == format.DataPage || s.PageType == format.DataPageV2) && !isDictionary(s.Encoding) && s.Count > 0 {
				return false
			}
		}
	}
	return len(groups) > 0
}

func isDictionary(e format.Encoding) bool {
	const old = format.Encoding(2) // PLAIN_DICTIONARY, which new files do not have
	return e == old || e == format.RLEDictionary
}

// guarded makes an error of what a damaged file makes the decoder panic with.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file is damaged: %v", r)
		}
	}()
	err = f()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the file ends too early: %s", strings.TrimSuffix(err.Error(), ": EOF"))
	}
	return err
}
