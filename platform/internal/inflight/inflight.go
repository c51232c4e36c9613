// Package inflight keeps the host memory of transfers that nobody waits for.
package inflight

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/pool"
	"github.com/anycl/anycl/platform/internal/wait"
)

// Most bounds the host memory that transfers in flight hold, bytes.
const Most = 256 << 20

// Transfer is a transfer in flight and the host memory at its other end.
type Transfer struct {
	Event *cl.Event
	Host  []byte
	Told  bool // somebody has been told how it ended
}

// Transfers owns the host memory of transfers that nobody waits for: the caller's
// may change while they are in flight, this does not.
type Transfers struct {
	queue  *cl.Queue
	mu     sync.Mutex
	flight []Transfer // nobody waits for these; in the order of the queue
	spare  [][]byte
	held   int64 // bytes in both
	failed error // of a transfer that nobody waited for
	closed bool

	waits int       // goroutines in the driver
	idle  sync.Cond // on mu: one fewer
}

// Init makes s ready for transfers of q.
func (s *Transfers) Init(q *cl.Queue) { s.queue, s.idle.L = q, &s.mu }

// Take returns n bytes of host memory that no transfer uses; nil when too many
// are in use, unless they must be had.
func (s *Transfers) Take(n int, must bool) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.told(); err != nil {
		return nil, err
	}
	best := -1
	for i, h := range s.spare {
		if cap(h) >= n && cap(h) <= 2*n+pool.MinBlock && (best < 0 || cap(h) < cap(s.spare[best])) {
			best = i
		}
	}
	if best >= 0 {
		h := s.spare[best]
		s.spare = slices.Delete(s.spare, best, best+1)
		return h[:n], nil
	}
	for len(s.spare) > 0 && s.held+int64(n) > Most {
		s.held -= int64(cap(s.spare[0]))
		s.spare = slices.Delete(s.spare, 0, 1)
	}
	if s.held+int64(n) > Most && !must {
		return nil, nil
	}
	h := make([]byte, n)
	s.held += int64(cap(h))
	return h, nil
}

// Failure is the error of a transfer that is over and that nobody waited for; it is reported once.
func (s *Transfers) Failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told()
}

// told is [Transfers.Failure] while s.mu is held.
func (s *Transfers) told() error {
	s.reap()
	err := s.failed
	s.failed = nil
	return err
}

// Give takes memory back that no transfer uses.
func (s *Transfers) Give(host []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spare = append(s.spare, host)
}

// Leave keeps a transfer that nobody waits for until it is done.
func (s *Transfers) Leave(t Transfer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = t.Event.Close() // which waits for it
		return
	}
	s.flight = append(s.flight, t)
	s.reap()
}

// reap takes back the memory of transfers that are done. s.mu is held.
func (s *Transfers) reap() {
	n := 0
	for _, t := range s.flight {
		done, err := wait.Ended(s.queue, t.Event)
		if !done {
			break
		}
		if s.failed == nil && err != nil && !t.Told {
			s.failed = fmt.Errorf("platform: a transfer failed: %w", err)
		}
		_ = t.Event.Close() // its outcome is known
		if err == nil {
			s.spare = append(s.spare, t.Host)
		} else { // nobody knows whether the driver has let go of it
			s.held -= int64(cap(t.Host))
		}
		n++
	}
	s.flight = slices.Delete(s.flight, 0, n)
}

// State is how many bytes are held, and how many transfers are in flight and pieces of memory to spare once those that are done are
// taken back.
func (s *Transfers) State() (held int64, flying, spare int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reap()
	return s.held, len(s.flight), len(s.spare)
}

// Wait adds n to the goroutines in the driver.
func (s *Transfers) Wait(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits += n
	s.idle.Broadcast()
}

// Close releases the events; the queue is finished.
func (s *Transfers) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.waits > 0 {
		s.idle.Wait()
	}
	var err error
	for _, t := range s.flight {
		err = errors.Join(err, t.Event.Close())
	}
	s.flight, s.spare, s.held, s.closed = nil, nil, 0, true
	return err
}
