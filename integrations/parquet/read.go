package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/frame"
)

// group is a row group that is being read.
type group struct {
	at     int
	ranges []rows // of rows that are needed
	n      int    // rows in them
	total  int64  // rows of the group and of those before it that were passed over
	cols   []frame.Named
	rooms  []room       // of values, which may be used again
	from   int          // rows of the groups before it that are needed
	left   atomic.Int32 // columns that are not there yet
	spent  atomic.Int64 // bytes
	done   chan struct{}
}

// rows are those from one up to another.
type rows struct{ from, to int64 }

// Read hands the rows over, a row group at a time; see [frame.Source].
func (f *File) Read(ctx context.Context, q frame.Request, give func(*frame.Frame) error) error {
	if _, err := f.Schema(); err != nil {
		return err
	}
	var theirs error
	err := guarded(func() error {
		r, err := os.Open(f.path)
		if err != nil {
			return err
		}
		defer r.Close()
		p, end, info, err := open(r)
		if err != nil {
			return err
		}
		if !bytes.Equal(end, f.end) || info.Size() != f.info.Size() {
			return errChanged
		}
		err = f.read(ctx, p, r, q, func(g *frame.Frame) error {
			theirs = give(g)
			return theirs
		})
		if theirs != nil || err == nil && q.Limit >= 0 {
			return theirs
		}
		// Who wrote into the file since it was opened may have made any error, or none.
		if after, e := os.Stat(f.path); e != nil || after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) {
			return errors.Join(errChanged, err)
		}
		return err
	})
	if theirs != nil {
		return theirs
	}
	return f.failed(err)
}

var errChanged = errors.New("the file changed while it was read")

// read gives the rows of the groups that are needed, whose columns workers read at the same time.
func (f *File) read(ctx context.Context, p *parquet.File, r *os.File, q frame.Request, give func(*frame.Frame) error) error {
	wanted, err := f.indices(q.Columns)
	if err != nil {
		return err
	}
	groups, err := f.plan(p, r, q)
	if err != nil {
		return err
	}
	workers := q.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	// The groups in work, of which the first is handed over next, are as few as keep all workers busy.
	ahead := 1 + (workers+len(wanted)-1)/len(wanted)
	if q.Reuse != nil {
		ahead++ // who has no use for a frame any more was waited for
	}
	window := make(chan struct{}, ahead)
	tasks := make(chan task)
	whole, again := f.wholeRooms(groups, wanted, q), &rooms{free: make([][]room, len(wanted))}
	w, ctx := errgroup.WithContext(ctx)
	w.Go(func() error {
		defer close(tasks)
		return share(ctx, groups, len(wanted), tasks, window)
	})
	for range min(workers, max(1, len(groups)*len(wanted))) {
		w.Go(func() error {
			var mem memory
			for t := range tasks {
				k := wanted[t.col]
				to := whole[t.col].of(t.g)
				if q.Reuse != nil && !q.Whole {
					to = again.take(t.col, f.leaves[k].typ, t.g.n)
					t.g.rooms[t.col] = to
				}
				c, err := f.chunk(ctx, p, r, t.g, f.leaves[k], to, &mem)
				if err != nil {
					return fmt.Errorf("row group %d, column %q: %w", t.g.at, f.fields[k].Name, err)
				}
				t.g.cols[t.col] = frame.Named{Name: f.fields[k].Name, Column: c}
				if t.g.left.Add(-1) == 0 {
					close(t.g.done)
				}
			}
			return nil
		})
	}
	w.Go(func() error { return f.handOver(ctx, groups, p.NumRows(), q, again, window, give) })
	if err := w.Wait(); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// indices are the places of columns among the fields of the file.
func (f *File) indices(columns []string) (wanted []int, err error) {
	for _, name := range columns {
		i := slices.IndexFunc(f.fields, func(c frame.Field) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no column %q", name)
		}
		wanted = append(wanted, i)
	}
	if len(wanted) == 0 {
		return nil, errors.New("no columns were asked for")
	}
	return wanted, nil
}

// wholeRooms are memories for the columns of all groups together, whose values then need not be moved to follow each other; empty ones
// where nobody wants the file as a whole.
func (f *File) wholeRooms(groups []*group, wanted []int, q frame.Request) []room {
	whole := make([]room, len(wanted))
	if !q.Whole {
		return whole
	}
	n := 0
	for _, g := range groups {
		g.from = n
		n += g.n
	}
	for i, k := range wanted {
		whole[i] = newRoom(f.leaves[k].typ, n)
	}
	return whole
}

// task is a column of a group.
type task struct {
	g   *group
	col int
}

// share sends the columns of groups to the workers, a group when the window has room for it.
func share(ctx context.Context, groups []*group, columns int, tasks chan<- task, window chan<- struct{}) error {
	for _, g := range groups {
		select {
		case window <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		g.cols, g.rooms = make([]frame.Named, columns), make([]room, columns)
		g.left.Store(int32(columns))
		for i := range columns {
			select {
			case tasks <- task{g, i}:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

var errEnough = errors.New("no more rows are needed")

func (f *File) handOver(ctx context.Context, groups []*group, all int64, q frame.Request, again *rooms, window chan struct{},
	give func(*frame.Frame) error) error {
	have, limit := 0, q.Limit
	for _, g := range groups {
		select {
		case <-g.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		out, err := frame.New(g.cols...)
		if err != nil {
			return err
		}
		g.cols = nil
		if limit >= 0 && have+out.Rows() > limit {
			out, _ = out.Slice(0, limit-have)
		}
		have += out.Rows()
		if f.o.Progress != nil {
			f.o.Progress(g.total, all)
		}
		if err := give(out); err != nil {
			return err
		}
		if limit >= 0 && have >= limit {
			return errEnough
		}
		if q.Reuse != nil && q.Reuse() {
			again.put(g.rooms)
		}
		g.rooms = nil
		<-window
	}
	return nil
}

// plan lists the row groups that are needed, at least one so that there is a frame.
func (f *File) plan(p *parquet.File, r *os.File, q frame.Request) ([]*group, error) {
	var out []*group
	var total int64
	need := int64(q.Limit)
	for i, g := range p.RowGroups() {
		n := g.NumRows()
		m := p.Metadata().RowGroups[i]
		if n < 0 || n > 1<<40 || len(m.Columns) != len(g.ColumnChunks()) {
			return nil, errMetadata
		}
		total += n
		if n == 0 || q.Limit >= 0 && need <= 0 && len(out) > 0 {
			continue
		}
		need -= n
		ranges, err := f.needed(p, r, i, q.Filter)
		if err != nil {
			return nil, fmt.Errorf("row group %d: %w", i, err)
		}
		w := &group{at: i, ranges: ranges, total: total, done: make(chan struct{})}
		for _, s := range ranges {
			w.n += int(s.to - s.from)
		}
		if w.n > 0 {
			out = append(out, w)
		}
	}
	if len(out) > 0 {
		out[len(out)-1].total = total
	}
	return out, nil
}

// reserve is called before memory is taken.
func (g *group) reserve(bytes, limit int64) error {
	if bytes > limit || g.spent.Add(bytes) > limit {
		return fmt.Errorf("%w: its row group takes more than %d bytes (Options.Memory)", frame.ErrMemory, limit)
	}
	return nil
}
