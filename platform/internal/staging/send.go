package staging

import (
	"context"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/hostcopy"
)

// Send brings src to b at off in its turn and does not wait for that, except for pinned memory that
// others still use. With ahead it does not wait for the device to be done with earlier commands, either.
func (s *Link) Send(ctx context.Context, b *cl.Buffer, off int64, src []byte, ahead bool) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	if err := s.Begin(); err != nil {
		return err
	}
	defer s.End()
	if len(src) <= SmallMost {
		return s.push(ctx, &s.smallUp, s.host.Queue, b, off, src, nil, nil)
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
	return s.push(ctx, &s.largeUp, s.host.Queue, b, off, src, nil, nil)
}

// sendBy sends by way of a relay, which it gives back.
func (s *Link) sendBy(ctx context.Context, r *relay, b *cl.Buffer, off int64, src []byte) error {
	s.mu.Lock()
	err := s.beside(&s.up)
	up := s.up
	s.mu.Unlock()
	if err == nil { // the last command on the relay, if in the device's queue, is flushed
		err = s.host.Queue.Flush()
	}
	if err != nil {
		s.giveBack(r)
		return err
	}
	if err := s.push(ctx, &s.largeUp, up, r.mem.Buffer(), 0, src, r.wait, r.last); err != nil {
		s.sever(r, up)
		return err
	}
	if err := s.host.Queue.CopySignal(r.mem.Buffer(), b, 0, off, int64(len(src)), r.wait, r.last); err != nil {
		s.giveBack(r) // its event is that of the last piece
		return err
	}
	s.giveBack(r)
	return nil
}

// push enqueues the copy of src to b at off in queue q, behind wait, through pieces
// of c. The end of the last is told by last, if there is one.
func (s *Link) push(ctx context.Context, c *pinned, q *cl.Queue, b *cl.Buffer, off int64, src []byte, wait []*cl.Event,
	last *cl.Event) error {
	each := c.pieceOf(len(src))
	var rest int
	var err error
	if len(src) <= each {
		rest, err = s.pushOne(ctx, c, q, b, off, src, wait)
	} else {
		rest, err = s.pushPieces(ctx, c, each, q, b, off, src, wait)
	}
	if rest > 0 && err == nil { // no pinned memory at all
		if rest < len(src) {
			wait = nil
		}
		err = s.pushPlain(ctx, q, b, off+int64(len(src)-rest), src[len(src)-rest:], wait)
	}
	if err != nil || last == nil {
		return err
	}
	if err := q.MarkerSignal(nil, last); err != nil {
		return err
	}
	return q.Flush()
}

// pushOne is push of one piece. It returns how many bytes are left for want of pinned memory.
func (s *Link) pushOne(ctx context.Context, c *pinned, q *cl.Queue, b *cl.Buffer, off int64, src []byte, wait []*cl.Event) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	p, err := s.take(ctx, c)
	if p == nil || err != nil {
		return len(src), err
	}
	copy(p.bytes, src)
	return 0, s.write(c, p, q, b, off, len(src), wait)
}

// write enqueues the copy of the first n bytes of p.
func (s *Link) write(c *pinned, p *piece, q *cl.Queue, b *cl.Buffer, off int64, n int, wait []*cl.Event) error {
	if err := q.WriteSignal(b, off, p.bytes[:n], wait, p.event); err != nil {
		s.give(c, p)
		return err
	}
	s.leave(c, p)
	if q == s.host.Queue && c == &s.smallUp {
		return nil
	}
	return q.Flush() // the link begins now, while the host goes on
}

// pushPieces is pushOne of several: workers copy to as many as are free, while the first goes its way.
func (s *Link) pushPieces(ctx context.Context, c *pinned, each int, q *cl.Queue, b *cl.Buffer, off int64, src []byte,
	wait []*cl.Event) (rest int, err error) {
	workers := hostcopy.New(len(src), each)
	var pieces [hostcopy.Slots]*piece
	told, sent, all := 0, 0, (len(src)+each-1)/each
	part := func(i int) []byte { return src[i*each : min((i+1)*each, len(src))] }
	tell := func(p *piece) {
		pieces[told%hostcopy.Slots] = p
		workers.Tell(told, p.bytes, part(told))
		told++
	}
	defer func() {
		for ; sent < told; sent++ {
			workers.Finish(sent)
			s.give(c, pieces[sent%hostcopy.Slots])
		}
		workers.End()
	}()
	for sent < all {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for told < all && told-sent < hostcopy.Slots {
			s.mu.Lock()
			p, err := s.idle(c)
			s.mu.Unlock()
			if err == nil && p == nil && told == sent {
				if p, err = s.take(ctx, c); p == nil && err == nil {
					return len(src) - sent*each, nil
				}
			}
			if err != nil {
				return 0, err
			}
			if p == nil {
				break
			}
			tell(p)
		}
		workers.Finish(sent)
		p, i := pieces[sent%hostcopy.Slots], sent
		sent++
		if err := s.write(c, p, q, b, off+int64(i*each), len(part(i)), wait); err != nil {
			return 0, err
		}
		wait = nil
	}
	return 0, nil
}

// pushPlain is push from the caller's memory, for which it has to wait.
func (s *Link) pushPlain(ctx context.Context, q *cl.Queue, b *cl.Buffer, off int64, src []byte, wait []*cl.Event) error {
	if q == s.host.Queue && ctx.Done() != nil {
		if err := s.host.Wait(ctx); err != nil {
			return err
		}
	}
	for len(src) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(src), Chunk)
		if err := q.Write(b, off, src[:n], wait); err != nil {
			return err
		}
		src, off = src[n:], off+int64(n)
	}
	return nil
}
