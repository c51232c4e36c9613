package platform

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/hostcopy"
	"github.com/anycl/anycl/platform/internal/inflight"
	"github.com/anycl/anycl/platform/internal/staging"
)

// Send copies src to m from byte off on, in its turn, and does not wait for that;
// src may be changed on return. A failure of the transfer is reported by the next Send,
// Fetch or Wait. When too much is in flight, Send waits as Write does.
func (o *Opened) Send(ctx context.Context, m *Memory, off int64, src []byte) error {
	b, err := o.check("send", m, off, int64(len(src)))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || len(src) == 0 {
		return err
	}
	if o.staging != nil {
		return o.staging.Send(ctx, b, off, src, true)
	}
	if o.caps.Direct && o.queue.Idle() {
		return o.Write(ctx, m, off, src)
	}
	host, err := o.inflight.Take(len(src), false)
	if err != nil {
		return err
	}
	if host == nil {
		return o.Write(ctx, m, off, src)
	}
	hostcopy.Copy(host, src)
	e, err := o.queue.WriteEvent(b, off, host, nil)
	if err != nil {
		o.inflight.Give(host)
		return err
	}
	o.inflight.Leave(inflight.Transfer{Event: e, Host: host})
	return nil
}

// Piece is a part of a memory.
type Piece struct {
	Mem    *Memory
	Offset int64
	Bytes  int64
}

// Fetched is a read that Fetch started. It is not safe for concurrent use.
type Fetched struct {
	o      *Opened
	parts  []part
	marker *cl.Event // where there are no bytes to wait for
}

// part is a piece on its way: through staging, or else by a command of its own.
type part struct {
	bytes int64
	pull  staging.Pull
	inflight.Transfer
}

// Fetch enqueues the reading of pieces and does not wait for it. Commands enqueued before start, if they
// have not. Close the result; again is nil or one that was closed, whose memory the new one takes over.
func (o *Opened) Fetch(pieces []Piece, again *Fetched) (f *Fetched, err error) {
	if f = again; f == nil {
		f = &Fetched{}
	}
	f.o, f.parts = o, slices.Grow(f.parts[:0], len(pieces))[:len(pieces)]
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
			f = nil
		}
	}()
	if o.staging != nil {
		if err := o.staging.Begin(); err != nil {
			return f, err
		}
		defer o.staging.End()
	}
	var bytes int64
	for i, p := range pieces {
		b, err := o.check("fetch", p.Mem, p.Offset, p.Bytes)
		if err != nil {
			return f, err
		}
		f.parts[i].bytes = p.Bytes
		if p.Bytes == 0 {
			continue
		}
		bytes += p.Bytes
		if err := f.parts[i].start(o, b, p); err != nil {
			return f, err
		}
	}
	if bytes == 0 {
		if f.marker, err = o.queue.MarkerEvent(nil); err != nil {
			return f, err
		}
	}
	return f, o.queue.Flush()
}

// start enqueues the reading of p, a part of b.
func (t *part) start(o *Opened, b *cl.Buffer, p Piece) error {
	if s := o.staging; s != nil {
		if ok, err := s.Fetch(&t.pull, b, p.Offset, p.Bytes); ok || err != nil {
			return err
		}
		t.pull.Close()
	}
	host, err := o.inflight.Take(int(p.Bytes), true)
	if err != nil {
		return err
	}
	e, err := o.queue.ReadEvent(b, p.Offset, host, nil)
	if err != nil {
		o.inflight.Give(host)
		return err
	}
	t.Transfer = inflight.Transfer{Event: e, Host: host}
	return nil
}

// Wait returns when everything that was enqueued before Fetch is done, and copies
// the pieces to dst. When ctx ends first, a part of dst may have been written, and
// Wait can be called again, with the same dst. It is an error when dst has not one
// place for each piece, with room for it.
func (f *Fetched) Wait(ctx context.Context, dst [][]byte) error {
	if len(dst) != len(f.parts) {
		return fmt.Errorf("platform: %d places for %d fetched pieces: %w", len(dst), len(f.parts), cl.InvalidValue)
	}
	for i, p := range f.parts {
		if int64(len(dst[i])) < p.bytes {
			return fmt.Errorf("platform: place %d has %d bytes for a fetched piece of %d: %w", i, len(dst[i]), p.bytes, cl.InvalidValue)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := f.done(ctx)
	if err == nil {
		err = f.drain(ctx, dst)
	}
	if err != nil {
		for i := range f.parts {
			f.parts[i].Told = ctx.Err() == nil
		}
		if errors.Is(err, cl.ErrClosed) {
			return ErrClosed
		}
		return err
	}
	for i, p := range f.parts {
		if p.Event != nil {
			hostcopy.Copy(dst[i], p.Host)
		}
	}
	return f.o.inflight.Failure()
}

// drain copies the pieces that come through staging.
func (f *Fetched) drain(ctx context.Context, dst [][]byte) error {
	s := f.o.staging
	if s == nil {
		return nil
	}
	if err := s.Begin(); err != nil {
		return err
	}
	defer s.End()
	for i := range f.parts {
		if p := &f.parts[i].pull; p.UnderWay() {
			if err := p.Drain(ctx, dst[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// done waits for the events. A goroutine that blocks in the driver outlives a
// context that ends first.
func (f *Fetched) done(ctx context.Context) error {
	var events []*cl.Event
	for _, p := range f.parts {
		if p.Event != nil {
			events = append(events, p.Event)
		}
	}
	if f.marker != nil {
		events = append(events, f.marker)
	}
	if len(events) == 0 || ctx.Done() == nil {
		return cl.WaitAll(events...)
	}
	over := make(chan error, 1)
	s := &f.o.inflight
	s.Wait(1)
	go func() {
		err := cl.WaitAll(events...)
		s.Wait(-1)
		over <- err
	}()
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close gives the staging memory back, or leaves it to the transfers that still
// use it. Calling it again does nothing.
func (f *Fetched) Close() error {
	for i := range f.parts {
		p := &f.parts[i]
		p.pull.Close()
		if p.Event != nil {
			f.o.inflight.Leave(p.Transfer)
		}
		p.bytes, p.Transfer = 0, inflight.Transfer{}
	}
	marker := f.marker
	f.parts, f.marker = f.parts[:0], nil
	return marker.Close()
}
