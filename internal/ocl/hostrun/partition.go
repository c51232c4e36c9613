package hostrun

import (
	"math"
	"time"
)

// partition is how a launch on the inline device is divided.
type partition struct {
	groups   int     // of the whole
	perGroup float64 // nanoseconds that one thread takes for a group of its part, 0: not known
	solo     float64 // the same where it takes all groups, whose data may not fit its caches
	shared   float64 // the same for all threads together, from when the caller begins until it has heard of the last part
	alone    uint8   // how often it did, modulo 256
}

// asks reports whether to take the time of the whole on one thread, which is done now and then.
func (s *partition) asks() bool {
	s.alone++
	return s.groups > 1 && s.alone%16 == 1
}

// Times of a part.
const (
	partLow  = 5 * time.Microsecond  // shorter parts cost more than they even out
	aside    = 2 * time.Microsecond  // the time of a partition beyond its groups: to be handed over, and launched beside others
	partHigh = time.Millisecond      // after a part the caller checks its context
	partOnly = 50 * time.Microsecond // a partition is not cut for others to take from it
)

// worth reports whether there is enough in it for the given number of threads. Until a short launch was shared, the time of
// that is predicted; then it is measured, since threads take data from each other's caches, which no part tells from computing.
func (s *partition) worth(width int) bool {
	if s.groups == 1 {
		return false
	}
	solo, groups := s.solo, float64(s.groups)
	if solo == 0 {
		solo = s.perGroup
	}
	if s.shared > 0 && s.short() {
		return s.shared < solo
	}
	return s.perGroup == 0 || solo*groups > s.predicted(width)
}

// predicted is the time of the whole on the given number of threads.
func (s *partition) predicted(width int) float64 {
	return s.perGroup*float64(s.groups)/float64(width) + float64(aside)
}

// short reports whether the whole is no longer than a part may be.
func (s *partition) short() bool {
	return s.groups == 1 || s.perGroup > 0 && s.perGroup*float64(s.groups) < float64(partHigh)
}

// brief reports whether the whole is over about when a thread that is woken for it has come.
func (s *partition) brief() bool {
	return s.perGroup > 0 && s.perGroup*float64(s.groups) < float64(2*helperPoll)
}

// little reports whether each of the given number of threads does its partition in less time than it takes to take part of
// another's.
func (s *partition) little(width int) bool {
	return s.perGroup > 0 && s.perGroup*float64(s.groups) <= float64(width)*float64(partOnly)
}

// chunk is how many groups a part has at most, in the high half, and at least.
func (s *partition) chunk() uint64 {
	if s.perGroup == 0 {
		return 1<<32 | 1
	}
	most := max(1, min(float64(partHigh)/s.perGroup, math.MaxInt32))
	least := min(most, max(1, math.Ceil(float64(partLow)/s.perGroup)))
	return uint64(most)<<32 | uint64(least)
}

// learn notes how long n groups took, and reports whether parts should have another size from
// now on.
func (s *partition) learn(took time.Duration, n int) (new bool) {
	old := s.perGroup
	s.perGroup = s.learnt(old, took, n)
	return old == 0 || s.perGroup < old/2
}

// learnAlone notes how long the whole took on one thread, in one part. What was measured of parts fades, so
// that they are tried again.
func (s *partition) learnAlone(took time.Duration) {
	s.solo = s.learnt(s.solo, took, s.groups)
	s.perGroup -= s.perGroup / 16
	s.shared -= s.shared / 16
}

// learnShared notes how long the given number of threads took for the whole. One launch, the first above all, says little where it took
// longer than predicted: helpers were asleep, and the data in no cache.
func (s *partition) learnShared(took time.Duration, width int) {
	if s.shared == 0 {
		s.shared = s.predicted(width) / float64(s.groups)
	}
	s.shared = s.learnt(s.shared, took, s.groups)
}

// learnt is the new estimate of a group's time after n of them were measured. It is slow to believe in a longer
// time, because a thread may have been interrupted, most of all where it did little.
func (s *partition) learnt(old float64, took time.Duration, n int) float64 {
	perGroup := max(float64(took)/float64(n), 0.1)
	if old == 0 || perGroup < old {
		return perGroup
	}
	return old + min(perGroup-old, old)/8*float64(n)/float64(s.groups)
}
