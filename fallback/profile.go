package fallback

import (
	"context"
	"time"

	"github.com/anycl/anycl/engine"
)

// Profile runs tasks [from, to) and tells how long each took.
func (s *sequence) Profile(ctx context.Context, from, to int, run uint32, epoch time.Time) ([]engine.Span, error) {
	if from >= to {
		return nil, s.Run(ctx, from, to, run)
	}
	var spans []engine.Span
	for i := from; i < to; i++ {
		start := time.Since(epoch)
		if err := s.Run(ctx, i, i+1, run); err != nil {
			return nil, err
		}
		spans = append(spans, engine.Span{
			Task: i, Name: s.Describe(i).Variant, Start: start, End: time.Since(epoch), Clock: engine.HostClock,
		})
	}
	return spans, nil
}

// peaks are the rate of all cores together in a matrix product, and the rate of one of
// them in a copy, which several do not exceed by much.
func (e *Engine) peaks() engine.Peaks {
	r := measured()
	return engine.Peaks{Flops: r.MulAdds * float64(e.workers), Bytes: 2 * r.CopyBytes}
}
