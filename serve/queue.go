package serve

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/anycl/anycl/tensor"
)

// job is a request that waits for the model, or runs.
type job struct {
	ctx    context.Context
	in     map[string]*tensor.Tensor
	rows   int    // in a batch; 0: it runs alone
	key    string // jobs with the same key can run together
	at     time.Time
	queued time.Duration // with outs and err: set when done is closed
	outs   map[string]*tensor.Tensor
	err    error
	done   chan struct{}
}

// newJob is the job of a request. Inputs without rows run alone, and so do all where the model is not batched.
func (v *version) newJob(ctx context.Context, in map[string]*tensor.Tensor) *job {
	j := &job{ctx: ctx, in: in, at: time.Now(), done: make(chan struct{})}
	if !v.batches() {
		return j
	}
	for i, x := range v.inputs {
		shape := in[x.Name].Shape()
		if i == 0 {
			j.rows = shape[0]
		} else if shape[0] != j.rows {
			j.rows = 0
			break
		}
		j.key += fmt.Sprint(shape[1:])
	}
	return j
}

// queue holds the jobs of a version, which workers take.
type queue struct {
	v       *version
	costs   *costs
	workers sync.WaitGroup

	mu      sync.Mutex
	wake    sync.Cond
	jobs    []*job
	running int
	closed  bool

	delay waitPolicy
}

func newQueue(v *version, c *costs) *queue {
	q := &queue{v: v, costs: c}
	q.wake.L = &q.mu
	for range v.o.Concurrency {
		q.workers.Go(q.work)
	}
	return q
}

// close ends the workers, after the jobs that wait.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wake.Broadcast()
	q.workers.Wait()
}

// wakeAll wakes the workers. Those that were about to wait, with the lock, are then waiting.
func (q *queue) wakeAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wake.Broadcast()
}

func (q *queue) load() (queued, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs), q.running
}

func (q *queue) full() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs) >= q.v.o.Queue
}

// refusal tells a client to come back when the jobs that wait will have run.
func (q *queue) refusal() error {
	batches := (q.v.o.Queue + q.v.o.MaxBatch - 1) / q.v.o.MaxBatch
	if !q.v.batches() {
		batches = q.v.o.Queue
	}
	wait := time.Duration(batches) * q.costs.of(q.costs.largest()) / time.Duration(q.v.o.Concurrency)
	return &httpError{code: http.StatusTooManyRequests, retry: max(wait, time.Second),
		text: fmt.Sprintf("%d requests to the model %q wait already", q.v.o.Queue, q.v.model)}
}

// do queues a job and waits for it, or for the end of its context, after which it may still run. It also says how long the job was
// queued.
func (q *queue) do(j *job) (outs map[string]*tensor.Tensor, queued time.Duration, err error) {
	if q.v.batches() && j.rows > q.v.o.MaxBatch {
		return nil, 0, failure(http.StatusBadRequest, "the request has %d rows, and a batch of the model %q at most %d", j.rows, q.v.model,
			q.v.o.MaxBatch)
	}
	q.mu.Lock()
	if len(q.jobs) >= q.v.o.Queue {
		q.mu.Unlock()
		return nil, 0, q.refusal()
	}
	q.jobs = append(q.jobs, j)
	q.mu.Unlock()
	q.wake.Signal()
	select {
	case <-j.done:
		return j.outs, j.queued, j.err
	case <-j.ctx.Done():
	}
	q.mu.Lock()
	q.jobs = slices.DeleteFunc(q.jobs, func(x *job) bool { return x == j })
	q.mu.Unlock()
	return nil, time.Since(j.at), j.ctx.Err()
}

// work takes jobs and runs them, until the queue is closed and empty.
func (q *queue) work() {
	r := runnerOf(q.v)
	for {
		jobs, rows := q.take()
		if jobs == nil {
			return
		}
		r.run(jobs, rows)
		q.mu.Lock()
		q.running--
		q.mu.Unlock()
	}
}

// take waits for the jobs that are to run next; nil: the queue is closed.
func (q *queue) take() (jobs []*job, rows int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waited, decided, had := false, false, 0
	for {
		q.jobs = slices.DeleteFunc(q.jobs, func(j *job) bool { return j.ctx.Err() != nil })
		if len(q.jobs) == 0 {
			if q.closed {
				return nil, 0
			}
			q.wake.Wait()
			waited, decided = false, false
			continue
		}
		jobs, rows = q.next()
		wait := q.v.o.Delay - time.Since(jobs[0].at)
		if rows == 0 || rows >= q.v.o.MaxBatch || wait <= 0 || q.closed {
			break
		}
		if !decided {
			decided, waited, had = true, q.delay.worth(), len(jobs)
		}
		if !waited {
			break
		}
		timer := time.AfterFunc(wait, q.wakeAll)
		q.wake.Wait()
		timer.Stop()
	}
	if waited {
		q.delay.note(len(jobs) > had)
	}
	jobs, rows = q.costs.cut(jobs, rows)
	taken := map[*job]bool{}
	for _, j := range jobs {
		taken[j] = true
	}
	q.jobs = slices.DeleteFunc(q.jobs, func(j *job) bool { return taken[j] })
	q.running++
	if len(q.jobs) > 0 {
		q.wake.Signal() // for another worker
	}
	return jobs, rows
}

// next are the first job and those after it that fit into a batch with it, and their rows; 0 rows: it runs alone.
func (q *queue) next() (jobs []*job, rows int) {
	head := q.jobs[0]
	if head.rows == 0 {
		return []*job{head}, 0
	}
	for _, j := range q.jobs {
		if j.rows == 0 || j.key != head.key {
			continue
		}
		if rows+j.rows > q.v.o.MaxBatch {
			break
		}
		jobs, rows = append(jobs, j), rows+j.rows
	}
	return jobs, rows
}
