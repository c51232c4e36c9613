package blas

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// What is faster is learned from the calls themselves: each that is large enough is timed, whichever computes
// it, and kept with those of the same routine, the same flags and about the same sizes. The other
// implementation is tried in a caller's call only when what was spent since the last trial is many times what
// the trial is expected to cost, so that trials cost little at the beginning and next to nothing later.

// shape is a call without its matrices.
type shape struct {
	which     route
	tA, tB    bool // the transposes; of Syrk and Syr2k tA
	right, ul bool // the triangle: on the right; upper
	unit      bool
	m, n, k   int // of Gemm; m x n of the others, n x k of Syrk and Syr2k
}

// order is that of the triangle or symmetric matrix, other the size beside it.
func (s *shape) order() (order, other int) {
	switch {
	case s.which == routeSyrk || s.which == routeSyr2k:
		return s.n, s.k
	case s.right:
		return s.n, s.m
	}
	return s.m, s.n
}

// isVector reports whether s is of level 2.
func (s *shape) isVector() bool { return s.which >= routeGemv && s.which < routeCount }

// work is how many multiplications s has, but for a factor that is the same for all calls of a routine.
func (s *shape) work() float64 {
	switch {
	case s.which == routeGemm:
		return float64(s.m) * float64(s.n) * float64(s.k)
	case s.isVector():
		return float64(s.m) * float64(s.n)
	}
	order, other := s.order()
	return float64(order) * float64(order) * float64(other)
}

// elements is how many numbers s reads and writes, about.
func (s *shape) elements() float64 {
	switch {
	case s.which == routeGemm:
		return float64(s.m)*float64(s.k) + float64(s.k)*float64(s.n) + float64(s.m)*float64(s.n)
	case s.isVector():
		return float64(s.m) * float64(s.n)
	}
	order, other := s.order()
	return float64(order)*float64(order) + 2*float64(order)*float64(other)
}

// route is the routine under which measurements count s: triangles on the right are routines of their own.
func (s *shape) route() route {
	if s.right && (s.which == routeTrmm || s.which == routeTrsm) {
		return s.which + 1
	}
	return s.which
}

// family identifies the kernels for s by its routine and flags.
func (s *shape) family() uint64 {
	f := uint64(s.which)
	for _, flag := range [...]bool{s.tA, s.tB, s.right, s.ul, s.unit} {
		f <<= 1
		if flag {
			f |= 1
		}
	}
	return f
}

// key is equal for calls whose times are compared: of one family, with sizes within a factor of about 1.5.
func (s *shape) key() uint64 {
	return s.family()<<24 | step2(s.m)<<16 | step2(s.n)<<8 | step2(s.k)
}

// step2 is twice the binary logarithm of n, rounded down.
func step2(n int) uint64 {
	if n < 2 {
		return uint64(max(n, 0))
	}
	l := bits.Len(uint(n))
	return uint64(2*l) | uint64(n>>(l-2)&1)
}

// side holds the latest times of one implementation.
type side struct {
	last  [5]float64 // ns a multiplication
	count int
}

func (s *side) add(rate float64) {
	s.last[s.count%len(s.last)] = rate
	s.count++
}

// enough times settle what is faster.
const enough = 3

func (s *side) known() bool { return s.count >= enough }

// rate is the median.
func (s *side) rate() float64 {
	sorted := s.last
	n := min(s.count, len(sorted))
	slices.Sort(sorted[:n])
	return sorted[n/2]
}

// A trial happens once the time spent since the last one is a multiple of the time that it is expected to cost.
const (
	firstTrialRatio   = 30
	settledTrialRatio = 120 // once it is known what is faster
	lastTrialRatio    = 500
)

// sampled is the number of calls of which one is timed once it is known which implementation is faster.
const sampled = 8

// The states of a bucket that calls read without its lock.
const (
	stateOpen uint32 = iota // nothing is settled
	stateHost
	stateDevice
)

// bucket holds the times of calls of one key.
type bucket struct {
	calls, state atomic.Uint32
	ready        atomic.Bool // kernels are compiled and have run
	asked        atomic.Bool // for that
	family       *family

	mu           sync.Mutex
	host, device side
	onDevice     bool    // what is thought to be faster
	spent        float64 // ns there, since the last trial of the other
	trialRatio   float64
}

// family holds the state of the kernels that some buckets share.
type family struct {
	ready atomic.Bool
	saved atomic.Int64 // ns that the device is predicted to have saved in calls that gonum did
}

// worthCompiling is how much time a device must be predicted to have saved, in ns, before kernels are compiled for a
// routine: the compiler takes about as much, of a core that the program could use.
const worthCompiling = 2e9

// decision says whether the device or gonum computes a call, and whether the call is timed.
type decision struct {
	device bool
	bucket *bucket // nil: it is not timed
	weight float64
	work   float64
	guess  float64 // ns that the device takes at least
	likely float64 // ns that it may be expected to take
	missed uint64
	start  time.Time
}

// decide chooses the device or gonum for a call, which ends with done.
func (d *device[T]) decide(s shape) decision {
	r := d.routes.Load()
	if r.all || r.none {
		return decision{device: r.all}
	}
	b := d.bucket(&s)
	if b == nil {
		return decision{device: r.predicts(&s) && d.compiled.Load()}
	}
	weight := 1.0
	if state := b.state.Load(); state != stateOpen {
		if b.calls.Add(1)%sampled != 0 && (state == stateHost || b.ready.Load()) {
			return decision{device: state == stateDevice}
		}
		weight = sampled
	}
	t := decision{bucket: b, weight: weight, work: s.work(), guess: d.guess(&s), likely: d.likely(&s), missed: d.missed.Load()}
	b.mu.Lock()
	t.device = d.choose(b, &s, r, &t)
	b.mu.Unlock()
	t.start = time.Now()
	return t
}

// choose decides for a call. The caller holds b's lock.
func (d *device[T]) choose(b *bucket, s *shape, r *routes, t *decision) bool {
	settled := b.host.known() && b.device.known()
	switch {
	case settled && b.onDevice: // margin only for a change to the device
		b.onDevice = b.device.rate() <= b.host.rate()
	case settled:
		b.onDevice = b.device.rate()*margin < b.host.rate()
	default:
		b.onDevice = r.predicts(s)
	}
	b.settle(settled)
	if settled {
		b.trialRatio = max(b.trialRatio, settledTrialRatio)
	}
	ready := b.ready.Load() || d.compiled.Load()
	if !ready {
		hopeful := b.host.count > 0 && b.host.rate()*t.work > margin*t.guess
		if b.onDevice || hopeful && (b.family.ready.Load() || b.family.saved.Load() > worthCompiling) {
			if b.asked.CompareAndSwap(false, true) {
				d.warmups.ask(d, b, *s)
			}
		}
		return !s.isVector() && t.work > compilingWork
	}
	if !b.due(s, r, t) {
		return b.onDevice
	}
	b.spent = 0
	if settled {
		b.trialRatio = min(4*b.trialRatio, lastTrialRatio)
	}
	return !b.onDevice
}

func (b *bucket) settle(settled bool) {
	switch {
	case !settled:
		b.state.Store(stateOpen)
	case b.onDevice:
		b.state.Store(stateDevice)
	default:
		b.state.Store(stateHost)
	}
}

// due reports whether enough was spent to try the other implementation.
func (b *bucket) due(s *shape, r *routes, t *decision) bool {
	if b.onDevice {
		cost := 2 * b.device.rate() * t.work
		switch {
		case b.host.count > 0:
			cost = b.host.rate() * t.work
		case b.device.count == 0:
			return false
		case s.which == routeGemm && len(r.Host[0]) > 0:
			cost = max(cost, r.hostTime(s.tA, s.tB, s.m, s.n, s.k))
		}
		return b.spent > b.trialRatio*cost
	}
	if b.host.count == 0 {
		return false
	}
	cost := t.guess
	if b.device.count > 0 {
		cost = b.device.rate() * t.work
	} else if b.host.rate()*t.work < margin*cost {
		return false // it cannot be faster
	}
	return b.spent > b.trialRatio*cost
}

// done ends a call: it notes how long it took.
func (d *device[T]) done(t *decision) {
	if t.bucket == nil {
		return
	}
	ns := float64(max(time.Since(t.start), 1))
	b := t.bucket
	if t.device && d.missed.Load() != t.missed {
		return // gonum had to do it, or a part of it
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.device {
		b.device.add(ns / t.work)
	} else {
		b.host.add(ns / t.work)
		if !b.family.ready.Load() && ns > margin*t.likely {
			b.family.saved.Add(int64(ns - t.likely))
		}
	}
	if t.device == b.onDevice {
		b.spent += ns * t.weight
	}
}

// guess is how long the device takes, in ns, as far as one can say without having measured. It is
// hopeful: a trial tells more.
func (d *device[T]) guess(s *shape) float64 {
	if d.blas.products.Copies() {
		return 150_000 + max(s.work()*0.002, s.elements()*float64(d.dtype.Size())*0.1)
	}
	return 8_000 + max(s.work()*0.005, s.elements()*float64(d.dtype.Size())*0.02)
}

// likely is how long the device may be expected to take, in ns: a core does
// two of three multiplications that the vector units of a slow one can do, and memory is a slow one's.
func (d *device[T]) likely(s *shape) float64 {
	if d.blas.products.Copies() {
		return d.guess(s)
	}
	lanes := float64(d.blas.products.Lanes(d.dtype) * d.blas.products.Units())
	return 8_000 + max(s.work()/(2.7*max(1, lanes)), s.elements()*float64(d.dtype.Size())*0.1)
}

// mostBuckets bounds what is remembered.
const mostBuckets = 4096

// table holds buckets by key and is replaced where one is added: calls read it without a lock.
type table struct {
	now      atomic.Pointer[map[uint64]*bucket]
	mu       sync.Mutex
	families map[uint64]*family
}

// bucket returns what is known of calls like s, nil where too much is remembered.
func (d *device[T]) bucket(s *shape) *bucket {
	key := s.key()
	if now := d.table.now.Load(); now != nil {
		if b := (*now)[key]; b != nil {
			return b
		}
	}
	return d.table.add(key)
}

func (t *table) add(key uint64) *bucket {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := map[uint64]*bucket{}
	if now := t.now.Load(); now != nil {
		if b := (*now)[key]; b != nil {
			return b
		}
		if len(*now) >= mostBuckets {
			return nil
		}
		for k, b := range *now {
			next[k] = b
		}
	}
	if t.families == nil {
		t.families = map[uint64]*family{}
	}
	f := t.families[key>>24]
	if f == nil {
		f = &family{}
		t.families[key>>24] = f
	}
	b := &bucket{family: f, trialRatio: firstTrialRatio}
	next[key] = b
	t.now.Store(&next)
	return b
}

// savedBucket is a bucket as it is kept on disk.
type savedBucket struct {
	Key    uint64  `json:"key"`
	Host   float64 `json:"host"` // ns a multiplication
	Device float64 `json:"device"`
}

// settled are the buckets for which it is settled what is faster.
func (t *table) settled() (all []savedBucket) {
	now := t.now.Load()
	if now == nil {
		return nil
	}
	for key, b := range *now {
		b.mu.Lock()
		if b.host.known() && b.device.known() {
			all = append(all, savedBucket{key, b.host.rate(), b.device.rate()})
		}
		b.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b savedBucket) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// learn takes what was kept, without what makes no sense.
func (t *table) learn(all []savedBucket) {
	for _, l := range all {
		if !(l.Host > 0 && l.Device > 0) || math.IsInf(l.Host, 0) || math.IsInf(l.Device, 0) {
			continue
		}
		b := t.add(l.Key)
		if b == nil {
			return
		}
		b.mu.Lock()
		for range enough {
			b.host.add(l.Host)
			b.device.add(l.Device)
		}
		b.onDevice = l.Device*margin < l.Host
		b.settle(true)
		b.mu.Unlock()
	}
}
