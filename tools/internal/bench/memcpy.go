package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/tensor"
)

// memcpy is the host's own copy, by all cores.
type memcpy struct{}

func (memcpy) Name() string    { return LimitMemcpy }
func (memcpy) Version() string { return runtime.Version() }
func (memcpy) Close() error    { return nil }

// Load accepts copies.
func (memcpy) Load(_ context.Context, w *Work, operands []*tensor.Tensor) (Job, error) {
	if step, ok := w.Program.Single(); !ok || step.Op != "copy" {
		return nil, fmt.Errorf("%w: no copy", ErrCannot)
	}
	src, ok := operands[0].Bytes()
	if !ok {
		return nil, fmt.Errorf("%w: not contiguous", ErrCannot)
	}
	dst, err := tensor.New(operands[0].DType(), operands[0].Shape()...)
	if err != nil {
		return nil, err
	}
	to, _ := dst.Bytes()
	return &memcpyJob{dst, to, src}, nil
}

type memcpyJob struct {
	dst      *tensor.Tensor
	to, from []byte
}

func (j *memcpyJob) Run(ctx context.Context, times []time.Duration) error {
	n := runtime.NumCPU()
	return Timed(ctx, times, func() error {
		var group errgroup.Group
		for i := range n {
			lo, hi := i*len(j.to)/n, (i+1)*len(j.to)/n
			group.Go(func() error { copy(j.to[lo:hi], j.from[lo:hi]); return nil })
		}
		return group.Wait()
	})
}

func (j *memcpyJob) Outputs(context.Context) ([]*tensor.Tensor, error) {
	return []*tensor.Tensor{j.dst}, nil
}

func (j *memcpyJob) Close() error { return nil }
