package arrow

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/anycl/anycl/frame"
)

// Compression is how the buffers of a batch are written.
type Compression string

// Compressions that Arrow's IPC format has.
const (
	None Compression = ""
	LZ4  Compression = "lz4"
	Zstd Compression = "zstd"
)

// WriteOptions say how a frame is written.
type WriteOptions struct {
	Compression Compression
	Rows        int // of a record batch; 0 is 1,048,576
}

// recorder is either of the two writers.
type recorder interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// Write writes a frame as an IPC file, which has a footer.
func Write(w io.Writer, f *frame.Frame, o WriteOptions) error {
	return write(f, o, func(opts []ipc.Option) (recorder, error) { return ipc.NewFileWriter(w, opts...) })
}

// WriteStream writes a frame as an IPC stream.
func WriteStream(w io.Writer, f *frame.Frame, o WriteOptions) error {
	return write(f, o, func(opts []ipc.Option) (recorder, error) { return ipc.NewWriter(w, opts...), nil })
}

// WriteFile writes a frame to a file, which has a footer. After an error there is no file.
func WriteFile(path string, f *frame.Frame, o WriteOptions) error {
	w, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	if err := errors.Join(Write(w, f, o), w.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func write(f *frame.Frame, o WriteOptions, open func([]ipc.Option) (recorder, error)) error {
	all := ToRecord(f)
	defer all.Release()
	opts := []ipc.Option{ipc.WithSchema(all.Schema())}
	switch o.Compression {
	case None:
	case LZ4:
		opts = append(opts, ipc.WithLZ4())
	case Zstd:
		opts = append(opts, ipc.WithZstd())
	default:
		return fmt.Errorf("arrow: there is no compression %q", o.Compression)
	}
	if o.Rows <= 0 {
		o.Rows = 1 << 20
	}
	w, err := open(opts)
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	for from := 0; from < f.Rows() || from == 0; from += o.Rows {
		part := all.NewSlice(int64(from), int64(min(from+o.Rows, f.Rows())))
		err := w.Write(part)
		part.Release()
		if err != nil {
			return errors.Join(fmt.Errorf("arrow: %w", err), w.Close())
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	return nil
}
