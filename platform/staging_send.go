package platform

import (
	"context"

	"github.com/anycl/anycl/cl"
)

// send brings src to b at off in its turn and does not wait for that, except for
// pinned memory that others still use. With ahead it does not wait for the device
// to be done with what was enqueued before, either.
func (s *staging) send(ctx context.Context, b *cl.Buffer, off int64, src []byte, ahead bool) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()
	if len(src) <= smallMost {
		return s.push(ctx, &s.smallUp, s.o.queue, b, off, src, nil, nil)
	}
	if ahead {
		r, err := s.relay(int64(len(src)))
		if err != nil {
			return err
		}
		if r != nil {
			return s.sendBy(ctx, r, b, off, src)
		}
	}
	return s.push(ctx, &s.largeUp, s.o.queue, b, off, src, nil, nil)
}

// sendBy sends by way of a relay, which it gives back.
func (s *staging) sendBy(ctx context.Context, r *relay, b *cl.Buffer, off int64, src []byte) error {
	s.mu.Lock()
	err := s.beside(&s.up)
	up := s.up
	s.mu.Unlock()
	if err == nil { // what last touched the relay, if in the device's queue, is handed over
		err = s.o.queue.Flush()
	}
	if err != nil {
		s.giveBack(r)
		return err
	}
	if err := s.push(ctx, &s.largeUp, up, r.mem.Buffer(), 0, src, r.wait, r.last); err != nil {
		s.sever(r, up)
		return err
	}
	if err := s.o.queue.CopySignal(r.mem.Buffer(), b, 0, off, int64(len(src)), r.wait, r.last); err != nil {
		s.giveBack(r) // its event is that of the last piece
		return err
	}
	s.giveBack(r)
	return nil
}

// push enqueues the copy of src to b at off in queue q, behind wait, through pieces
// of c. The end of the last is told by last, if there is one.
func (s *staging) push(ctx context.Context, c *pinned, q *cl.Queue, b *cl.Buffer, off int64, src []byte, wait []*cl.Event, last *cl.Event) error {
	for each := c.pieceOf(len(src)); len(src) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := s.take(ctx, c)
		if err != nil {
			return err
		}
		if p == nil { // no pinned memory at all
			if err := s.pushPlain(ctx, q, b, off, src, wait); err != nil {
				return err
			}
			break
		}
		n := min(len(src), each)
		copyInParts(p.bytes[:n], src[:n], stagedPart)
		if err := q.WriteSignal(b, off, p.bytes[:n], wait, p.event); err != nil {
			s.give(c, p)
			return err
		}
		s.leave(c, p)
		src, off, wait = src[n:], off+int64(n), nil
		if q != s.o.queue || c == &s.largeUp { // the link begins now, while the host goes on
			if err := q.Flush(); err != nil {
				return err
			}
		}
	}
	if last == nil {
		return nil
	}
	if err := q.MarkerSignal(nil, last); err != nil {
		return err
	}
	return q.Flush()
}

// pushPlain is push from the caller's memory, for which it has to wait.
func (s *staging) pushPlain(ctx context.Context, q *cl.Queue, b *cl.Buffer, off int64, src []byte, wait []*cl.Event) error {
	if q == s.o.queue && ctx.Done() != nil {
		if err := s.o.Wait(ctx); err != nil {
			return err
		}
	}
	for len(src) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(src), chunk)
		if err := q.Write(b, off, src[:n], wait); err != nil {
			return err
		}
		src, off = src[n:], off+int64(n)
	}
	return nil
}
