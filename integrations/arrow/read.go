package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/frame"
)

// ReadStream reads all record batches of an IPC stream.
func ReadStream(ctx context.Context, r io.Reader, o Options) (*frame.Frame, error) {
	var parts []*frame.Query
	var schema *arrow.Schema
	err := guarded(func() error {
		s, err := ipc.NewReader(&checked{Reader: r}, o.options()...)
		if err != nil {
			return err
		}
		defer s.Release()
		schema = s.Schema()
		rows := int64(0)
		return eachBatch(ctx, s, nil, o.limit(), func(f *frame.Frame) error {
			if rows += int64(f.Rows()); o.Progress != nil {
				o.Progress(rows)
			}
			parts = append(parts, f.Query())
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	if len(parts) == 0 {
		return empty(schema)
	}
	return frame.Concat(parts...).Collect(ctx)
}

func readStream(ctx context.Context, r io.Reader, o Options, names []string, give func(*frame.Frame) error) error {
	return guarded(func() error {
		s, err := ipc.NewReader(&checked{Reader: r}, o.options()...)
		if err != nil {
			return err
		}
		defer s.Release()
		return eachBatch(ctx, s, names, o.limit(), give)
	})
}

// eachBatch hands on the batches of a stream.
func eachBatch(ctx context.Context, s *ipc.Reader, names []string, limit int64, give func(*frame.Frame) error) error {
	for s.Next() {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		f, err := picked(s.RecordBatch(), names, limit)
		if err != nil {
			return err
		}
		if err := give(f); err != nil {
			return err
		}
	}
	return s.Err()
}

// picked returns some columns of a batch, all without names. Its memory is the garbage collector's.
func picked(r arrow.RecordBatch, names []string, limit int64) (*frame.Frame, error) {
	if r.NumRows() > limit { // an array of nulls alone takes no bytes, however many
		return nil, fmt.Errorf("a record batch has %d rows, and may have %d bytes (Options.MaxBatch)", r.NumRows(), limit)
	}
	if names == nil {
		return fromRecord(r)
	}
	var cols []frame.Named
	for _, name := range names {
		at := r.Schema().FieldIndices(name)
		if len(at) != 1 {
			return nil, fmt.Errorf("%d columns are called %q", len(at), name)
		}
		c, err := fromArray(r.Column(at[0]))
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", name, err)
		}
		cols = append(cols, frame.Named{Name: name, Column: c})
	}
	return frame.New(cols...)
}

// readBatches reads as many batches at a time as there are workers, and hands them over in their order.
func (f *File) readBatches(ctx context.Context, r *os.File, q frame.Request, give func(*frame.Frame) error) error {
	var file *ipc.FileReader
	err := guarded(func() (err error) {
		file, err = f.footed(r)
		return err
	})
	if err != nil {
		return err
	}
	defer file.Close()
	workers := q.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	done := make([]chan *frame.Frame, file.NumRecords())
	for i := range done {
		done[i] = make(chan *frame.Frame, 1)
	}
	room := make(chan struct{}, workers)
	var loading sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		for i := range done {
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			g.Go(func() error {
				b, err := batch(file, &loading, i, q.Columns, f.o.limit())
				if err != nil {
					return fmt.Errorf("record batch %d: %w", i, err)
				}
				done[i] <- b
				return nil
			})
		}
		return nil
	})
	g.Go(func() error {
		for _, next := range done {
			select {
			case b := <-next:
				if err := give(b); err != nil {
					return err
				}
				<-room
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	return g.Wait()
}

// batch is record batch i. The reader's batches share the state by which it finds dictionaries, so they are loaded one after the other.
func batch(file *ipc.FileReader, loading *sync.Mutex, i int, names []string, limit int64) (f *frame.Frame, err error) {
	err = guarded(func() error {
		r, err := func() (arrow.RecordBatch, error) {
			loading.Lock()
			defer loading.Unlock()
			return file.RecordBatchAt(i)
		}()
		if err != nil {
			return err
		}
		defer r.Release()
		f, err = picked(r, names, limit)
		return err
	})
	return f, err
}

func empty(s *arrow.Schema) (*frame.Frame, error) {
	var cols []frame.Named
	for _, f := range s.Fields() {
		c, err := fromChunks(f.Type, nil)
		if err != nil {
			return nil, fmt.Errorf("arrow: column %q: %w", f.Name, err)
		}
		cols = append(cols, frame.Named{Name: f.Name, Column: c})
	}
	return frame.New(cols...)
}

// guarded makes an error of what a damaged file makes the reader panic with.
func guarded(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooLarge:
			err = r
		default:
			if err, _ = r.(error); !errors.Is(err, errDamaged) {
				err = fmt.Errorf("the file is damaged: %v", r)
			}
		}
	}()
	return f()
}

func (o Options) options() []ipc.Option {
	return []ipc.Option{ipc.WithAllocator(bounded{memory.NewGoAllocator(), o.limit()}), ipc.WithBodySizeLimit(o.limit())}
}

// bounded is an allocator that refuses what a damaged file may ask for.
type bounded struct {
	memory.Allocator
	limit int64
}

type tooLarge struct{ bytes, limit int64 }

func (t tooLarge) Error() string {
	return fmt.Sprintf("a buffer has %d bytes, the limit is %d (Options.MaxBatch)", t.bytes, t.limit)
}

func (b bounded) Allocate(n int) []byte {
	if int64(n) > b.limit || n < 0 {
		panic(tooLarge{int64(n), b.limit})
	}
	return b.Allocator.Allocate(n)
}

func (b bounded) Reallocate(n int, old []byte) []byte {
	if int64(n) > b.limit || n < 0 {
		panic(tooLarge{int64(n), b.limit})
	}
	return b.Allocator.Reallocate(n, old)
}
