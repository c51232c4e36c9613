package platform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/hostcopy"
	"github.com/anycl/anycl/platform/internal/pool"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/staging"
)

// On a CPU driver the device's memory is the process's own: an OpenCL transfer is a copy that
// another thread does, after being woken. Where a probe shows that buffers stay where the host once
// saw them, and that both sides see each other's bytes there, transfers are plain copies. That
// spares two of the three times that a small run would wait for a thread to wake up, and a wake-up
// costs more than a small kernel.

// transferDirect copies when nothing that was enqueued can still touch m.
func (o *Opened) transferDirect(ctx context.Context, m *Memory, off int64, host []byte, write bool) error {
	if !o.queue.Idle() {
		if err := o.Wait(ctx); err != nil {
			return err
		}
	}
	defer runtime.KeepAlive(m) // else its cleanup may release the bytes meanwhile
	b := m.block.Load()
	if b == nil {
		return ErrClosed
	}
	mem, err := o.see(b)
	if err != nil {
		return err
	}
	defer b.direct.mu.RUnlock()
	mem = mem[off:][:len(host)]
	for len(host) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(host), staging.Chunk)
		if write {
			hostcopy.Copy(mem[:n], host[:n])
		} else {
			hostcopy.Copy(host[:n], mem[:n])
		}
		host, mem = host[n:], mem[n:]
	}
	return nil
}

// directView is a block as the host sees it.
type directView struct {
	mu     sync.RWMutex // read while the bytes are being touched
	bytes  []byte       // C memory; nil until first asked for
	closed bool
}

// close waits for the callers that touch the bytes.
func (v *directView) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.bytes, v.closed = nil, true
}

// viewer is a queue in which blocks are mapped to learn where they are, for one goroutine at a time.
type viewer struct {
	mu     sync.Mutex
	q      *cl.Queue // on the inline device
	closed bool      // with the device: no queue is made any more
}

// see is b.see by way of the inline device, where there is one: the device would wake a thread three times for each block, and a
// network has hundreds of constants.
func (o *Opened) see(b *block) ([]byte, error) {
	v := &b.direct
	v.mu.RLock()
	if v.bytes != nil {
		return v.bytes, nil
	}
	v.mu.RUnlock()
	c := o.InlineDevice()
	if c == nil {
		return b.see(o.queue)
	}
	o.viewer.mu.Lock()
	defer o.viewer.mu.Unlock()
	if o.viewer.closed {
		return nil, ErrClosed
	}
	if o.viewer.q == nil {
		q, err := c.NewQueue(cl.QueueOptions{})
		if err != nil {
			return nil, err
		}
		o.viewer.q = q
	}
	return b.see(o.viewer.q)
}

// close closes the queue, if it was needed.
func (v *viewer) close() (err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	if v.q != nil {
		err = errors.Join(v.q.Finish(), v.q.Close())
		v.q = nil
	}
	return err
}

// see returns the block's bytes, which it asks the driver for once, and leaves
// them locked for reading.
func (b *block) see(q *cl.Queue) ([]byte, error) {
	v := &b.direct
	for {
		v.mu.RLock()
		if v.bytes != nil {
			return v.bytes, nil
		}
		v.mu.RUnlock()
		if err := b.look(q); err != nil {
			return nil, err
		}
	}
}

func (b *block) look(q *cl.Queue) error {
	v := &b.direct
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return ErrClosed
	}
	if v.bytes != nil {
		return nil
	}
	p, err := b.mapped(q, 0)
	if err == nil {
		v.bytes = unsafe.Slice(p, b.size)
	}
	return err
}

// mapped maps the block from byte off on, only to learn where it is.
func (b *block) mapped(q *cl.Queue, off int64) (*byte, error) {
	m, err := q.Map(b.buffer, cl.MapRead, off, b.size-off, nil)
	if err != nil {
		return nil, err
	}
	p := unsafe.SliceData(m.Bytes())
	return p, errors.Join(m.Close(), q.Finish())
}

// tryDirect asks only devices that are the host's own processor.
func (p *prober) tryDirect() {
	if d := p.o.device; d.Class != CPU || !d.info.HostUnifiedMemory {
		return
	}
	err := errors.New("not tried: quirk no-direct")
	if !p.o.device.has(quirk.NoDirect) {
		err = p.direct()
	}
	p.caps.Direct = err == nil
	p.record("direct", true, err)
}

// direct lets the host and a kernel write in turn, and checks that the other side sees the writes,
// in blocks small and large.
func (p *prober) direct() (err error) {
	k, err := p.copier()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	for _, size := range []int64{p.rateBytes(), mappingProbe} {
		if err := p.directAt(k, max(size, p.rateBytes())); err != nil {
			return err
		}
	}
	return nil
}

func (p *prober) directAt(k copier, size int64) (err error) {
	o := p.o
	var blocks [2]*block
	var seen [2][]byte
	for i := range blocks {
		b, err := o.newBlock(size)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		if seen[i], err = b.see(o.queue); err != nil {
			return err
		}
		b.direct.mu.RUnlock()
		o.largePages(seen[i])
		inside, err := b.mapped(o.queue, pool.MinBlock)
		if err != nil {
			return err
		}
		if inside != &seen[i][pool.MinBlock] {
			return errors.New("a part is mapped elsewhere than the whole")
		}
		blocks[i] = b
	}
	if err := k.set(p.queue, o.device, blocks[0].buffer, blocks[1].buffer); err != nil {
		return err
	}
	items, group := o.device.rateItems()
	moved := int64(items) * int64(o.device.ratedVector()) * 4
	back := make([]byte, size)
	o.largePages(back)
	for round := range 4 {
		mark(seen[0], func(i int) byte { return byte(i*37 + round*11 + 1) })
		if err := errors.Join(p.queue.Launch(k.Kernel, cl.Range1(items, group), nil), p.queue.Finish()); err != nil {
			return err
		}
		if !bytes.Equal(seen[0][:moved], seen[1][:moved]) {
			return fmt.Errorf("round %d: a kernel and the host see different bytes", round)
		}
		if err := o.queue.Read(blocks[0].buffer, 0, back, nil); err != nil {
			return err
		}
		if !bytes.Equal(seen[0], back) {
			return fmt.Errorf("round %d: a command and the host see different bytes", round)
		}
		same := []byte{byte(round + 1)}
		if err := errors.Join(o.queue.Fill(blocks[0].buffer, same, 0, size, nil), o.queue.Finish()); err != nil {
			return err
		}
		if bytes.Count(seen[0], same) != len(seen[0]) {
			return fmt.Errorf("round %d: the host does not see what a command wrote", round)
		}
	}
	return nil
}
