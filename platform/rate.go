package platform

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/anycl/anycl/cl"
)

// ratedVector is how many floats one item of a rate kernel works on.
func (d *Device) ratedVector() int {
	v := 1
	for v*2 <= min(16, d.VectorWidth) {
		v *= 2
	}
	return v
}

// rateItems is enough work-items to fill the device, in groups of the size returned.
func (d *Device) rateItems() (items, group int) {
	switch d.Class {
	case GPU:
		group = min(256, d.MaxWorkGroup)
		return d.Units * group * 8, group
	case Simulator:
		group = min(4, d.MaxWorkGroup)
		return group, group
	}
	group = min(16, d.MaxWorkGroup)
	return d.Units * group * 4, group
}

func (p *prober) rateBytes() int64 { return rateBytes(p.o.device) }

func rateBytes(d *Device) int64 {
	items, _ := d.rateItems()
	return max(16*probeItems, int64(items+2)*int64(d.ratedVector())*4)
}

// multiplyAdds is how many a rate kernel does, for so many rounds.
func multiplyAdds(d *Device, rounds int) float64 {
	items, _ := d.rateItems()
	return float64(items) * float64(d.ratedVector()) * 8 * float64(rounds)
}

// rater times one rate kernel.
type rater struct {
	o      *Opened
	kernel *cl.Kernel
	buffer *cl.Buffer
}

func newRater(o *Opened, prog *cl.Program, name string, b *cl.Buffer) (*rater, error) {
	k, err := prog.Kernel(name)
	if err != nil {
		return nil, err
	}
	if err := k.SetBuffer(0, b); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return &rater{o, k, b}, nil
}

// time returns the least wall time of several launches, the first of which may
// include a compilation and does not count.
func (r *rater) time(rounds, repeat int) (time.Duration, error) {
	items, group := r.o.device.rateItems()
	if err := r.kernel.SetInt32(1, int32(rounds)); err != nil {
		return 0, err
	}
	best := time.Duration(math.MaxInt64)
	for i := range repeat + 1 {
		start := time.Now()
		if err := r.o.queue.Launch(r.kernel, cl.Range1(items, group), nil); err != nil {
			return 0, err
		}
		if err := r.o.queue.Finish(); err != nil {
			return 0, err
		}
		if i > 0 {
			best = min(best, time.Since(start))
		}
	}
	return best, nil
}

// rounds finds how many rounds take at least so long.
func (r *rater) rounds(least time.Duration) (int, error) {
	n := 64
	for {
		t, err := r.time(n, 1)
		if err != nil || t >= least || n >= 1<<20 {
			return n, err
		}
		// At most eightfold, because the first times are mostly launch latency.
		n *= int(min(8, 1+least/max(t, 1)))
	}
}

// right checks the kernel on numbers whose result needs no rounding: with m = 1
// and c = 0.5 in item 0, chain k is 0.5+k + rounds/2.
func (r *rater) right() (bool, error) {
	const rounds = 4
	width := r.o.device.ratedVector()
	io := make([]float32, 3*width)
	for i := range width {
		io[i], io[width+i] = 1, 0.5
	}
	q := r.o.queue
	if err := q.Write(r.buffer, 0, cl.Bytes(io), nil); err != nil {
		return false, err
	}
	if _, err := r.time(rounds, 0); err != nil {
		return false, err
	}
	if err := q.Read(r.buffer, 0, cl.Bytes(io), nil); err != nil {
		return false, err
	}
	const want = 8*(0.5+rounds*0.5) + (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7)
	for _, v := range io[2*width:] {
		if v != want {
			return false, nil
		}
	}
	return true, nil
}

// fmaMargin is how much slower fma() may be than the fastest way and still be
// chosen, because it rounds once everywhere.
const fmaMargin = 1.1

// chooseFMA times the ways to write a*b+c that build and are right.
func (p *prober) chooseFMA(ctx context.Context) {
	var notes []string
	best := time.Duration(math.MaxInt64)
	times := map[FMA]time.Duration{}
	rounds := 0
	for _, way := range []struct {
		fma     FMA
		section string
	}{{FMAPlain, "rate_plain"}, {FMAMad, "rate_mad"}, {FMAFused, "rate_fma"}} {
		if ctx.Err() != nil {
			return
		}
		t, err := p.timeWay(way.section, &rounds)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: %v", way.fma, err))
			continue
		}
		times[way.fma] = t
		best = min(best, t)
		notes = append(notes, fmt.Sprintf("%s %.3g GFLOPS", way.fma, 2*multiplyAdds(p.o.device, rounds)/float64(t.Nanoseconds())))
	}
	for _, f := range []FMA{FMAFused, FMAMad, FMAPlain} {
		if t, ok := times[f]; ok && float64(t) <= fmaMargin*float64(best) {
			p.caps.FMA = f
			break
		}
	}
	p.caps.Proofs = append(p.caps.Proofs, Proof{
		Name: "fma", Declared: p.o.device.info.SingleFP&cl.FPFMA != 0,
		Proven: p.caps.FMA == FMAFused, Note: strings.Join(notes, ", "),
	})
}

func (p *prober) timeWay(section string, rounds *int) (time.Duration, error) {
	if why := p.skipped(section); why != "" {
		return 0, errors.New("not tried: " + why)
	}
	prog := p.programs[defaultStd+section]
	if prog == nil {
		return 0, errors.New("does not build")
	}
	r, err := newRater(p.o, prog, section, p.buffer)
	if err != nil {
		return 0, err
	}
	defer func() { p.o.warn("probe", r.kernel.Close()) }()
	if ok, err := r.right(); err != nil || !ok {
		return 0, errors.Join(errors.New("computes a wrong result"), err)
	}
	if p.o.device.Class == Simulator {
		return 1, nil // nothing to learn from its times
	}
	if *rounds == 0 {
		if *rounds, err = r.rounds(500 * time.Microsecond); err != nil {
			return 0, err
		}
	}
	return r.time(*rounds, 3)
}
