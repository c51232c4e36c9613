package platform

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
// The first step is the host's, piece after piece, while the second, in a queue
// of its own, moves the piece before. The third is a copy within the device in its
// turn among the kernels, which costs a hundredth of the link's time. What a run
// reads or writes is thus free for the next one as soon as the run is over, not
// when the link is done. Results come back the same way, in a third queue, as links
// work in both directions at once. Small transfers save the detour: they go from a
// pinned piece straight to their place, in their turn.
//
// Pinned memory is what CL_MEM_ALLOC_HOST_PTR gives, mapped once and for good.
// Sources: NVIDIA OpenCL Best Practices Guide, 3.1.1 (pinned memory and
// asynchronous transfers); AMD APP SDK OpenCL Optimization Guide, 1.3 and 1.4
// (pre-pinned buffers, several queues).

const (
	// smallMost is up to which size a transfer goes straight: at 25 GB/s the link
	// needs less for it than three more commands do.
	smallMost = 64 << 10
	// pieceBytes is what one command moves: long enough that what is between two
	// commands does not count (80 to 160 us), short enough to begin soon.
	pieceBytes = 4 << 20
	// pieceMost bounds the pinned memory of each direction, at 32 MiB.
	pieceMost = 8
	// smallPieces is how many small pieces are allocated together, and
	// smallPieceMost how many may be on their way to the device.
	smallPieces, smallPieceMost = 16, 128
	// relayMost bounds the device memory of relays, at an eighth of the device's
	// memory too.
	relayMost = 1 << 30
)

// staging is the way of bytes to and from a device with memory of its own.
type staging struct {
	o    *Opened
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

func newStaging(o *Opened) *staging {
	s := &staging{o: o, most: min(relayMost, o.device.GlobalMem/8), turn: make(chan struct{}, 1)}
	s.smallUp = pinned{size: smallMost, together: smallPieces, most: smallPieceMost}
	s.smallDown = pinned{size: smallMost, together: smallPieces} // as many as are asked for
	s.largeUp = pinned{size: pieceBytes, together: 1, most: pieceMost}
	s.largeDown = s.largeUp
	return s
}

// pinned is host memory of one size for one direction.
type pinned struct {
	size, together int
	most           int // pieces; 0: no bound
	slabs          []slab
	all, free      []*piece
	flight         []*piece // in use by commands; the oldest first
}

// slab is an allocation of pinned memory.
type slab struct {
	buffer  *cl.Buffer
	mapping *cl.Mapping
}

// piece is pinned memory that one command at a time reads or writes.
type piece struct {
	bytes   []byte
	event   *cl.Event // of the last command
	serve   func()    // waits for the event, as a value made once
	done    chan error
	waiting bool // somebody gave up waiting: serve still runs, or done holds its answer
}

// await returns when the piece's command is done, or ctx is.
func (p *piece) await(ctx context.Context) error {
	if !p.waiting {
		if ctx.Done() == nil {
			return p.event.Wait()
		}
		if st, err := p.event.Status(); err != nil || st <= cl.EventComplete {
			return errors.Join(err, outcome(st))
		}
		p.waiting = true
		go p.serve()
	}
	select {
	case err := <-p.done:
		p.waiting = false
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// over reports whether the piece's command is done, and how it ended.
func (p *piece) over() (bool, error) {
	if p.waiting {
		select {
		case err := <-p.done:
			p.waiting = false
			return true, err
		default:
			return false, nil
		}
	}
	st, err := p.event.Status()
	return err != nil || st <= cl.EventComplete, errors.Join(err, outcome(st))
}

// outcome is the error of a command that failed.
func outcome(st cl.EventStatus) error {
	if st < cl.EventComplete {
		return cl.Status(st)
	}
	return nil
}

// lock makes the caller the one that sends.
func (s *staging) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *staging) unlock() { <-s.turn }

// beside makes a queue beside the device's own, once. s.mu is held.
func (s *staging) beside(q **cl.Queue) error {
	if *q != nil {
		return nil
	}
	made, err := s.o.context.NewQueue(s.o.device.cl, cl.QueueOptions{})
	if err != nil {
		return fmt.Errorf("platform: %s: queue for transfers: %w", s.o.device.ID, err)
	}
	*q = made
	return nil
}

// enter is to be called before pinned memory is touched, and end after, unless it
// says that everything is closed.
func (s *staging) enter() bool {
	s.life.RLock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.life.RUnlock()
	}
	return !s.closed
}

// begin is enter for who is to be told of transfers that failed.
func (s *staging) begin() error {
	if !s.enter() {
		return ErrClosed
	}
	if err := s.told(); err != nil {
		s.end()
		return err
	}
	return nil
}

// told is the error of a transfer that nobody waited for; it is told once.
func (s *staging) told() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.failed
	s.failed = nil
	return err
}

func (s *staging) end() { s.life.RUnlock() }

// idle takes a piece that no command uses; nil where there is none, or no memory
// for one. s.mu is held.
func (s *staging) idle(c *pinned) (*piece, error) {
	for len(c.flight) > 0 {
		p := c.flight[0]
		done, err := p.over()
		if !done {
			break
		}
		s.fail(err)
		c.flight = slices.Delete(c.flight, 0, 1)
		c.free = append(c.free, p)
	}
	if len(c.free) == 0 && (c.most == 0 || len(c.all) < c.most) {
		if err := s.grow(c); err != nil && !outOfMemory(err) {
			return nil, err
		}
	}
	n := len(c.free)
	if n == 0 {
		return nil, nil
	}
	p := c.free[n-1]
	c.free = c.free[:n-1]
	return p, nil
}

// take is idle that waits; nil where there is no pinned memory at all.
func (s *staging) take(ctx context.Context, c *pinned) (*piece, error) {
	s.mu.Lock()
	p, err := s.idle(c)
	if p != nil || err != nil || len(c.flight) == 0 {
		s.mu.Unlock()
		return p, err
	}
	p = c.flight[0]
	c.flight = slices.Delete(c.flight, 0, 1)
	s.mu.Unlock()
	if err = s.o.queue.Flush(); err == nil { // a wait for what nobody hands over would not end
		err = p.await(ctx)
	}
	if err == nil {
		return p, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.waiting {
		c.flight = slices.Insert(c.flight, 0, p)
	} else {
		c.free = append(c.free, p)
	}
	return nil, err
}

// leave keeps pieces that nobody waits for until their commands are done.
func (s *staging) leave(c *pinned, pieces ...*piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.flight = append(c.flight, pieces...)
}

// give takes back a piece that no command uses.
func (s *staging) give(c *pinned, p *piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.free = append(c.free, p)
}

// fail keeps the error of a transfer that nobody waited for, for the next who
// asks. s.mu is held.
func (s *staging) fail(err error) {
	if err != nil && s.failed == nil {
		s.failed = fmt.Errorf("platform: a transfer failed: %w", err)
	}
}

// grow allocates pieces.
func (s *staging) grow(c *pinned) (err error) {
	n := int64(c.size) * int64(c.together)
	var made slab
	var events []*cl.Event
	defer func() {
		if err != nil {
			err = errors.Join(err, made.close())
			for _, e := range events {
				err = errors.Join(err, e.Close())
			}
		}
	}()
	if err := s.beside(&s.maps); err != nil {
		return err
	}
	if made.buffer, err = s.o.context.NewBuffer(cl.MemReadWrite|cl.MemAllocHostPtr, n, nil); err != nil {
		return err
	}
	if made.mapping, err = s.maps.Map(made.buffer, cl.MapRead|cl.MapWrite, 0, n, nil); err != nil {
		return err
	}
	bytes := made.mapping.Bytes()
	for range c.together {
		e, err := s.o.context.NewSignal()
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	for i, e := range events {
		p := &piece{bytes: bytes[i*c.size:][:c.size:c.size], event: e, done: make(chan error, 1)}
		p.serve = func() { p.done <- p.event.Wait() }
		c.all, c.free = append(c.all, p), append(c.free, p)
	}
	c.slabs = append(c.slabs, made)
	return nil
}

func (s slab) close() error { return errors.Join(s.mapping.Close(), s.buffer.Close()) }

// close releases everything but the memory of relays, which goes with the
// device's other memory. The device's queue is finished.
func (s *staging) close() error {
	s.mu.Lock()
	s.closed = true
	queues := []*cl.Queue{s.up, s.down, s.maps}
	s.mu.Unlock()
	var err error
	for _, q := range queues {
		if q != nil {
			err = errors.Join(err, q.Finish())
		}
	}
	s.life.Lock() // whoever waits for a transfer has heard of its end by now
	defer s.life.Unlock()
	for _, c := range []*pinned{&s.smallUp, &s.largeUp, &s.smallDown, &s.largeDown} {
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
		if q != nil {
			err = errors.Join(err, q.Finish(), q.Close())
		}
	}
	return err
}
