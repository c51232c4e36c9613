package opstest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// timed is an engine on which a task with a name of a test takes the time that the test says,
// by its prediction.
type timed struct {
	engine.Engine
	name string
	time map[string]time.Duration // by the task's name; others take nothing
}

func (e *timed) Name() string { return e.name }

func (e *timed) Traits() engine.Traits { return engine.Traits{} }

func (e *timed) Estimate(t *engine.Task) time.Duration { return e.time[t.Name] }

func (e *timed) Transfer(int64) time.Duration { return 0 }

// timedHost is the CPU path as a timed engine. It takes no processor from others.
type timedHost struct {
	timed
	engine.HostMemory
}

func (e *timedHost) Traits() engine.Traits { return engine.Traits{Hosted: true} }

// queued is a simulated device: tasks submitted to it wait for their turn in a queue of its own, from
// which a goroutine takes it. Its memory is not the host's.
type queued struct {
	timed
	jobs chan queuedJob
	over sync.WaitGroup

	mu     sync.Mutex
	failed error
	spare  [][]byte
}

type queuedJob struct {
	run      engine.Sequence
	from, to int
	number   uint32
	mem      engine.Memory
	offset   int64
	send     []byte
	ticket   *queuedTicket
	done     chan struct{}
}

func newQueued(name string, times map[string]time.Duration) *queued {
	q := &queued{timed: timed{fallback.New(nil), name, times}, jobs: make(chan queuedJob, 100)}
	q.over.Go(func() {
		for j := range q.jobs {
			q.do(&j)
		}
	})
	return q
}

func (q *queued) Traits() engine.Traits { return engine.Traits{Stream: q} }

func (q *queued) Idle() bool { return true }

func (q *queued) do(j *queuedJob) {
	ctx := context.Background()
	var err error
	switch {
	case j.run != nil:
		err = j.run.Run(ctx, j.from, j.to, j.number)
	case j.send != nil:
		err = q.Engine.Write(ctx, j.mem, j.offset, j.send)
		q.mu.Lock()
		q.spare = append(q.spare, j.send)
		q.mu.Unlock()
	case j.ticket != nil:
		for i, p := range j.ticket.pieces {
			err = errors.Join(err, q.Engine.Read(ctx, j.ticket.data[i], p.Mem, p.Offset))
		}
		j.ticket.done <- struct{}{}
	}
	if err != nil {
		q.mu.Lock()
		q.failed = errors.Join(q.failed, err)
		q.mu.Unlock()
	}
	if j.done != nil {
		close(j.done)
	}
}

func (q *queued) taken() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.failed
	q.failed = nil
	return err
}

func (q *queued) Wait(ctx context.Context) error {
	done := make(chan struct{})
	q.jobs <- queuedJob{done: done}
	select {
	case <-done:
		return q.taken()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *queued) Write(ctx context.Context, m engine.Memory, offset int64, src []byte) error {
	if err := q.Wait(ctx); err != nil {
		return err
	}
	return q.Engine.Write(ctx, m, offset, src)
}

func (q *queued) Read(ctx context.Context, dst []byte, m engine.Memory, offset int64) error {
	if err := q.Wait(ctx); err != nil {
		return err
	}
	return q.Engine.Read(ctx, dst, m, offset)
}

func (q *queued) Send(_ context.Context, m engine.Memory, offset int64, src []byte) error {
	q.mu.Lock()
	var data []byte
	if n := len(q.spare); n > 0 && cap(q.spare[n-1]) >= len(src) {
		data, q.spare = q.spare[n-1][:len(src)], q.spare[:n-1]
	} else {
		data = make([]byte, len(src))
	}
	q.mu.Unlock()
	copy(data, src)
	q.jobs <- queuedJob{mem: m, offset: offset, send: data}
	return nil
}

func (q *queued) Fetch(pieces []engine.Piece, again engine.Ticket) (engine.Ticket, error) {
	t, ok := again.(*queuedTicket)
	if !ok || !t.waited {
		t = &queuedTicket{q: q, done: make(chan struct{}, 1)}
		for _, p := range pieces {
			t.data = append(t.data, make([]byte, p.Bytes))
		}
	}
	t.pieces, t.waited = pieces, false
	q.jobs <- queuedJob{ticket: t}
	return t, nil
}

type queuedTicket struct {
	q      *queued
	pieces []engine.Piece
	data   [][]byte
	done   chan struct{}
	waited bool
}

func (t *queuedTicket) Wait(ctx context.Context, dst [][]byte) error {
	select {
	case <-t.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	t.waited = true
	for i := range dst {
		copy(dst[i], t.data[i])
	}
	return t.q.taken()
}

func (t *queuedTicket) Close() error { return nil }

func (q *queued) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	s, err := q.Engine.Prepare(ctx, tasks)
	return &queuedSequence{s, q}, err
}

func (q *queued) Close() error {
	close(q.jobs)
	q.over.Wait()
	return q.Engine.Close()
}

type queuedSequence struct {
	engine.Sequence
	q *queued
}

func (s *queuedSequence) Run(ctx context.Context, from, to int, run uint32) error {
	s.q.jobs <- queuedJob{run: s.Sequence, from: from, to: to, number: run}
	return ctx.Err()
}

func (s *queuedSequence) Close() error {
	return errors.Join(s.q.Wait(context.Background()), s.Sequence.Close())
}

// overlapRig is a runtime of simulated devices and the CPU path.
type overlapRig struct {
	*ops.Runtime
	Times map[string]time.Duration
}

// NewOverlapRig has devices "queue" with a queue, or "caller" that keep their caller at work.
func NewOverlapRig(t testing.TB, devices ...string) *overlapRig {
	t.Helper()
	r := &overlapRig{Times: map[string]time.Duration{}}
	var engines []engine.Engine
	for i, d := range devices {
		if name := d + string(rune('0'+i)); d == "queue" {
			engines = append(engines, newQueued(name, r.Times))
		} else {
			engines = append(engines, &timed{fallback.New(nil), name, r.Times})
		}
	}
	cpu := fallback.New(nil)
	engines = append(engines, &timedHost{timed{cpu, "cpu", r.Times}, cpu})
	r.Runtime = ops.NewRuntime(engines...)
	t.Cleanup(func() {
		err := r.Runtime.Close()
		for _, e := range engines {
			s := e.Stats()
			require.Zero(t, s.Memories+s.Sequences, e.Name())
			err = errors.Join(err, e.Close())
		}
		require.NoError(t, err)
	})
	return r
}

// Kernel is an op that is predicted to take a millisecond and adds up its operands, after f.
func (r *overlapRig) Kernel(g *ops.Graph, name string, place ops.Place, f func() error, ins ...*ops.Node) *ops.Node {
	r.Times[name] = time.Millisecond
	return ops.Put(ops.Kernel(g, ops.KernelOptions{
		Name: name, Source: "kernel void f() {}", Entry: "f", Results: []ops.Result{{DType: tensor.Float32, Shape: []int{2}}},
		Host: func(outs, ins []*tensor.Tensor) error {
			out, err := tensor.ToSlice[float32](outs[0])
			if err != nil {
				return err
			}
			clear(out)
			for _, in := range ins {
				for i := range out {
					out[i] += float32(in.Float64At(i))
				}
			}
			if f == nil {
				return nil
			}
			return f()
		},
	}, ins...)[0], place)
}

var ErrAlone = errors.New("nobody came")
