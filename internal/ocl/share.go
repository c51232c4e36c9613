package ocl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
)

// nearHead makes a kernel see the range that it was written for, where its launch is
// a part of one. All groups then lie along the third dimension of the launch, and its offset there
// is the first of them. The other two offsets say how many there are in the first and in the
// second dimension of the kernel's range; nothing says it of the third.
//
// Any run of groups can be a part in this way, and all launches of a kernel look equal to PoCL, which
// is needed: 3.1 keeps a compiled kernel for the widest launch it has seen in the first
// two dimensions, and for offsets of zero or others. While two launches of one kernel are at work
// that differ in these, it counts the uses of one as those of the other, and aborts. It also
// compiles for numbers below nearGroups in all of these places.
// Source: pocl_release_dlhandle_cache in lib/CL/devices/common.c and addRangeMetadataForPCField in
// lib/llvmopencl/Workgroup.cc of PoCL 3.1.
const nearHead = `static inline uint near_groups(uint d) { return (uint)get_global_offset(d); }
static inline uint near_group(uint d) {
    const uint g = (uint)get_global_offset(2) + (uint)get_group_id(2), n = near_groups(0);
    if (g < n) // no division where there is one dimension
        return d == 0 ? g : 0;
    return d == 0 ? g % n : d == 1 ? g / n % near_groups(1) : d == 2 ? g / n / near_groups(1) : 0;
}
#undef get_num_groups
#undef get_global_size
#define get_group_id(d) ((size_t)near_group(d))
#define get_num_groups(d) ((size_t)near_groups(d))
#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))
#define get_global_size(d) (get_num_groups(d) * get_local_size(d))
#define get_global_offset(d) ((size_t)0)
#line 1
`

// nearGroups is how many groups a launch on the companion may have, less one.
const nearGroups = math.MaxUint16 - 1

// errFar is why a launch is left to the driver's threads.
var errFar = errors.New("the launch cannot be divided")

// nearRange is r as the companion is given it, and its groups.
func nearRange(r cl.Range) (near cl.Range, groups int, err error) {
	near, groups = cl.Range{Dims: 3}, 1
	for d := range near.Global {
		near.Local[d], near.Offset[d] = 1, 1
		if d < r.Dims {
			near.Local[d] = r.Local[d]
			if r.Local[0] == 0 { // left to the driver
				near.Local[d] = localOf(d, r.Global[d])
			}
			near.Offset[d] = r.Global[d] / near.Local[d]
		}
		near.Global[d] = near.Local[d]
		if near.Offset[d] > nearGroups/groups {
			return r, 0, fmt.Errorf("%v: more than %d groups: %w", r.Global[:r.Dims], nearGroups, errFar)
		}
		groups *= near.Offset[d]
	}
	return part(near, 0, groups), groups, nil
}

// localOf is the size of a work-group for n items along dimension d, where nobody says it.
func localOf(d, n int) int {
	local := 1
	for l := 2; d == 0 && l <= min(n, 128); l++ {
		if n%l == 0 {
			local = l
		}
	}
	return local
}

// ownGroups is into how many groups a launch is divided that leaves its work-groups open, if there is
// enough of it for groups of ownGroupLeast.
const ownGroups, ownGroupLeast = 64, 128

// groupOf is a work-group of up to most items for r: the first dimensions are filled first, as
// kernels run through memory along them. There are about ownGroups of them, more where the extents have
// few divisors.
func groupOf(r cl.Range, most int) (local [3]int) {
	items := 1
	for d := range r.Dims {
		items *= r.Global[d]
	}
	room := min(max(items/ownGroups, ownGroupLeast), max(most, 1))
	local = [3]int{1, 1, 1}
	for d := range r.Dims {
		local[d] = fitting(r.Global[d], room)
		room /= local[d]
	}
	return local
}

// fitting is the largest divisor of n that is at most most.
func fitting(n, most int) int {
	for d := min(n, most); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}

// part is the range of groups [first, first+n) of what nearRange made.
func part(r cl.Range, first, n int) cl.Range {
	r.Offset[2], r.Global[2] = first, n*r.Local[2]
	return r
}

// share is how a launch on the companion is divided.
type share struct {
	groups int     // of the whole
	pace   float64 // nanoseconds that one thread takes for a group of its part, 0: not known
	solo   float64 // the same where it takes all groups, whose data may not fit its caches
	alone  uint8   // how often it did, modulo 256
}

// asks reports whether to take the time of the whole on one thread, which is done now and then.
func (s *share) asks() bool {
	s.alone++
	return s.groups > 1 && s.alone%16 == 1
}

// Times of a part.
const (
	partLow  = 5 * time.Microsecond  // shorter parts cost more than they even out
	aside    = 2 * time.Microsecond  // what a share takes longer than its groups: to be handed over, and launched beside others
	partHigh = time.Millisecond      // after a part the caller hears its context
	partOnly = 50 * time.Microsecond // a share is not cut for others to take from it
)

// worth reports whether there is enough in it for so many threads.
func (s *share) worth(width int) bool {
	if s.groups == 1 {
		return false
	}
	solo, groups := s.solo, float64(s.groups)
	if solo == 0 {
		solo = s.pace
	}
	return s.pace == 0 || solo*groups > s.pace*groups/float64(width)+float64(aside)
}

// short reports whether the whole is no longer than a part may be.
func (s *share) short() bool {
	return s.groups == 1 || s.pace > 0 && s.pace*float64(s.groups) < float64(partHigh)
}

// brief reports whether the whole is over about when a thread that is woken for it has come.
func (s *share) brief() bool {
	return s.pace > 0 && s.pace*float64(s.groups) < float64(2*vigil)
}

// little reports whether each of so many does its share in less time than it takes to take part of
// another's.
func (s *share) little(width int) bool {
	return s.pace > 0 && s.pace*float64(s.groups) <= float64(width)*float64(partOnly)
}

// grain is how many groups a part has at most, in the high half, and at least.
func (s *share) grain() uint64 {
	if s.pace == 0 {
		return 1<<32 | 1
	}
	most := max(1, min(float64(partHigh)/s.pace, math.MaxInt32))
	least := min(most, max(1, math.Ceil(float64(partLow)/s.pace)))
	return uint64(most)<<32 | uint64(least)
}

// learn notes how long n groups took, and reports whether parts should have another size from
// now on.
func (s *share) learn(took time.Duration, n int) (new bool) {
	old := s.pace
	s.pace = s.learnt(old, took, n)
	return old == 0 || s.pace < old/2
}

// learnAlone notes how long the whole took on one thread, in one part. What is known of parts fades, so that
// they are tried again.
func (s *share) learnAlone(took time.Duration) {
	s.solo = s.learnt(s.solo, took, s.groups)
	s.pace -= s.pace / 16
}

// learnt is what is known of a pace after n groups. It is slow to believe in a slower pace, because a
// thread may have been interrupted, most of all where it did little.
func (s *share) learnt(old float64, took time.Duration, n int) float64 {
	pace := max(float64(took)/float64(n), 0.1)
	if old == 0 || pace < old {
		return pace
	}
	return old + min(pace-old, old)/8*float64(n)/float64(s.groups)
}

// runNear is Run on the companion. It returns when the tasks are done. With note, it is
// called after each command.
func (s *sequence) runNear(ctx context.Context, from, to int, run uint32, note func(task int, step *command)) error {
	if err := s.settle(); err != nil {
		return err
	}
	n := s.beginNear()
	defer n.end()
	for i := from; i < to; i++ {
		p := &s.tasks[i]
		for j := range p.steps {
			if p.skips(j) {
				continue
			}
			if err := n.step(ctx, &p.steps[j], run); err != nil {
				return s.failed(p, err)
			}
			if note != nil {
				note(i, &p.steps[j])
			}
		}
		p.current = true
	}
	if from < to {
		s.eng.last.Store(s.tasks[to-1].task)
	}
	s.eng.launches.Add(int64(to - from))
	return nil
}

// near is a run on the companion.
type near struct {
	s    *sequence
	crew *crew // while the run has it
}

func (s *sequence) beginNear() near {
	if t := s.eng.team; t != nil {
		t.crew.begin()
	}
	s.yields.give(time.Now())
	return near{s: s}
}

func (n *near) end() {
	if n.crew != nil {
		n.crew.dismiss()
	}
	if t := n.s.eng.team; t != nil {
		t.crew.end()
	}
}

// step runs one command, with the crew where there is one that is free, and that is
// worth its while.
func (n *near) step(ctx context.Context, step *command, run uint32) error {
	s := n.s
	if step.copy != nil {
		return errors.Join(step.submit(s.queues[0], run), s.queues[0].Finish())
	}
	worth := s.site.crew != nil && step.share.worth(s.site.crew.width())
	if worth && n.crew == nil && s.site.crew.enlist() {
		n.crew = s.site.crew
	}
	shared := worth && n.crew != nil && n.crew.free() && !n.crew.rests(&step.share)
	if !shared && step.share.short() {
		if s.site.crew == nil || !step.share.asks() {
			return step.submit(s.queues[0], run)
		}
		start := time.Now()
		err := step.submit(s.queues[0], run)
		step.share.learnAlone(time.Since(start))
		return err
	}
	if step.run >= 0 {
		if err := step.kernel.SetUint32(step.run, run); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if shared {
		return n.crew.do(ctx, s.queues, step, &s.yields)
	}
	return alone(ctx, s.queues[0], step, &s.yields)
}

// alone runs a step on the calling thread, part by part, as long as ctx lets it.
func alone(ctx context.Context, q *cl.Queue, step *command, y *yielding) error {
	s := &step.share
	for first, n := 0, 0; first < s.groups; first += n {
		if err := ctx.Err(); err != nil {
			return err
		}
		n = min(int(s.grain()>>32), s.groups-first)
		start := y.give(time.Now())
		if err := q.Launch(step.kernel, part(step.rng, first, n), nil); err != nil {
			return err
		}
		s.learn(time.Since(start), n)
	}
	return nil
}

// profileNear is Profile on the companion, by the host's clock: launches are over when
// they return.
func (s *sequence) profileNear(ctx context.Context, from, to int, run uint32, epoch time.Time) ([]engine.Span, error) {
	var spans []engine.Span
	start := time.Since(epoch)
	err := s.runNear(ctx, from, to, run, func(task int, step *command) {
		end := time.Since(epoch)
		spans = append(spans, engine.Span{Task: task, Name: step.name, Start: start, End: end, Clock: engine.HostClock})
		start = end
	})
	if err != nil {
		return nil, err
	}
	return spans, nil
}
