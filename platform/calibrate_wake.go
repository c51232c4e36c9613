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

// companionBytes is what the companion copies: more than a core's own caches hold, as
// do the largest graphs that it is worth running there.
const companionBytes = 2 << 20

// companionMoves is the most that is moved to it and from it.
const companionMoves = 4 << 20

// measureCompanion measures launches and copies on the calling thread.
func (o *Opened) measureCompanion(ctx context.Context, _ *cl.Program, c *Calibration) (err error) {
	near := o.Companion()
	if near == nil {
		return nil
	}
	common, _, sections := probeSections()
	prog, err := near.Program(ctx, "calibrate.cl", common+sections["copy"], defaultStd+" -DT="+floatVector(o.device.VectorWidth))
	if err != nil {
		return err
	}
	q, err := near.NewQueue(cl.QueueOptions{})
	if err != nil {
		return err
	}
	k, from, to, free, err := o.copyBetween(prog, companionMoves)
	if err != nil {
		return errors.Join(err, q.Close())
	}
	defer func() { err = errors.Join(err, free(), q.Close()) }()
	_, group := o.device.rateItems()
	time := func(items int) (time.Duration, error) {
		return best(ctx, func() error { return errors.Join(q.Launch(k, cl.Range1(items, group), nil), q.Finish()) })
	}
	if c.CompanionLaunch, err = time(group); err != nil {
		return err
	}
	items := companionBytes / (4 * o.device.ratedVector()) / group * group
	all, err := time(items)
	if err != nil {
		return err
	}
	c.CompanionCopy = 2 * float64(items) * float64(4*o.device.ratedVector()) / all.Seconds()
	used := func(n int64) error {
		items := max(group, int(n)/(4*o.device.ratedVector())/group*group)
		return errors.Join(q.Launch(k, cl.Range1(items, group), nil), q.Finish())
	}
	c.CompanionUploads, c.CompanionDownloads, err = o.measureMoves(ctx, from, to, companionMoves, used)
	return err
}
