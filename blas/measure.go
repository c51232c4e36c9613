package blas

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	gonum "gonum.org/v1/gonum/blas"

	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/tensor"
)

// measured holds the measurements that are kept on disk for a device, its driver and this version.
type measured struct {
	// Properties of the machine, on which gonum's times depend; the device's name says nothing of them.
	Processors int    `json:"processors"`
	Arch       string `json:"arch"`
	Copies     bool   `json:"copies"`

	Single, Double *record
}

// record is routes as they are kept: JSON has no infinity.
type record struct {
	routes
	From map[string]float64 `json:"from"` // without those that never pay
}

var routeNames = [routeCount]string{"symm", "syrk", "syr2k", "trmm", "trmm-right", "trsm", "trsm-right", "gemv", "gemv-t", "ger", "symv",
	"trmv", "trsv"}

const (
	measuredKind    = "blas"
	measuredVersion = 3
)

func (b *BLAS) machine() measured {
	return measured{Processors: procs.Count(), Arch: runtime.GOARCH, Copies: b.products.Copies()}
}

// begin takes what was measured and learned before.
func (b *BLAS) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	b.measureOnce = sync.OnceFunc(func() {
		if err := b.measure(ctx); err != nil && ctx.Err() == nil {
			b.failed(err)
		}
	})
	if b.force {
		b.measureOnce = func() {}
		return
	}
	b.loadLearned()
	if b.load() {
		b.measureOnce = func() {}
	}
}

// load takes what was kept, unless it is another machine's or makes no sense.
func (b *BLAS) load() bool {
	var m measured
	now := b.machine()
	if !b.opened.LoadMeasured(measuredKind, measuredVersion, &m) ||
		m.Processors != now.Processors || m.Arch != now.Arch || m.Copies != now.Copies {
		return false
	}
	hasSingle, hasDouble := b.products.Check(tensor.Float32) == nil, b.products.Check(tensor.Float64) == nil
	if hasSingle && !m.Single.valid() || hasDouble && !m.Double.valid() {
		return false
	}
	if hasSingle {
		b.single.take(m.Single)
	}
	if hasDouble {
		b.double.take(m.Double)
	}
	return true
}

// valid reports whether r can be predicted with.
func (r *record) valid() bool {
	if r == nil {
		return false
	}
	for _, ns := range append(r.Bytes[:], r.Alone) {
		if !(ns >= 0) || math.IsInf(ns, 0) {
			return false
		}
	}
	for _, points := range append(r.Host[:], r.Device) {
		if len(points) < 2 {
			return false
		}
		for i, p := range points {
			if !(p.Nanos > 0) || math.IsInf(p.Nanos, 0) || i > 0 && !(p.Work > points[i-1].Work) {
				return false
			}
		}
	}
	for _, n := range r.From {
		if !(n >= 0) {
			return false
		}
	}
	return true
}

// take has calls go by r, unless the device was given up.
func (d *device[T]) take(r *record) {
	for now := d.routes.Load(); now != &never; now = d.routes.Load() {
		if d.routes.CompareAndSwap(now, d.use(r)) {
			return
		}
	}
}

// use returns the routes that r describes.
func (d *device[T]) use(r *record) *routes {
	use := r.routes
	use.tileRows, use.tileColumns, use.units = 8, float64(128/d.dtype.Size()), float64(max(1, d.blas.products.Units()))
	for i, points := range r.Host {
		use.loops[i] = loopOf(points)
	}
	for i, name := range routeNames {
		n, ok := r.From[name]
		if !ok {
			n = math.Inf(1)
		}
		use.From[i] = n
	}
	return &use
}

// measure times gonum and the device at some sizes; from then on calls go by it.
func (b *BLAS) measure(ctx context.Context) error {
	m := b.machine()
	var err error
	if b.products.Check(tensor.Float32) == nil {
		if m.Single, err = b.single.measure(ctx); err != nil {
			return err
		}
	}
	if b.products.Check(tensor.Float64) == nil {
		if m.Double, err = b.double.measure(ctx); err != nil {
			return err
		}
	}
	if err := b.opened.SaveMeasured(measuredKind, measuredVersion, m); err != nil {
		b.log.Debug("blas: what was measured is not kept", "error", err)
	}
	return nil
}

// learned holds the settled buckets that are kept on disk.
type learned struct {
	Machine        measured `json:"machine"` // without what was measured
	Single, Double []savedBucket
}

const (
	learnedKind    = "blas-calls"
	learnedVersion = 1
)

// loadLearned takes what earlier processes learned on this machine.
func (b *BLAS) loadLearned() {
	var k learned
	if !b.opened.LoadMeasured(learnedKind, learnedVersion, &k) || k.Machine != b.machine() {
		return
	}
	b.single.table.learn(k.Single)
	b.double.table.learn(k.Double)
}

// saveLearned keeps what was learned, if that is anything.
func (b *BLAS) saveLearned() {
	k := learned{Machine: b.machine(), Single: b.single.table.settled(), Double: b.double.table.settled()}
	if len(k.Single)+len(k.Double) == 0 {
		return
	}
	if err := b.opened.SaveMeasured(learnedKind, learnedVersion, k); err != nil {
		b.log.Debug("blas: what was learned is not kept", "error", err)
	}
}

var errProduct = errors.New("blas: the device fails at a product, or computes a wrong one")

// Sizes of what is measured: gonum changes to several goroutines beyond 64, the device to several
// threads at some size.
var (
	gemmSizes     = []int{16, 32, 64, 80, 128, 192, 320}
	triangleSizes = []int{32, 48, 64, 96, 160, 256}
	vectorSizes   = []int{128, 256, 512, 1024, 2048}
)

// trial measures one type, with memory of its own.
type trial[T number] struct {
	performer[T]
	ctx context.Context
}

// measure times one type. The device must first prove that it computes what gonum does.
func (d *device[T]) measure(ctx context.Context) (*record, error) {
	n := vectorSizes[len(vectorSizes)-1]
	t := &trial[T]{ctx: ctx, performer: performer[T]{d: d.waiting()}}
	t.room(shape{m: n})
	if err := t.prove(); err != nil {
		return nil, err
	}
	r := &record{From: map[string]float64{}}
	if err := t.products(r); err != nil {
		return nil, err
	}
	if err := t.others(r); err != nil {
		return nil, err
	}
	d.compiled.Store(true)
	d.take(r)
	return r, nil
}

// prove compares a product of the device with gonum's; sums of these numbers are exact.
func (t *trial[T]) prove() error {
	const m, n, k = 37, 45, 29
	want := make([]T, m*n)
	t.d.own.gemm(gonum.NoTrans, gonum.NoTrans, m, n, k, 1, t.a, k, t.b, n, 0, want, n)
	if !t.d.run(false, false, m, n, k, 1, t.a, k, t.b, n, 0, t.c, n) || !slices.Equal(want, t.c[:m*n]) {
		return errProduct
	}
	return nil
}

// rounds is how often products are timed: who else is at work disturbs some of them.
const rounds = 3

// products times Gemm.
func (t *trial[T]) products(r *record) error {
	for range rounds {
		for _, n := range gemmSizes {
			for i := range r.Host {
				if err := t.ctx.Err(); err != nil {
					return err
				}
				tA, tB := i&2 > 0, i&1 > 0
				work := float64(n) * float64(n) * float64(n)
				note(&r.Host[i], work, clock(func() { t.d.own.gemm(asTrans(tA), asTrans(tB), n, n, n, 1, t.a, n, t.b, n, 0, t.c, n) }))
				if i > 0 && n != gemmSizes[0] && n != gemmSizes[len(gemmSizes)-1] {
					continue // but all forms are compiled, so that no caller waits for it
				}
				device, err := t.clock(tA, tB, n, n, n)
				if err != nil {
					return err
				}
				if i == 0 {
					note(&r.Device, work, device)
				}
			}
		}
	}
	for i := range r.Host {
		monotone(r.Host[i])
	}
	monotone(r.Device)
	return t.shapes(r)
}

// shapes times what is no square: products that move more than they multiply, and one that a single core
// computes.
func (t *trial[T]) shapes(r *record) error {
	start := r.Device[0].Nanos
	const long, thin = 1024, 8
	for i := range r.Bytes {
		for _, s := range [][3]int{{long, long, 1}, {thin, long, long}, {long, thin, long}} {
			if err := t.ctx.Err(); err != nil {
				return err
			}
			ns, err := t.clock(i&2 > 0, i&1 > 0, s[0], s[1], s[2])
			if err != nil {
				return err
			}
			r.Bytes[i] = max(r.Bytes[i], (ns-start)/float64(s[0]*s[1]+s[0]*s[2]+s[1]*s[2]))
		}
	}
	rows, columns := 8, 128/t.d.dtype.Size()
	const sum = 2048
	ns, err := t.clock(false, false, rows, columns, sum)
	r.Alone = max(0, ns-start) / float64(rows*columns*sum)
	return err
}

// note keeps the shorter of a time and those of before for so much work.
func note(points *[]point, work, ns float64) {
	for i := range *points {
		if p := &(*points)[i]; p.Work == work {
			p.Nanos = min(p.Nanos, ns)
			return
		}
	}
	*points = append(*points, point{work, ns})
}

// others finds the order from which on the device wins in the other routines.
func (t *trial[T]) others(r *record) error {
	for which := range routeCount {
		sizes := triangleSizes
		if which >= routeGemv {
			if sizes = vectorSizes; t.d.blas.products.Copies() {
				continue // a matrix that is used once is not worth moving
			}
		}
		use := t.d.use(r)
		t.d.routes.Store(use)
		for _, n := range slices.Backward(sizes) {
			if err := t.ctx.Err(); err != nil {
				return err
			}
			s := square(which, n)
			if beside(func() { t.call(t.d, s) }, func() { t.call(t.d.own, s) }) < margin {
				break
			}
			r.From[routeNames[which]] = float64(n)
		}
	}
	return nil
}

// square is a call of a routine for order n.
func square(which route, n int) shape {
	s := shape{which: which, m: n, n: n, k: n, unit: true}
	switch which {
	case routeTrmmRight:
		s.which, s.right = routeTrmm, true
	case routeTrsmRight:
		s.which, s.right, s.tA = routeTrsm, true, true
	case routeGemvTrans:
		s.which, s.tA = routeGemv, true
	}
	return s
}

// clock times a product of the device.
func (t *trial[T]) clock(tA, tB bool, m, n, k int) (ns float64, err error) {
	lda, ldb := k, n
	if tA {
		lda = m
	}
	if tB {
		ldb = k
	}
	ns = clock(func() {
		if !t.d.run(tA, tB, m, n, k, 1, t.a, lda, t.b, ldb, 0, t.c, n) {
			err = errProduct
		}
	})
	return ns, err
}

// clock is the time of one call of f, the shortest of several, in nanoseconds. The first one does not count.
func clock(f func()) float64 {
	f()
	start := time.Now()
	f()
	each := int(min(max(20*time.Microsecond/max(time.Since(start), 1), 1), 100))
	best := time.Duration(math.MaxInt64)
	end := time.Now().Add(4 * time.Millisecond)
	for i := 0; i < 3 || i < 20 && time.Now().Before(end); i++ {
		start := time.Now()
		for range each {
			f()
		}
		best = min(best, max(time.Since(start), 1))
	}
	return float64(best) / float64(each)
}

// beside is how many times as fast ours is as theirs: the median over turns, which whatever else the
// machine does slows alike.
func beside(ours, theirs func()) float64 {
	const turns = 9
	var times [2]time.Duration
	turn := func(i int, f func(), calls int) float64 {
		start := time.Now()
		for range calls {
			f()
		}
		times[i] = max(time.Since(start), 1)
		return float64(times[i]) / float64(calls)
	}
	fs, calls := [2]func(){ours, theirs}, [2]int{}
	for i, f := range fs {
		f()
		turn(i, f, 1)
		calls[i] = int(min(max(100*time.Microsecond/times[i], 1), 1000))
	}
	var ratios [turns]float64
	for i := range ratios {
		one := turn(0, ours, calls[0])
		ratios[i] = turn(1, theirs, calls[1]) / one
	}
	slices.Sort(ratios[:])
	return ratios[turns/2]
}

// monotone makes more work take no less time: what was measured with a disturbance counts less.
func monotone(points []point) {
	for i := len(points) - 2; i >= 0; i-- {
		points[i].Nanos = min(points[i].Nanos, points[i+1].Nanos)
	}
}
