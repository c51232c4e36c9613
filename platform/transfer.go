package platform

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/hostcopy"
	"github.com/anycl/anycl/platform/internal/staging"
)

// check verifies a range of m for a transfer.
func (o *Opened) check(op string, m *Memory, off, n int64) (*cl.Buffer, error) {
	if m == nil || m.owner != o {
		return nil, fmt.Errorf("platform: %s: memory of another device: %w", op, cl.InvalidMemObject)
	}
	if n < 0 || off < 0 || off > m.bytes-n {
		return nil, fmt.Errorf("platform: %s: %d bytes at %d of a memory of %d: %w", op, n, off, m.bytes, cl.InvalidValue)
	}
	b := m.Buffer()
	if b == nil {
		return nil, ErrClosed
	}
	return b, nil
}

// Write copies src to m from byte off on, after everything enqueued before. src
// may be changed on return. When ctx ends, Write stops waiting and copying; a
// part of the range may have been written.
func (o *Opened) Write(ctx context.Context, m *Memory, off int64, src []byte) error {
	return o.transfer(ctx, "write", m, off, src, true)
}

// Read copies from m at byte off to dst, after everything enqueued before. When
// ctx ends, Read stops waiting and copying; a part of dst may have been written.
func (o *Opened) Read(ctx context.Context, dst []byte, m *Memory, off int64) error {
	return o.transfer(ctx, "read", m, off, dst, false)
}

func (o *Opened) transfer(ctx context.Context, op string, m *Memory, off int64, host []byte, write bool) error {
	b, err := o.check(op, m, off, int64(len(host)))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || len(host) == 0 {
		return err
	}
	switch {
	case o.staging != nil && write:
		return o.staging.Send(ctx, b, off, host, false)
	case o.staging != nil:
		return o.staging.Read(ctx, b, off, host)
	case o.caps.Direct:
		return o.transferDirect(ctx, m, off, host, write)
	}
	// The copy itself cannot be interrupted and waits for all that was enqueued
	// before: wait for that where the context is heard.
	if ctx.Done() != nil {
		if err := o.Wait(ctx); err != nil {
			return err
		}
	}
	for len(host) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(host), staging.Chunk)
		if err := o.move(b, off, host[:n], write); err != nil {
			return err
		}
		host, off = host[n:], off+int64(n)
	}
	return nil
}

const (
	// mapFrom is the size from which on memory is mapped where that was proven
	// to be faster (Caps.Mapping). Below, one command with a copy inside is
	// cheaper than two with a parallel copy between.
	mapFrom = 2 << 20
)

// move copies between the buffer and host memory and waits for it.
func (o *Opened) move(b *cl.Buffer, off int64, host []byte, write bool) error {
	if o.caps.Mapping && len(host) >= mapFrom {
		return o.moveMapped(b, off, host, write)
	}
	if write {
		return o.queue.Write(b, off, host, nil)
	}
	return o.queue.Read(b, off, host, nil)
}

func (o *Opened) moveMapped(b *cl.Buffer, off int64, host []byte, write bool) error {
	flags := cl.MapRead
	if write {
		flags = cl.MapInvalidate
		if !o.device.info.Version.AtLeast(1, 2) {
			flags = cl.MapWrite
		}
	}
	m, err := o.queue.Map(b, flags, off, int64(len(host)), nil)
	if err != nil {
		return err
	}
	if write {
		hostcopy.Copy(m.Bytes(), host)
	} else {
		hostcopy.Copy(host, m.Bytes())
	}
	return m.Close()
}

// fillPart is the most that one fill command covers: at 2 GiB and above some
// drivers fill only a part (see the quirk large-fill).
var fillPart int64 = 1 << 30 // tests fill less

// Fill enqueues the repetition of pattern over n bytes of m at off. The pattern
// has 1, 2, 4, ... or 128 bytes and divides off and n. It does not wait.
func (o *Opened) Fill(m *Memory, pattern []byte, off, n int64) error {
	b, err := o.check("fill", m, off, n)
	if err != nil {
		return err
	}
	for n > 0 {
		part := min(n, fillPart)
		if err := o.queue.Fill(b, pattern, off, part, nil); err != nil {
			return err
		}
		off, n = off+part, n-part
	}
	return nil
}
