package staging

import (
	"context"
	"errors"
	"slices"

	"github.com/anycl/anycl/cl"
)

// relay is device memory between the link and where bytes are wanted. Who uses it
// next does so behind the last command that touched it, in whatever queue that was.
type relay struct {
	mem   Memory
	bytes int64 // of its block
	last  *cl.Event
	wait  []*cl.Event // last alone, as a wait list
	inUse bool
}

// fits reports whether n bytes lie well in r.
func (r *relay) fits(n int64) bool { return !r.inUse && r.bytes >= n && r.bytes/2 <= n }

// relay lends device memory for n bytes, nil where there is none to be had. Once the memory of relays is
// at its bound, the last command that uses it may still be at work: then the link waits, not the host.
func (s *Link) relay(n int64) (*relay, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, busy := int64(0), -1
	for i, r := range s.relays {
		held += r.bytes
		if !r.fits(n) {
			continue
		}
		st, err := r.last.Status()
		if err != nil {
			return nil, err
		}
		if st <= cl.EventComplete {
			return s.use(i), nil
		}
		if busy < 0 {
			busy = i
		}
	}
	switch {
	case n > s.most:
		return nil, nil
	case held+n <= s.most:
	case busy >= 0:
		return s.use(busy), nil
	default:
		if err := s.shrink(s.most - n); err != nil {
			return nil, err
		}
	}
	return s.newRelay(n)
}

// use marks relay i as in use, and as the one used last.
func (s *Link) use(i int) *relay {
	r := s.relays[i]
	s.relays = append(slices.Delete(s.relays, i, i+1), r)
	r.inUse = true
	return r
}

// newRelay allocates a relay of n bytes, unless there are too many.
func (s *Link) newRelay(n int64) (*relay, error) {
	free := s.most
	for _, r := range s.relays {
		free -= r.bytes
	}
	if n > free {
		return nil, nil
	}
	last, err := s.host.Context.NewSignal()
	if err != nil {
		return nil, err
	}
	mem, size, err := s.host.Alloc(n)
	if err != nil {
		err = errors.Join(err, last.Close())
		if s.host.OutOfMemory(err) {
			return nil, nil
		}
		return nil, err
	}
	// The memory may come from the pool, behind commands of the device's queue.
	if err := s.host.Queue.MarkerSignal(nil, last); err != nil {
		return nil, errors.Join(err, last.Close(), mem.Close())
	}
	s.relays = append(s.relays, &relay{mem: mem, bytes: size, last: last, wait: []*cl.Event{last}, inUse: true})
	return s.relays[len(s.relays)-1], nil
}

// shrink frees relays that nothing uses until no more than the given number of bytes are left,
// or none such. s.mu is held.
func (s *Link) shrink(bytes int64) (err error) {
	for _, r := range s.relays {
		bytes -= r.bytes
	}
	s.relays = slices.DeleteFunc(s.relays, func(r *relay) bool {
		if bytes >= 0 || r.inUse || err != nil {
			return false
		}
		var st cl.EventStatus
		if st, err = r.last.Status(); err != nil || st > cl.EventComplete {
			return false
		}
		bytes += r.bytes
		err = errors.Join(r.last.Close(), r.mem.Close())
		return true
	})
	return err
}

// Trim frees the relays that nothing uses, unless somebody is at work on them.
func (s *Link) Trim() error {
	if !s.mu.TryLock() {
		return nil
	}
	defer s.mu.Unlock()
	return s.shrink(0)
}

// giveBack takes a relay back. Its event is that of the last command that uses it.
func (s *Link) giveBack(r *relay) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.inUse = false
}

// sever takes back a relay that commands of queue q may touch of which no event
// tells; its own event may be that of an earlier one.
func (s *Link) sever(r *relay, q *cl.Queue) {
	if err := q.MarkerSignal(r.wait, r.last); err != nil {
		s.host.Warn("a relay is waited for", q.Finish())
	}
	s.giveBack(r)
}

// Held counts the relays, their bytes, and those that are pinned.
func (s *Link) Held() (relays int, relayed, pinned int64) {
	if s == nil {
		return 0, 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.relays {
		relayed += r.bytes
	}
	for _, c := range s.classes() {
		pinned += int64(len(c.all) * c.size)
	}
	return len(s.relays), relayed, pinned
}

// Reserve allocates ahead: all pinned memory of small transfers to the device, and relays, each of the given number of
// bytes. On return no command of the device stands before them.
func (s *Link) Reserve(ctx context.Context, relays int, bytes int64) error {
	s.mu.Lock()
	var err error
	for len(s.smallUp.all) < SmallPieceMost && err == nil {
		err = s.grow(&s.smallUp)
	}
	s.mu.Unlock()
	var made []*relay
	for i := 0; i < relays && err == nil; i++ {
		var r *relay
		if r, err = s.relay(bytes); r != nil {
			made = append(made, r)
		}
	}
	for _, r := range made {
		s.giveBack(r)
	}
	if err != nil {
		return err
	}
	return s.host.Wait(ctx)
}

// Limit bounds the bytes of relays.
func (s *Link) Limit(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = bytes
}

// Sent returns when all bytes sent to relays have arrived.
func (s *Link) Sent() error {
	s.mu.Lock()
	q := s.up
	s.mu.Unlock()
	if q == nil {
		return nil
	}
	return q.Finish()
}
