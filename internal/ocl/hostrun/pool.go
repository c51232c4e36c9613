// Package hostrun runs kernels of a driver for CPUs on the program's own threads: on the calling thread, or on a
// pool of workers with it. Nothing here concerns a GPU.
package hostrun

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/procs"
)

// Pool is a pool of worker threads that run parts of a launch beside the caller.
//
// A driver for CPUs wakes its threads for every launch and then the caller, each of
// which takes as long as many a kernel. An inline device runs
// a launch on the thread that enqueues it, and in different queues at the same time.
// So the threads can be our own: goroutines that take parts of one launch, and that watch
// for the next one instead of sleeping while a run goes on. The caller takes parts too and
// never waits for one that has not begun: a helper that wakes late or not at all costs nothing.
//
// Each begins with the same partition of every launch, so that it finds in the caches of its core the
// data that it wrote, and weights that it read in the run before. A worker that is done takes the
// remaining groups of others, from behind.
//
// Source: affinity scheduling, E. P. Markatos and T. J. LeBlanc, Using Processor Affinity in
// Loop Scheduling on Shared-Memory Multiprocessors, IEEE TPDS 5 (1994).
type Pool struct {
	Spare bool // Go has a processor beside those of the worker pool

	mu      sync.Mutex // held by the run that has the helpers
	started bool
	launch  sharedLaunch

	runs       atomic.Int32     // on the inline device, with the worker pool or alone
	crowded    atomic.Int64     // when they were more than room, in nanoseconds; 0: not lately
	workers    []*atomic.Uint64 // the remaining groups of those that each begins with, see leaving; the caller is the first
	descriptor *descriptor
	over       chan struct{} // a part is done
	wake       chan struct{}
	backoff    backoff
	stop       atomic.Bool
	helpers    sync.WaitGroup
	here       currentCPU // the caller's

	// The fields that helpers watch and those that they write are in cache lines of their own: to store to a line that
	// another core has is slow.
	_      [64]byte
	Number atomic.Uint32 // of the launch
	_      [64]byte
	Helped atomic.Uint32 // parts that helpers have taken, ever
	_      [64]byte
}

// descriptor is the shared launch descriptor, one cache line: the fields by which the caller and helpers
// describe a launch to each other.
type descriptor struct {
	done         atomic.Int64  // groups
	chunk        atomic.Uint64 // of a part; see Partition.chunk
	place        atomic.Int32  // one more than the processor that the caller is on, while the launch is brief, or 0
	whole        atomic.Bool   // a partition that nobody has taken from is one part
	callerSleeps atomic.Bool   // until over
	asleep       atomic.Int32  // helpers
	left         [inlineWorkers]atomic.Uint64
}

// inlineWorkers is the number of workers whose remaining groups are in the descriptor. More would contend for its cache line.
const inlineWorkers = 4

// leaving is groups [first, end) of a launch. The launch's number is stored with them so that
// nobody takes groups of a later launch by a value read during an earlier one.
func leaving(number uint32, first, end int) uint64 {
	return uint64(number)<<32 | uint64(first)<<16 | uint64(end)
}

// left unpacks the value that leaving has packed.
func left(v uint64) (number uint32, first, end int) {
	return uint32(v >> 32), int(uint16(v >> 16)), int(uint16(v))
}

// sharedLaunch is a launch that several take parts of. It is to be read by threads that
// have taken a part, until they are done with it.
type sharedLaunch struct {
	queues []*cl.Queue // by the number of the thread that takes a part; the caller is 0
	of     *Launch

	mu  sync.Mutex
	err error
}

func (l *sharedLaunch) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = errors.Join(l.err, err)
}

// Times of a worker pool.
const (
	helperPoll       = 100 * time.Microsecond // how long a helper watches for work before it sleeps
	callerPoll       = 200 * time.Microsecond // how long the caller watches for the last parts before it sleeps
	crowdedFor       = time.Millisecond       // how long after too many runs at a time as many are expected again
	slice            = time.Millisecond       // how long a goroutine goes on before it lets others run
	sameProcessorFor = 100 * time.Microsecond // how long a thread is believed to be on the processor that it was on
)

// manyProcs is how many processors are so many that the worker pool leaves one to Go. See monitored.
const manyProcs = 8

// NewPool makes the pool of a device with the given number of compute units; nil for one unit.
func NewPool(units int) *Pool {
	n := procs.Count()
	width := min(units, n)
	spare := runtime.GOMAXPROCS(0) > width
	if !spare && n >= manyProcs {
		width, spare = width-1, true
	}
	if width < 2 {
		return nil
	}
	c := &Pool{Spare: spare, wake: make(chan struct{}, width-1), over: make(chan struct{}, 1)}
	c.addWorkers(width)
	return c
}

// addWorkers makes width workers.
func (c *Pool) addWorkers(width int) {
	c.descriptor = new(descriptor)
	for i := range width {
		m := new(struct {
			left atomic.Uint64
			_    [56]byte
		})
		c.workers = append(c.workers, &m.left)
		if width <= inlineWorkers {
			c.workers[i] = &c.descriptor.left[i]
		}
	}
}

// Width is how many there are, with the caller.
func (c *Pool) Width() int { return len(c.workers) }

// Enlist gives a run the helpers until it calls dismiss, unless another has them, or there
// are so many runs that they fill the processors alone.
func (c *Pool) Enlist() bool {
	if !c.free() || !c.mu.TryLock() {
		return false
	}
	if c.stop.Load() {
		c.mu.Unlock()
		return false
	}
	if !c.started {
		c.started = true
		for i := 1; i < c.Width(); i++ {
			c.helpers.Go(func() { c.help(i) })
		}
	}
	return true
}

func (c *Pool) dismiss() { c.mu.Unlock() }

// room is how many runs at a time leave processors for helpers.
func (c *Pool) room() int32 { return int32(max(1, c.Width()/2)) }

// begin and end are called by every run on the inline device.
func (c *Pool) begin() {
	if c.runs.Add(1) > c.room() {
		c.crowded.Store(time.Now().UnixNano())
	}
}

func (c *Pool) end() { c.runs.Add(-1) }

// free reports whether a run can have more than its own thread: there is room, and has been
// for a while.
func (c *Pool) free() bool {
	if c.runs.Load() > c.room() {
		return false
	}
	at := c.crowded.Load()
	if at != 0 && time.Now().UnixNano()-at < int64(crowdedFor) {
		return false
	}
	if at != 0 {
		c.crowded.CompareAndSwap(at, 0)
	}
	return true
}

// Close ends the helpers, after the run that has them.
func (c *Pool) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stop.Swap(true) {
		close(c.wake)
	}
	c.helpers.Wait()
}

// wakeHelpers wakes the helpers that sleep, for a brief launch only if that was of use lately.
func (c *Pool) wakeHelpers(brief bool) {
	asleep := c.descriptor.asleep.Load()
	if asleep == 0 || brief && len(c.wake) == 0 && !c.backoff.wakes(c.Helped.Load()) {
		return
	}
	for range asleep {
		select {
		case c.wake <- struct{}{}:
		default:
			return
		}
	}
}

// backoff decides when helpers are left asleep because none of them took a part when they were last woken:
// other work has the processors, or the runs are over too soon. To wake one takes the caller as long
// as a small kernel.
type backoff struct {
	until  atomic.Int64 // in nanoseconds; 0: helpers are woken
	woken  bool         // and not looked at since
	helped uint32       // parts that helpers had taken by then
	vain   int          // how often in a row it was of no use
}

// Bounds of backoff.
const (
	vainWakes = 3 // how often in a row helpers are woken in vain before they are left asleep
	shortRest = time.Millisecond / 2
	longRest  = 16 * time.Millisecond
)

// wakes reports whether to wake helpers, which have taken a given number of parts.
func (r *backoff) wakes(helped uint32) bool {
	if r.woken {
		r.woken = false
		if r.vain++; helped != r.helped {
			r.vain = 0
		}
		if over := r.vain - vainWakes; over >= 0 {
			r.until.Store(time.Now().Add(min(shortRest<<min(over, 10), longRest)).UnixNano())
			return false
		}
	}
	r.woken, r.helped = true, helped
	return true
}

// backsOff reports whether all helpers are asleep and better left so for a launch like s.
func (c *Pool) backsOff(s *partition) bool {
	until := c.backoff.until.Load()
	if until == 0 || int(c.descriptor.asleep.Load()) < c.Width()-1 || !s.brief() {
		return false
	}
	if time.Now().UnixNano() < until {
		return true
	}
	c.backoff.until.Store(0)
	return false
}

// do runs all of a launch and returns when it is done. A context that is done stops it
// after the parts that have begun.
func (c *Pool) do(ctx context.Context, queues []*cl.Queue, of *Launch, y *Yield) error {
	now, s, note := y.give(time.Now()), &of.partition, c.descriptor
	c.launch.queues, c.launch.of, c.launch.err = queues, of, nil
	number, width, chunk, little := c.Number.Load()+1, c.Width(), s.chunk(), s.little(c.Width())
	note.done.Store(0)
	note.chunk.Store(chunk)
	note.whole.Store(little)
	brief, place := s.brief(), int32(0)
	if brief {
		place = int32(c.here.at(now)) + 1
	}
	note.place.Store(place)
	first, n := 0, portion(s.groups/width, little, chunk) // of the groups that the caller begins with
	for i, m := range c.workers {
		from := s.groups * i / width
		if i == 0 {
			from = n
		}
		m.Store(leaving(number, from, s.groups*(i+1)/width))
	}
	c.Number.Store(number)
	c.wakeHelpers(brief)
	if n == 0 {
		first, n = c.take(0)
	}
	for n > 0 {
		start := time.Now()
		c.part(0, first, n)
		if s.learn(time.Since(start), n) {
			note.chunk.Store(s.chunk())
		}
		if err := ctx.Err(); err != nil {
			c.launch.fail(err)
			c.withdraw()
		}
		first, n = c.take(0)
	}
	c.await(int64(s.groups))
	return c.launch.err
}

// take takes groups [first, first+n): of those that who begins with, then of others'.
func (c *Pool) take(who int) (first, n int) {
	for i := range c.workers {
		if first, n = c.takeFrom(c.workers[(who+i)%len(c.workers)], i > 0); n > 0 {
			return first, n
		}
	}
	return 0, 0
}

// takeFrom takes up to a half of the groups that m has left, as long as that is no part too small; the
// worker of m itself takes all of a small rest.
func (c *Pool) takeFrom(m *atomic.Uint64, behind bool) (first, n int) {
	for {
		v := m.Load()
		number, first, end := left(v)
		if first == end {
			return 0, 0
		}
		// Of this launch, if the number still is when the part is taken.
		n = portion(end-first, !behind && c.descriptor.whole.Load(), c.descriptor.chunk.Load())
		rest := leaving(number, first+n, end)
		if behind {
			rest, first = leaving(number, first, end-n), end-n
		}
		if m.CompareAndSwap(v, rest) {
			return first, n
		}
	}
}

// portion is how many of a given number of groups that are left are one part: half of them, or all.
func portion(left int, all bool, chunk uint64) int {
	n := left
	if !all {
		n = (left + 1) / 2
	}
	return min(max(n, int(uint32(chunk))), int(chunk>>32), left)
}

// part runs groups [first, first+n), which were taken.
func (c *Pool) part(who, first, n int) {
	l := &c.launch
	if err := l.queues[who].Launch(l.of.kernel, part(l.of.rng, first, n), nil); err != nil {
		l.fail(err)
		c.withdraw()
	}
	c.finish(n)
}

// finish counts n groups as done.
func (c *Pool) finish(n int) {
	if c.descriptor.done.Add(int64(n)); c.descriptor.callerSleeps.Load() {
		select {
		case c.over <- struct{}{}:
		default:
		}
	}
}

// withdraw removes the remaining groups, so that nobody takes them.
func (c *Pool) withdraw() {
	for _, m := range c.workers {
		for v := m.Load(); ; v = m.Load() {
			number, first, end := left(v)
			if first == end {
				break
			}
			if m.CompareAndSwap(v, leaving(number, end, end)) {
				c.finish(end - first)
				break
			}
		}
	}
}

// await returns when all groups are done.
func (c *Pool) await(groups int64) {
	start := time.Now()
	for i := 1; c.descriptor.done.Load() != groups; i++ {
		if i%32 == 0 && time.Since(start) > callerPoll {
			c.sleep(groups)
			return
		}
		procs.Pause()
	}
}

// sleep is await for launches that take long.
func (c *Pool) sleep(groups int64) {
	c.descriptor.callerSleeps.Store(true)
	for c.descriptor.done.Load() != groups {
		<-c.over
	}
	c.descriptor.callerSleeps.Store(false)
}

// help takes parts until the worker pool is closed.
func (c *Pool) help(who int) {
	var y Yield
	var w currentCPU
	for seen := uint32(0); c.poll(&y, &w, seen); {
		seen = c.Number.Load()
		for !c.inTheWay(&w) {
			first, n := c.take(who)
			if n == 0 {
				break
			}
			c.Helped.Add(1)
			c.part(who, first, n)
		}
	}
}

// poll waits for work, and sleeps after a while. It returns when there may be work beyond the launch that was seen, false when
// there will be none.
func (c *Pool) poll(y *Yield, w *currentCPU, seen uint32) bool {
	start := y.give(time.Now())
	for i := 1; ; i++ {
		if c.Number.Load() != seen {
			return true
		}
		if procs.Pause(); i%32 != 0 || time.Since(start) < helperPoll && !c.inTheWay(w) {
			continue
		}
		c.descriptor.asleep.Add(1)
		if c.Number.Load() == seen {
			if _, open := <-c.wake; !open {
				return false
			}
			*w = currentCPU{}
		}
		c.descriptor.asleep.Add(-1)
		return true
	}
}

// inTheWay reports whether the calling helper has the caller's processor, which happens while
// somebody else has the others: the caller waits for as long as it works or watches. A longer launch
// leaves the system time to move it.
func (c *Pool) inTheWay(w *currentCPU) bool {
	place := c.descriptor.place.Load()
	return place > 0 && int(place-1) == w.at(time.Now())
}

// currentCPU is where a thread was when it was last asked.
type currentCPU struct {
	processor int
	asked     time.Time
}

// at is the processor that the calling thread is on, or was on a moment ago.
func (w *currentCPU) at(now time.Time) int {
	if now.Sub(w.asked) > sameProcessorFor {
		w.processor, w.asked = procs.Here(), now
	}
	return w.processor
}

// monitored is the time after which Go's monitor may take the processor away from a thread that computes in C, if no
// other is free: it then wakes a thread to look for work, and itself wakes often for a while. Both are in the way of
// threads that compute; those that wait for memory do not notice. It does so too when a goroutine that is in C has gone
// on for longer, however often it was back, which yielding is for. Source: retake and sysmon in runtime/proc.go of Go 1.26.
const monitored = 75 * time.Microsecond

// Yield is when a goroutine has last let others run.
type Yield struct{ last time.Time }

// give lets others run if that is due, and returns the time.
func (y *Yield) give(now time.Time) time.Time {
	if now.Sub(y.last) > slice {
		runtime.Gosched()
		now = time.Now()
		y.last = now
	}
	return now
}

// Time predicts how long the pool takes for work that takes one core the time all, of which it computes for
// the time computing and else waits for memory; a launch on the caller's thread takes launch.
func (c *Pool) Time(all, computing, launch time.Duration) time.Duration {
	if all < 2*partLow {
		return launch + all
	}
	part, computing := all/time.Duration(c.Width()), computing/time.Duration(c.Width())
	if computing > monitored && !c.Spare {
		part = max(part, computing+computing/6)
	}
	return 3*launch + part
}
