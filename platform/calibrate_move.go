package platform

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/anycl/anycl/cl"
)

// Curve is measured times, by ascending numbers of bytes.
type Curve []Point

// Point is the time that a given number of bytes took.
type Point struct {
	Bytes int64         `json:"bytes"`
	Time  time.Duration `json:"ns"`
}

// At is the time of n bytes: on the line between the nearest two points, and beyond the last
// at the rate between the last two.
func (c Curve) At(n int64) time.Duration {
	switch {
	case len(c) == 0:
		return 0
	case n <= c[0].Bytes || len(c) == 1:
		return c[0].Time
	}
	i, _ := slices.BinarySearchFunc(c, n, func(p Point, n int64) int { return int(min(max(p.Bytes-n, -1), 1)) })
	i = min(i, len(c)-1)
	a, b := c[i-1], c[i]
	each := float64(b.Time-a.Time) / float64(b.Bytes-a.Bytes)
	if n > b.Bytes {
		return b.Time + time.Duration(float64(n-b.Bytes)*max(0, each))
	}
	return a.Time + time.Duration(float64(n-a.Bytes)*each)
}

// valid reports whether c has points in order and times that there can be.
func (c Curve) valid() bool {
	for i, p := range c {
		if p.Time <= 0 || p.Bytes <= 0 || i > 0 && p.Bytes <= c[i-1].Bytes {
			return false
		}
	}
	return len(c) > 0
}

// better is the shorter time of each point.
func (c Curve) better(b Curve) Curve {
	c = slices.Clone(c)
	for i := range c {
		if i < len(b) && b[i].Bytes == c[i].Bytes {
			c[i].Time = min(c[i].Time, b[i].Time)
		}
	}
	return c
}

// moveSizes are the points of the curves of transfers.
var moveSizes = []int64{64, 4 << 10, 64 << 10, 512 << 10, 4 << 20, 32 << 20}

// typical repeats f for a part of the time, with before ahead of each, which does not count, and
// returns the median: the best time is not representative of transfers that compete with other work.
func typical(ctx context.Context, part time.Duration, before, f func() error) (time.Duration, error) {
	const least, most = 3, 200
	var times []time.Duration
	for start := time.Now(); len(times) < least || len(times) < most && time.Since(start) < part; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := before(); err != nil {
			return 0, err
		}
		at := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		times = append(times, max(1, time.Since(at)))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// measureTransfers measures both ways at several sizes. Before each transfer all units of the device
// work on the bytes, as in a run: data in their caches must be fetched from there.
func (o *Opened) measureTransfers(ctx context.Context, prog timed, c *Calibration) error {
	most := o.device.measured(moveSizes[len(moveSizes)-1])
	k, from, to, free, err := o.copyBetween(o.queue, prog, most)
	if err != nil {
		return err
	}
	c.Uploads, c.Downloads, err = o.measureMoves(ctx, from, to, most, func(n int64) error { return o.copies(k, n) })
	if err != nil {
		return errors.Join(err, free())
	}
	last := len(c.Uploads) - 1
	rate := func(p Point) float64 { return float64(p.Bytes) / p.Time.Seconds() }
	c.Small, c.Upload, c.Download, c.ZeroCopy = c.Uploads[0].Time, rate(c.Uploads[last]), rate(c.Downloads[last]), o.caps.Direct
	if o.staging != nil {
		n := c.Uploads[last].Bytes
		host := written(n)
		t, err := typical(ctx, movePart,
			func() error { return o.copies(k, n) },
			func() error { return o.queue.Write(from.Buffer(), 0, host, nil) })
		if err != nil {
			return errors.Join(err, free())
		}
		c.Pageable = rate(Point{n, t})
	}
	return free()
}

// movePart is how long each measurement of a transfer may repeat itself.
const movePart = calibrationPart / 5

// written is memory that was written: fresh pages are all one page until they are.
func written(n int64) []byte {
	host := make([]byte, n)
	for i := range host {
		host[i] = byte(i)
	}
	return host
}

// measureMoves measures transfers to one memory and from another, of up to most bytes, each after
// used has worked on n bytes.
func (o *Opened) measureMoves(ctx context.Context, from, to *Memory, most int64, used func(n int64) error) (ups, downs Curve, err error) {
	host := written(most)
	// A transfer that need not check a context is one command.
	deaf := context.WithoutCancel(ctx)
	write := func(m *Memory, src []byte) error {
		err := o.Write(deaf, m, 0, src)
		if err == nil && o.staging != nil { // it does not wait for the link
			err = o.queue.Finish()
		}
		return err
	}
	for _, n := range moveSizes {
		if n > most {
			break
		}
		before := func() error { return used(n) }
		up, err := typical(ctx, movePart, before, func() error { return write(from, host[:n]) })
		if err != nil {
			return nil, nil, err
		}
		down, err := typical(ctx, movePart, before, func() error { return o.Read(deaf, host[:n], to, 0) })
		if err != nil {
			return nil, nil, err
		}
		ups, downs = append(ups, Point{n, up}), append(downs, Point{n, down})
	}
	return ups, downs, nil
}

// copies launches k over n bytes and waits for it.
func (o *Opened) copies(k copier, n int64) error {
	_, err := k.launch(o.queue, o.device, n)
	return errors.Join(err, o.queue.Finish())
}

// unevenRounds is how many times an item of the kernel that measures divergence multiplies, in the mean.
const unevenRounds = 64

// measureDivergence times the same operations, once evenly shared and once not.
func (o *Opened) measureDivergence(ctx context.Context, prog timed, c *Calibration) error {
	items := 64 << 10
	if o.device.Class == Simulator {
		items = 64
	}
	m, err := o.Alloc(4 * int64(items))
	if err != nil {
		return err
	}
	k, err := prog.Kernel("uneven")
	if err != nil {
		return errors.Join(err, m.Close())
	}
	free := func() error { return errors.Join(k.Close(), m.Close()) }
	_, group := o.device.rateItems()
	var times [2]time.Duration
	for i := range times {
		err := errors.Join(k.SetBuffer(0, m.Buffer()), k.SetInt32(1, unevenRounds), k.SetInt32(2, int32(i)))
		if err == nil {
			times[i], err = best(ctx, func() error {
				return errors.Join(o.queue.Launch(k, cl.Range1(items/group*group, group), nil), o.queue.Finish())
			})
		}
		if err != nil {
			return errors.Join(err, free())
		}
	}
	c.Divergence = max(1, float64(without(times[1], c.Wait))/max(1, float64(without(times[0], c.Wait))))
	return free()
}
