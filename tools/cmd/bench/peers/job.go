package peers

import (
	"context"
	"time"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// job is a function in this process that computes outs.
type job struct {
	f     func() error
	outs  []*tensor.Tensor
	keep  []*tensor.Tensor // the operands of f, so that they are not collected
	fetch func() error     // brings the results to outs, where f leaves them elsewhere
	close func() error
	// serve is f for one of several clients at the same time; nil where f is for one.
	clients func(n int) error // makes ready for n
	serve   func(client int) error
}

// served is a job that several clients may share.
type served struct{ *job }

func (j served) Serve(ctx context.Context, clients int, times []time.Duration) (time.Duration, error) {
	if err := j.clients(clients); err != nil {
		return 0, err
	}
	return bench.Serve(ctx, clients, times, j.serve)
}

func (j *job) Run(ctx context.Context, times []time.Duration) error {
	return bench.Timed(ctx, times, j.f)
}

func (j *job) Outputs(context.Context) ([]*tensor.Tensor, error) {
	if j.fetch == nil {
		return j.outs, nil
	}
	return j.outs, j.fetch()
}

func (j *job) Close() error {
	if j.close == nil {
		return nil
	}
	return j.close()
}
