package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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

// rater times a kernel of multiply-adds.
type rater struct {
	o      *Opened
	queue  *cl.Queue
	kernel *cl.Kernel
	buffer *cl.Buffer
	at     int64 // where in the buffer its numbers are, in bytes
	arg    int   // the argument that says how many rounds
	size   cl.Range
	items  int // that compute
	chains int // of each of them, independent of one another
}

// newRater is a rater of a section of that name, which keeps the whole device busy.
func newRater(o *Opened, q *cl.Queue, prog *cl.Program, name string, b *cl.Buffer) (*rater, error) {
	k, err := prog.Kernel(name)
	if err != nil {
		return nil, err
	}
	if err := k.SetBuffer(0, b); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	items, group := o.device.rateItems()
	return &rater{o: o, queue: q, kernel: k, buffer: b, arg: 1, size: cl.Range1(items, group), items: items, chains: 8}, nil
}

// multiplyAdds is how many are done in the given number of rounds.
func (r *rater) multiplyAdds(rounds int) float64 {
	return float64(r.items) * float64(r.o.device.ratedVector()) * float64(r.chains) * float64(rounds)
}

// time returns the wall time of a launch until its end.
func (r *rater) time(rounds int) (time.Duration, error) {
	if err := r.kernel.SetInt32(r.arg, int32(rounds)); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := r.queue.Launch(r.kernel, r.size, nil); err != nil {
		return 0, err
	}
	if err := r.queue.Finish(); err != nil {
		return 0, err
	}
	return max(1, time.Since(start)), nil
}

// rounds finds how many of them take at least the given time. The kernel has run before.
func (r *rater) rounds(least time.Duration) (int, error) {
	n := 64
	for {
		t, err := r.time(n)
		if err != nil || t >= least || n >= 1<<20 {
			return n, err
		}
		// At most eightfold, because the first times are mostly launch latency.
		n *= int(min(8, 1+least/t))
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
	q := r.queue
	if err := q.Write(r.buffer, r.at, cl.Bytes(io), nil); err != nil {
		return false, err
	}
	if _, err := r.time(rounds); err != nil {
		return false, err
	}
	if err := q.Read(r.buffer, r.at, cl.Bytes(io), nil); err != nil {
		return false, err
	}
	var want float32
	for k := range r.chains {
		want += 0.5 + float32(k) + rounds*0.5
	}
	for _, v := range io[2*width:] {
		if v != want {
			return false, nil
		}
	}
	return true, nil
}

// fmaMargin is how much slower than the fastest a preferred way may be and still
// be chosen: fma() rounds once everywhere, and a*b+c is at least defined, which
// mad() is not. Where fma() is emulated it is slower by far more than this.
const fmaMargin = 1.25

// fmaRepeat is how often each way is timed. They take turns, so that whatever
// else the machine does slows all of them.
const fmaRepeat = 7

// fmaTime is long beside the launch latency of most drivers. Tests shorten it.
var fmaTime = 1500 * time.Microsecond

// chooseFMA times the ways to write a*b+c that build and are right.
func (p *prober) chooseFMA(ctx context.Context) error {
	type way struct {
		fma   FMA
		rater *rater
		least time.Duration
	}
	var ways []*way
	var notes []string
	defer func() {
		for _, w := range ways {
			p.o.warn("probe", w.rater.kernel.Close())
		}
	}()
	for _, f := range []FMA{FMAFused, FMAPlain, FMAMad} { // in the order of preference
		r, err := p.rightWay(rateSections[f])
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s %v", f, err))
			continue
		}
		ways = append(ways, &way{f, r, math.MaxInt64})
	}
	// A simulator's times teach nothing, and take long. Nor is a choice made twice.
	chosen := slices.IndexFunc(ways, func(w *way) bool { return w.fma == p.fma })
	if chosen >= 0 {
		ways[chosen].least = 0
		notes = append(notes, fmt.Sprintf("%s chosen on the inline device", p.fma))
	}
	if chosen < 0 && len(ways) > 0 && p.o.device.Class != Simulator {
		long := fmaTime
		if p.onInline { // where a launch takes a microsecond
			long /= 3
		}
		rounds, err := ways[0].rater.rounds(long)
		if err != nil {
			return err
		}
		for i := range fmaRepeat * len(ways) {
			if err := ctx.Err(); err != nil {
				return err
			}
			w := ways[i%len(ways)]
			t, err := w.rater.time(rounds)
			if err != nil {
				return err
			}
			w.least = min(w.least, t)
		}
		for _, w := range ways {
			gflops := 2 * w.rater.multiplyAdds(rounds) / float64(w.least.Nanoseconds())
			notes = append(notes, fmt.Sprintf("%s %s", w.fma, speedText(gflops)))
		}
	}
	if len(ways) > 0 {
		fastest := slices.MinFunc(ways, func(a, b *way) int { return cmp.Compare(a.least, b.least) }).least
		i := chosen
		if i < 0 {
			i = slices.IndexFunc(ways, func(w *way) bool { return float64(w.least) <= fmaMargin*float64(fastest) })
		}
		p.caps.FMA = ways[i].fma
	}
	p.caps.Proofs = append(p.caps.Proofs, Proof{
		Name: "fma", Declared: p.o.device.info.SingleFP&cl.FPFMA != 0,
		Proven: p.caps.FMA == FMAFused, Note: strings.Join(notes, ", "),
	})
	return nil
}

// rateSections names the rate kernel of each way.
var rateSections = map[FMA]string{FMAFused: "rate_fma", FMAMad: "rate_mad", FMAPlain: "rate_plain"}

// rightWay returns a rater for a kernel that computes the right numbers.
func (p *prober) rightWay(section string) (*rater, error) {
	if why := p.skipped(section); why != "" {
		return nil, errors.New("not tried: " + why)
	}
	prog := p.programs[defaultStd+section]
	if prog == nil {
		return nil, errors.New("does not build")
	}
	if p.joined() {
		if r, err := right(p.chain(section)); err == nil {
			return r, nil
		}
	}
	return right(newRater(p.o, p.queue, prog, section, p.buffer))
}

// right returns a new rater if it computes the right numbers.
func right(r *rater, err error) (*rater, error) {
	if err != nil {
		return nil, err
	}
	if ok, err := r.right(); err != nil || !ok {
		if err == nil {
			err = errors.New("computes a wrong result")
		}
		return nil, errors.Join(err, r.kernel.Close())
	}
	return r, nil
}

// joined reports whether there is a program with the kernels of all.
func (p *prober) joined() bool {
	return p.o.device.together() && p.programs[defaultStd+togetherSection] != nil
}
