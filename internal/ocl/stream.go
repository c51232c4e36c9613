package ocl

import (
	"context"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/platform"
)

var _ engine.Streamer = (*Engine)(nil)

// allocated is the device's memory of m.
func (e *Engine) allocated(m engine.Memory) (*platform.Memory, error) {
	o, err := e.own(m)
	if err != nil {
		return nil, err
	}
	return o.allocated()
}

// Send is Write that does not wait for its turn.
func (e *Engine) Send(ctx context.Context, dst engine.Memory, offset int64, src []byte) error {
	pm, err := e.allocated(dst)
	if err != nil {
		return err
	}
	return e.waited(e.dev.Send(ctx, pm, offset, src))
}

// Fetch asks for pieces of memory and does not wait.
func (e *Engine) Fetch(pieces []engine.Piece, again engine.Ticket) (engine.Ticket, error) {
	if e.isClosed() {
		return nil, engine.ErrClosed
	}
	t, ok := again.(*ticket)
	if !ok || t.eng != e {
		t = &ticket{eng: e}
	}
	t.pieces = t.pieces[:0]
	for _, p := range pieces {
		pm, err := e.allocated(p.Mem)
		if err != nil {
			return nil, err
		}
		t.pieces = append(t.pieces, platform.Piece{Mem: pm, Offset: p.Offset, Bytes: p.Bytes})
	}
	f, err := e.dev.Fetch(t.pieces, t.fetched)
	if err != nil {
		return nil, e.waited(err)
	}
	t.fetched = f
	return t, nil
}

// ticket is an engine.Ticket.
type ticket struct {
	eng     *Engine
	pieces  []platform.Piece
	fetched *platform.Fetched
}

func (t *ticket) Wait(ctx context.Context, dst [][]byte) error {
	return t.eng.waited(t.fetched.Wait(ctx, dst))
}

func (t *ticket) Close() error { return t.eng.waited(t.fetched.Close()) }
