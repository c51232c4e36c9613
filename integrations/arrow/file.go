package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/anycl/anycl/frame"
)

// Options say how a file is read.
type Options struct {
	MaxBatch int64            // bytes that a record batch, and a buffer of it once decompressed, may have; 0 is 2 GiB
	Progress func(rows int64) // told how many rows were read, from one goroutine at a time
}

func (o Options) limit() int64 {
	if o.MaxBatch <= 0 {
		return 2 << 30
	}
	return o.MaxBatch
}

// File is a file in Arrow's IPC format, as a source of a query. Both of its forms are read: files with a footer (Feather version 2), whose
// record batches several goroutines read, and streams. All columns of a batch are read from the disk, those that are needed are kept.
type File struct {
	path   string
	o      Options
	fields []frame.Field
	once   sync.Once
	err    error
}

// Open returns a file for [frame.Scan]. Its schema is read now. Errors: no such file, another format, types that columns do not have.
func Open(path string, o Options) (*File, error) {
	f := &File{path: path, o: o}
	_, err := f.Schema()
	return f, err
}

// ReadFile reads all rows of a file, whichever form it has.
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
		r, err := os.Open(f.path)
		if err != nil {
			f.err = fmt.Errorf("arrow: %w", err)
			return
		}
		defer r.Close()
		f.err = f.named(guarded(func() error {
			s, err := f.schemaOf(r)
			if err == nil {
				f.fields, err = Fields(s)
			}
			return err
		}))
	})
	return f.fields, f.err
}

func (f *File) named(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("arrow: %s: %w", f.path, err)
}

func (f *File) schemaOf(r *os.File) (*arrow.Schema, error) {
	if stream, err := isStream(r); err != nil {
		return nil, err
	} else if stream {
		s, err := ipc.NewReader(&checked{Reader: r}, f.o.options()...)
		if err != nil {
			return nil, err
		}
		defer s.Release()
		return s.Schema(), nil
	}
	s, err := f.footed(r)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Schema(), nil
}

// footed opens a file with a footer.
func (f *File) footed(r *os.File) (*ipc.FileReader, error) {
	info, err := r.Stat()
	if err == nil {
		err = checkFile(r, info.Size())
	}
	if err != nil {
		return nil, err
	}
	return ipc.NewFileReader(r, f.o.options()...)
}

// isStream looks at the first bytes of a file, ARROW1 of a file with a footer.
func isStream(r io.ReaderAt) (bool, error) {
	var magic [6]byte
	if n, err := r.ReadAt(magic[:], 0); err != nil && n < 4 {
		return false, errors.New("not a file of Arrow: it ends after its first bytes")
	}
	return string(magic[:]) != "ARROW1", nil
}

// Read hands the rows over, a record batch at a time; see [frame.Source].
func (f *File) Read(ctx context.Context, q frame.Request, rows func(*frame.Frame) error) error {
	want, err := f.Schema()
	if err != nil {
		return err
	}
	r, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	defer r.Close()
	give := f.giver(q, want, rows)
	stream, err := isStream(r)
	switch {
	case err != nil:
	case stream:
		err = readStream(ctx, r, f.o, q.Columns, give)
	default:
		err = f.readBatches(ctx, r, q, give)
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	var theirs *stopped
	if errors.As(err, &theirs) {
		return theirs.err
	}
	return f.named(err)
}

var errEnough = errors.New("no more rows are needed")

// stopped is an error of who takes the rows.
type stopped struct{ err error }

func (s *stopped) Error() string { return s.err.Error() }

// giver returns the function that takes batches in their order.
func (f *File) giver(q frame.Request, want []frame.Field, rows func(*frame.Frame) error) func(*frame.Frame) error {
	have := 0
	var total int64
	return func(b *frame.Frame) error {
		for _, c := range b.Schema() {
			if !slices.ContainsFunc(want, func(w frame.Field) bool { return w == c || w.Name == c.Name && w.Type.IsString() && c.Type.IsString() }) {
				return fmt.Errorf("the file changed while it was read: column %q is %s", c.Name, c.Type)
			}
		}
		total += int64(b.Rows())
		if f.o.Progress != nil {
			f.o.Progress(total)
		}
		if q.Limit >= 0 && have+b.Rows() > q.Limit {
			b, _ = b.Slice(0, q.Limit-have)
		}
		have += b.Rows()
		if err := rows(b); err != nil {
			return &stopped{err}
		}
		if q.Limit >= 0 && have >= q.Limit {
			return errEnough
		}
		return nil
	}
}
