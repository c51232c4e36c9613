package staging

import (
	"context"
	"errors"
	"slices"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/wait"
)

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
		if st, err := p.event.Status(); err == nil && st <= cl.EventComplete {
			return wait.Outcome(st)
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
func (p *piece) over(q *cl.Queue) (bool, error) {
	if p.waiting {
		select {
		case err := <-p.done:
			p.waiting = false
			return true, err
		default:
			return false, nil
		}
	}
	return wait.Ended(q, p.event)
}

// reap takes back the pieces whose commands are done. s.mu is held.
func (s *Link) reap(c *pinned) {
	n := 0
	for _, p := range c.flight {
		done, err := p.over(s.host.Queue)
		if !done {
			break
		}
		s.fail(err)
		c.free = append(c.free, p)
		n++
	}
	c.flight = slices.Delete(c.flight, 0, n)
}

// idle takes a piece that no command uses; nil where there is none, or no memory
// for one. s.mu is held.
func (s *Link) idle(c *pinned) (*piece, error) {
	s.reap(c)
	if len(c.free) == 0 && (c.most == 0 || len(c.all) < c.most) {
		if err := s.grow(c); err != nil && !s.host.OutOfMemory(err) {
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
func (s *Link) take(ctx context.Context, c *pinned) (*piece, error) {
	s.mu.Lock()
	p, err := s.idle(c)
	if p != nil || err != nil || len(c.flight) == 0 {
		s.mu.Unlock()
		return p, err
	}
	p = c.flight[0]
	c.flight = slices.Delete(c.flight, 0, 1)
	s.mu.Unlock()
	if err = s.host.Queue.Flush(); err == nil { // a wait for commands that are not flushed would not end
		err = p.await(ctx)
	}
	if err == nil {
		return p, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !p.waiting { // told, but only perhaps done
		if done, _ := wait.Ended(s.host.Queue, p.event); done {
			c.free = append(c.free, p)
			return nil, err
		}
	}
	c.flight = slices.Insert(c.flight, 0, p)
	return nil, err
}

// leave keeps pieces that nobody waits for until their commands are done.
func (s *Link) leave(c *pinned, pieces ...*piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.flight = append(c.flight, pieces...)
}

// give takes back a piece that no command uses.
func (s *Link) give(c *pinned, p *piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.free = append(c.free, p)
}

// grow allocates pieces.
func (s *Link) grow(c *pinned) (err error) {
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
	if made.buffer, err = s.host.Context.NewBuffer(cl.MemReadWrite|cl.MemAllocHostPtr, n, nil); err != nil {
		return err
	}
	if made.mapping, err = s.maps.Map(made.buffer, cl.MapRead|cl.MapWrite, 0, n, nil); err != nil {
		return err
	}
	bytes := made.mapping.Bytes()
	for range c.together {
		e, err := s.host.Context.NewSignal()
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
