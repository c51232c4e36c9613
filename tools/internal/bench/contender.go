package bench

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/tensor"
)

// ErrCannot is wrapped by the error of a contender that has no way to run a
// work. The others are measured without it.
var ErrCannot = errors.New("bench: not for this contender")

// Contender runs programs: this module, another library, a limit.
type Contender interface {
	Name() string
	// Version is of the library, or of the device.
	Version() string
	// Load prepares w for running on the operands of its leaves, which the
	// caller does not change.
	Load(ctx context.Context, w *Work, operands []*tensor.Tensor) (Job, error)
	Close() error
}

// Job is a work that a contender is ready to run.
type Job interface {
	// Run runs len(times) times, one after the other, and says how long each took.
	Run(ctx context.Context, times []time.Duration) error
	// Outputs are the results of the last run. A limit has none.
	Outputs(ctx context.Context) ([]*tensor.Tensor, error)
	Close() error
}

// Server is a Job that answers several clients at the same time.
type Server interface {
	// Serve answers len(times) requests of so many clients, says how long each
	// waited, and how long all took.
	Serve(ctx context.Context, clients int, times []time.Duration) (time.Duration, error)
}

// Clocked is a Job of a device whose clock can be read.
type Clocked interface {
	// Device is how long the device works in one run, by the times of its events.
	Device(ctx context.Context) (time.Duration, error)
}

// Placed is a Job that was given its place by predicted times.
type Placed interface {
	// Placed is the predicted time of a run, and how many tasks run where.
	Placed() (time.Duration, string)
}

// Serve lets clients call f, which is given the number of the client, until there
// are len(times) answers.
func Serve(ctx context.Context, clients int, times []time.Duration, f func(client int) error) (time.Duration, error) {
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	for c := range clients {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(times) {
					return nil
				}
				if err := Timed(ctx, times[i:i+1], func() error { return f(c) }); err != nil {
					return err
				}
			}
		})
	}
	err := group.Wait()
	return time.Since(start), err
}

// Timed is a Job's Run for a function in this process.
func Timed(ctx context.Context, times []time.Duration, f func() error) error {
	for i := range times {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := time.Now()
		if err := f(); err != nil {
			return err
		}
		times[i] = time.Since(start)
	}
	return nil
}
