package staging

import (
	"context"
	"slices"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/hostcopy"
)

// Pull is a piece of device memory on its way to the host.
type Pull struct {
	s          *Link
	c          *pinned
	q          *cl.Queue
	from       *cl.Buffer
	off, bytes int64
	wait       []*cl.Event // the events that the first command waits for
	relay      *relay      // nil: read where it lies
	asked, got int64
	pieces     []*piece          // asked for and not got, in order
	workers    *hostcopy.Workers // in drain
	told       int               // pieces that it has, the first of pieces
	first      int               // the number of the first of pieces
	failed     error
}

// pullDepth is how many pieces of one Pull are asked for at once: on the link, being copied, and to spare.
const pullDepth = 8

// piece is the number of bytes that one command moves.
func (p *Pull) piece() int64 { return int64(p.c.pieceOf(int(p.bytes))) }

// ask enqueues reading, as far as there is pinned memory.
func (p *Pull) ask() error {
	before := p.asked
	for p.asked < p.bytes && len(p.pieces) < pullDepth {
		p.s.mu.Lock()
		m, err := p.s.idle(p.c)
		p.s.mu.Unlock()
		if err != nil || m == nil {
			return err
		}
		n := min(p.bytes-p.asked, p.piece())
		if err := p.q.ReadSignal(p.from, p.off+p.asked, m.bytes[:n], p.wait, m.event); err != nil {
			p.s.give(p.c, m)
			return err
		}
		p.pieces = append(p.pieces, m)
		p.asked, p.wait = p.asked+n, nil
	}
	if p.asked == before {
		return nil
	}
	return p.q.Flush()
}

// Drain copies everything to dst. When ctx ends first, it can be called again, with
// the same dst.
func (p *Pull) Drain(ctx context.Context, dst []byte) error {
	if p.got < p.bytes && p.failed == nil && p.bytes > p.piece() {
		p.workers, p.told, p.first = hostcopy.New(int(p.bytes), int(p.piece())), 0, 0
		defer func() {
			for p.told > 0 { // the workers that copy hold dst
				p.take()
			}
			p.workers.End()
			p.workers = nil
		}()
	}
	for p.got < p.bytes && p.failed == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.next(ctx, dst); err != nil && err != ctx.Err() {
			p.failed = err
		} else if err != nil {
			return err
		}
	}
	return p.failed
}

// next gets on by a piece, from the link or to where it belongs in dst.
func (p *Pull) next(ctx context.Context, dst []byte) error {
	if err := p.ask(); err != nil {
		return err
	}
	if len(p.pieces) == 0 { // others hold the pinned memory
		return p.plain(ctx, dst[p.got:][:min(p.bytes-p.got, Chunk)])
	}
	if p.told > 0 && (p.workers.Copied(p.first) || p.told == len(p.pieces)) {
		p.take()
		return nil
	}
	m := p.pieces[p.told]
	if p.told > 0 { // pieces that have arrived are copied meanwhile
		for {
			if done, err := m.over(p.s.host.Queue); err != nil {
				return err
			} else if done {
				break
			}
			if !p.workers.One() {
				if err := m.await(ctx); err != nil {
					return err
				}
				break
			}
		}
	} else if err := m.await(ctx); err != nil {
		return err
	}
	from := p.got + int64(p.told)*p.piece()
	n := min(p.bytes-from, p.piece())
	if p.workers == nil {
		copy(dst[from:][:n], m.bytes[:n])
		p.got += n
		p.pieces = slices.Delete(p.pieces, 0, 1)
		p.s.give(p.c, m)
		return nil
	}
	p.workers.Tell(p.first+p.told, dst[from:][:n], m.bytes[:n])
	p.told++
	return nil
}

// take waits for the first of pieces and takes it off the list.
func (p *Pull) take() {
	p.workers.Finish(p.first)
	m := p.pieces[0]
	p.pieces = slices.Delete(p.pieces, 0, 1)
	p.got += min(p.bytes-p.got, p.piece())
	p.told--
	p.first++
	p.s.give(p.c, m)
}

// plain reads into the caller's memory, for which it has to wait.
func (p *Pull) plain(ctx context.Context, dst []byte) error {
	if p.q == p.s.host.Queue && ctx.Done() != nil {
		if err := p.s.host.Wait(ctx); err != nil {
			return err
		}
	}
	if err := p.q.Read(p.from, p.off+p.got, dst, p.wait); err != nil {
		return err
	}
	p.got += int64(len(dst))
	p.asked, p.wait = p.got, nil
	return nil
}

// Close gives back the Pull's memory. It does not wait.
func (p *Pull) Close() {
	if p.s == nil {
		return
	}
	if p.s.enter() {
		p.s.leave(p.c, p.pieces...)
		switch {
		case p.relay == nil:
		case p.asked == 0 || p.got == p.bytes: // nothing reads it that its event does not tell of
			p.s.giveBack(p.relay)
		default:
			p.s.sever(p.relay, p.q)
		}
		p.s.End()
	}
	clear(p.pieces)
	*p = Pull{pieces: p.pieces[:0]}
}

// Fetch begins a pull of n bytes of b at off as they are in their turn. It reports
// whether it could: where memory is short it could not.
func (s *Link) Fetch(p *Pull, b *cl.Buffer, off, n int64) (bool, error) {
	*p = Pull{s: s, c: &s.smallDown, q: s.host.Queue, from: b, off: off, bytes: n, pieces: p.pieces[:0]}
	if n <= SmallMost {
		err := p.ask()
		return p.asked == n, err
	}
	s.mu.Lock()
	err := s.beside(&s.down)
	s.mu.Unlock()
	if err != nil {
		return false, err
	}
	r, err := s.relay(n)
	if r == nil || err != nil {
		return false, err
	}
	if err := s.host.Queue.CopySignal(b, r.mem.Buffer(), off, 0, n, r.wait, r.last); err != nil {
		s.giveBack(r)
		return false, err
	}
	p.c, p.q, p.from, p.off, p.wait, p.relay = &s.largeDown, s.down, r.mem.Buffer(), 0, r.wait, r
	if err := s.host.Queue.Flush(); err != nil {
		return false, err
	}
	return true, p.ask()
}

// Read copies from b at off to dst, after everything enqueued before.
func (s *Link) Read(ctx context.Context, b *cl.Buffer, off int64, dst []byte) error {
	if err := s.Begin(); err != nil {
		return err
	}
	defer s.End()
	p := pulls.Get().(*Pull)
	defer pulls.Put(p)
	*p = Pull{s: s, c: &s.largeDown, q: s.host.Queue, from: b, off: off, bytes: int64(len(dst)), pieces: p.pieces[:0]}
	if len(dst) <= SmallMost {
		err := p.plain(ctx, dst)
		*p = Pull{pieces: p.pieces}
		return err
	}
	err := p.Drain(ctx, dst)
	p.Close()
	return err
}

// pulls are kept so that reading allocates nothing.
var pulls = sync.Pool{New: func() any { return &Pull{} }}

// UnderWay reports whether p was begun and not closed.
func (p *Pull) UnderWay() bool { return p.s != nil }
