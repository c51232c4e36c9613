package serve

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/tensor"
)

// batchRunner runs batches, one after the other, in memory that it keeps.
type batchRunner struct {
	v      *version
	memory map[string][]byte // of inputs
}

func runnerOf(v *version) *batchRunner { return &batchRunner{v: v, memory: map[string][]byte{}} }

// run runs jobs, together where there are several, and tells them.
func (b *batchRunner) run(jobs []*job, rows int) {
	start := time.Now()
	ctx, cancel := together(jobs)
	size := rows
	in, err := jobs[0].in, error(nil)
	if rows > 0 {
		size = b.v.queue.costs.size(rows)
		if len(jobs) > 1 || size != rows {
			in, err = b.join(jobs, size)
		}
	}
	var outs map[string]*tensor.Tensor
	if err == nil {
		outs, err = b.call(ctx, in)
	}
	cancel()
	if err == nil {
		err = b.v.checkOutputs(outs, size)
	} else {
		clear(b.memory) // a run that was given up may still read it
	}
	took := time.Since(start)
	if err == nil {
		b.v.queue.costs.note(max(size, 1), took)
	}
	at := 0
	for _, j := range jobs {
		j.queued = start.Sub(j.at)
		if j.err = err; err == nil {
			j.outs = outs
			if size > 0 {
				j.outs, j.err = rowsOf(outs, at, at+j.rows)
			}
		}
		at += j.rows
		close(j.done)
	}
	if o := b.v.s.o.Observer; o != nil {
		o.Batch(BatchInfo{Model: b.v.model, Version: b.v.name, Requests: len(jobs), Rows: max(rows, 1), Size: max(size, 1), Duration: took,
			Err: err})
	}
}

// call runs the model. A panic of it is an error of these requests, and not the end of the server.
func (b *batchRunner) call(ctx context.Context, in map[string]*tensor.Tensor) (outs map[string]*tensor.Tensor, err error) {
	defer func() {
		if r := recover(); r != nil {
			b.v.s.o.Log.Error("panic", "model", b.v.model, "version", b.v.name, "panic", r, "stack", string(debug.Stack()))
			outs, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	return b.v.r.Run(ctx, in)
}

// together is a context that ends when those of all jobs have.
func together(jobs []*job) (context.Context, context.CancelFunc) {
	if len(jobs) == 1 {
		return context.WithCancel(jobs[0].ctx)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(jobs[0].ctx))
	var left atomic.Int64
	left.Store(int64(len(jobs)))
	stops := make([]func() bool, len(jobs))
	for i, j := range jobs {
		stops[i] = context.AfterFunc(j.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// join is the inputs of all jobs one below the other, and copies of the last row up to size.
func (b *batchRunner) join(jobs []*job, size int) (map[string]*tensor.Tensor, error) {
	all := map[string]*tensor.Tensor{}
	for _, in := range b.v.inputs {
		first := jobs[0].in[in.Name]
		row := first.NumBytes() / first.Shape()[0]
		data := b.memory[in.Name]
		if len(data) < size*row {
			data = tensor.AlignedBytes(size * row)
			b.memory[in.Name] = data
		}
		data = data[:size*row]
		at := 0
		for _, j := range jobs {
			x, _ := j.in[in.Name].Contiguous().Bytes()
			at += copy(data[at:], x)
		}
		for ; at < len(data); at += row {
			copy(data[at:], data[at-row:at])
		}
		shape := append([]int{size}, first.Shape()[1:]...)
		t, err := tensor.FromBytes(first.DType(), data, shape...)
		if err != nil {
			return nil, err
		}
		all[in.Name] = t
	}
	return all, nil
}

// checkOutputs reports outputs that are not there, are of a dtype that the protocol lacks, or have not a row for each of the inputs; 0
// rows: any number will do.
func (v *version) checkOutputs(outs map[string]*tensor.Tensor, rows int) error {
	for _, out := range v.outputs {
		switch t := outs[out.Name]; {
		case t == nil:
			return fmt.Errorf("the model has not computed %q", out.Name)
		case datatypeOf(t.DType()) == "":
			return fmt.Errorf("the output %q is %v, for which the protocol has no datatype", out.Name, t.DType())
		case rows > 0 && (t.Rank() == 0 || t.Shape()[0] != rows):
			return fmt.Errorf("the output %q of a batch of %d rows has the shape %v", out.Name, rows, t.Shape())
		}
	}
	return nil
}

// rowsOf are rows from to below to of all outputs.
func rowsOf(outs map[string]*tensor.Tensor, from, to int) (map[string]*tensor.Tensor, error) {
	part := map[string]*tensor.Tensor{}
	for name, t := range outs {
		x, err := t.Slice(0, from, to, 1)
		if err != nil {
			return nil, err
		}
		part[name] = x
	}
	return part, nil
}
