// Package staging moves bytes between the host and devices with memory of their own.
package staging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/anycl/anycl/cl"
)

// A device with memory of its own is fed over a link, which is fast only to and
// from host memory that is pinned, and which works beside the kernels only for
// commands of another queue. So bytes go
//
//	caller's memory -> pinned piece -> relay (device memory) -> where they are wanted
//
// The first step is the host's, piece after piece, while the second, in a queue of its own, moves
// the piece before. The third is a copy within the device in its turn among the kernels, which
// takes a small part of the link's time. The memory that a run reads or writes is thus free for the
// next one as soon as the run is over, not when the link is done. Results come back the same way,
// in a third queue, as links work in both directions at once. Small transfers save the detour: they
// go from a pinned piece straight to their place, in their turn.
//
// Pinned memory is allocated with CL_MEM_ALLOC_HOST_PTR, and mapped once and for good. Sources:
// NVIDIA OpenCL Best Practices Guide, 3.1.1 (pinned memory and asynchronous transfers); AMD APP SDK
// OpenCL Optimization Guide, 1.3 and 1.4 (pre-pinned buffers, several queues).

const (
	// SmallMost is up to which size a transfer goes straight: a fast link
	// needs less time for it than three more commands do.
	SmallMost = 64 << 10
	// PieceBytes is the most that one command moves: long enough that the time between two commands
	// does not count, short enough to begin soon.
	PieceBytes = 2 << 20
	// LeastPiece is the least that is divided into pieces, so that the link begins
	// while the host still copies.
	LeastPiece = 256 << 10
	// PieceMost bounds the pinned memory of each direction, at 32 MiB.
	PieceMost = 16
	// smallPieces is how many small pieces are allocated together, and
	// SmallPieceMost how many may be on their way to the device.
	smallPieces, SmallPieceMost = 16, 128
	// Chunk is how much a transfer moves between two looks at the context.
	Chunk = 64 << 20
	// relayMost bounds the device memory of relays, at an eighth of the device's
	// memory too.
	relayMost = 1 << 30
)

// Host holds the parts of an opened device that a link needs.
type Host struct {
	ID      string
	Context *cl.Context
	Device  *cl.Device
	Queue   *cl.Queue // of the device, in order
	// Alloc gives at least the given number of bytes of the device's memory, and how many they are.
	Alloc func(bytes int64) (m Memory, size int64, err error)
	// Wait returns when everything that was enqueued in Queue is done, or ctx is.
	Wait        func(ctx context.Context) error
	OutOfMemory func(err error) bool // it means that memory is short
	Warn        func(what string, err error)
	Closed      error // the error of using a closed link
}

// Memory is memory of the device.
type Memory interface {
	Buffer() *cl.Buffer
	Close() error
}

// Link is the way of bytes to and from a device with memory of its own.
type Link struct {
	host Host
	most int64         // bytes of relays
	turn chan struct{} // holds a token while somebody sends: two would only share the link
	life sync.RWMutex  // read while pinned memory is in somebody's hands

	mu               sync.Mutex
	closed           bool
	failed           error     // of a transfer that nobody waited for
	up, down         *cl.Queue // made when first needed, as is
	maps             *cl.Queue // where nothing is ever waited for
	smallUp, largeUp pinned
	smallDown        pinned
	largeDown        pinned
	relays           []*relay // the one used longest ago first
}

// pieceOf is how much of a transfer of n bytes one command moves through pieces of c.
func (c *pinned) pieceOf(n int) int {
	if c.size < PieceBytes {
		return c.size
	}
	return min(max((n/8+4095)&^4095, LeastPiece), c.size) // whole pages
}

// New is the link to a device with memory bytes.
func New(h Host, memory int64) *Link {
	s := &Link{host: h, most: min(relayMost, memory/8), turn: make(chan struct{}, 1)}
	s.smallUp = pinned{size: SmallMost, together: smallPieces, most: SmallPieceMost}
	s.smallDown = pinned{size: SmallMost, together: smallPieces} // as many as are asked for
	s.largeUp = pinned{size: PieceBytes, together: 1, most: PieceMost}
	s.largeDown = s.largeUp
	return s
}

func (s *Link) classes() []*pinned {
	return []*pinned{&s.smallUp, &s.largeUp, &s.smallDown, &s.largeDown}
}

// lock makes the caller the one that sends.
func (s *Link) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Link) unlock() { <-s.turn }

// beside makes a queue beside the device's own, once. s.mu is held.
func (s *Link) beside(q **cl.Queue) error {
	if *q != nil {
		return nil
	}
	made, err := s.host.Context.NewQueue(s.host.Device, cl.QueueOptions{})
	if err != nil {
		return fmt.Errorf("platform: %s: queue for transfers: %w", s.host.ID, err)
	}
	*q = made
	return nil
}

// enter is to be called before pinned memory is touched, and end after, unless it
// says that everything is closed.
func (s *Link) enter() bool {
	s.life.RLock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.life.RUnlock()
	}
	return !s.closed
}

// Begin is enter for a caller that is to be told of transfers that failed.
func (s *Link) Begin() error {
	if !s.enter() {
		return s.host.Closed
	}
	if err := s.told(); err != nil {
		s.End()
		return err
	}
	return nil
}

// told is the error of a transfer that nobody waited for; it is reported once.
func (s *Link) told() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.failed
	s.failed = nil
	return err
}

// End is to be called when pinned memory is no longer touched, after Begin.
func (s *Link) End() { s.life.RUnlock() }

// Failed is the error of a transfer that is over and that nobody waited for; it is reported once.
func (s *Link) Failed() error {
	if !s.enter() {
		return nil
	}
	defer s.End()
	s.mu.Lock()
	for _, c := range s.classes() {
		s.reap(c)
	}
	s.mu.Unlock()
	return s.told()
}

// fail keeps the error of a transfer that nobody waited for, for the next caller that
// asks. s.mu is held.
func (s *Link) fail(err error) {
	if err != nil && s.failed == nil {
		s.failed = fmt.Errorf("platform: a transfer failed: %w", err)
	}
}

// Close releases everything but the memory of relays, which goes with the
// device's other memory. The device's queue is finished.
func (s *Link) Close() error {
	s.mu.Lock()
	s.closed = true
	queues := s.queues()
	s.mu.Unlock()
	var err error
	for _, q := range queues {
		err = errors.Join(err, q.Finish())
	}
	s.life.Lock() // the waiters for transfers have been told their end by now
	defer s.life.Unlock()
	queues = s.queues() // a call that was in progress may have made one since
	for _, c := range s.classes() {
		for _, p := range c.all {
			if p.waiting {
				<-p.done
			}
			err = errors.Join(err, p.event.Close())
		}
		for _, b := range c.slabs {
			err = errors.Join(err, b.close())
		}
		c.slabs, c.all, c.free, c.flight = nil, nil, nil, nil
	}
	for _, r := range s.relays {
		err = errors.Join(err, r.last.Close())
	}
	s.relays = nil
	for _, q := range queues {
		err = errors.Join(err, q.Finish(), q.Close())
	}
	return err
}

// Closed reports whether Close has begun.
func (s *Link) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// queues are those that were made. s.mu is held, or s.life.
func (s *Link) queues() []*cl.Queue {
	return slices.DeleteFunc([]*cl.Queue{s.up, s.down, s.maps}, func(q *cl.Queue) bool { return q == nil })
}
