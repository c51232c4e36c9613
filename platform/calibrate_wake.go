package platform

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/anycl/anycl/cl"
)

// wakeSamples are enough for a median.
const wakeSamples = 31

// wakePause is long enough for threads without work to fall asleep.
const wakePause = 300 * time.Microsecond

// measureWake returns the median time of a launch of a few tiny work-groups for each
// compute unit. The best time would be that of threads which happened to be awake.
func (o *Opened) measureWake(ctx context.Context, k *cl.Kernel) (time.Duration, error) {
	items, group := o.device.rateItems()
	times := make([]time.Duration, 0, wakeSamples)
	for range wakeSamples {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		time.Sleep(wakePause)
		start := time.Now()
		if err := errors.Join(o.queue.Launch(k, cl.Range1(items, group), nil), o.queue.Finish()); err != nil {
			return 0, err
		}
		times = append(times, max(1, time.Since(start)))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// inlineBytes is the number of bytes that the inline device copies: more than a core's own caches
// hold, as do the largest graphs that it is worth running there.
const inlineBytes = 2 << 20

// inlineMoves is the most that is moved to it and from it.
const inlineMoves = 4 << 20

// measureInline measures launches and copies on the calling thread.
func (o *Opened) measureInline(ctx context.Context, _ timed, c *Calibration) (err error) {
	inline := o.InlineDevice()
	if inline == nil {
		return nil
	}
	prog, err := o.timedOn(inline.device.cl)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prog.free()) }()
	q, err := inline.NewQueue(cl.QueueOptions{})
	if err != nil {
		return err
	}
	k, from, to, free, err := o.copyBetween(q, prog, inlineMoves)
	if err != nil {
		return errors.Join(err, q.Close())
	}
	defer func() { err = errors.Join(err, free(), q.Close()) }()
	copies := func(n int64) (moved int64, err error) {
		moved, err = k.launch(q, o.device, n)
		return moved, errors.Join(err, q.Finish())
	}
	if c.InlineLaunch, err = best(ctx, func() error { _, err := copies(4); return err }); err != nil {
		return err
	}
	var moved int64
	all, err := best(ctx, func() (err error) { moved, err = copies(inlineBytes); return err })
	if err != nil {
		return err
	}
	c.InlineCopy = 2 * float64(moved) / all.Seconds()
	used := func(n int64) error { _, err := copies(n); return err }
	c.InlineUploads, c.InlineDownloads, err = o.measureMoves(ctx, from, to, inlineMoves, used)
	return err
}
