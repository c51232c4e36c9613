package bench

import (
	"context"
	"errors"
	"time"

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
