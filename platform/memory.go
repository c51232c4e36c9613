package platform

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/pool"
)

// block is device memory of a size class, in use by one Memory or idle in the pool.
type block struct {
	buffer *cl.Buffer
	size   int64

	direct directView
}

// Close releases the device memory.
func (b *block) Close() error {
	b.direct.close()
	return b.buffer.Close()
}

// Memory is device memory. It is safe for concurrent use; the caller orders the commands that
// access its bytes.
type Memory struct {
	owner   *Opened
	block   atomic.Pointer[block] // nil after Close
	bytes   int64
	cleanup runtime.Cleanup
}

// Buffer returns the OpenCL buffer, which may be larger than Bytes; nil after
// Close. Keep the Memory as long as the buffer is in use.
func (m *Memory) Buffer() *cl.Buffer {
	if b := m.block.Load(); b != nil {
		return b.buffer
	}
	return nil
}

// Bytes returns the size that was asked for.
func (m *Memory) Bytes() int64 { return m.bytes }

// Close gives the memory back to the pool. Commands of the opened device's queue
// that still use it are safe, because the next owner of the memory enqueues
// behind them; commands of other queues must be done. Calling it again does nothing.
func (m *Memory) Close() error {
	if m == nil {
		return nil
	}
	b := m.block.Swap(nil)
	if b == nil {
		return nil
	}
	m.cleanup.Stop()
	return m.owner.takeBack(b)
}

// Alloc returns n bytes of device memory, aligned as the device aligns its buffers
// (Device.BaseAlign, 128 bytes or more on all known drivers) and not initialised;
// 0 is allowed. On devices that share the host's memory the storage
// is such that Read and Write map it instead of moving it twice.
//
// Memory comes from the pool where a block of the size class is idle. When the device is full, the
// pool gives back its blocks and the driver is asked again.
//
// Errors: *OutOfMemory, at once for more than MaxAlloc or than the device has;
// ErrClosed; cl.InvalidBufferSize for negative n.
func (o *Opened) Alloc(n int64) (*Memory, error) {
	if n < 0 {
		return nil, fmt.Errorf("platform: alloc of %d bytes: %w", n, cl.InvalidBufferSize)
	}
	limit := o.device.MaxAlloc
	if limit > 0 && n > limit {
		return nil, o.outOfMemory(n, nil)
	}
	size := pool.Size(n, limit)
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil, ErrClosed
	}
	b, ok := o.pool.Get(size)
	full := false
	if ok {
		o.stats.PoolHits++
	} else {
		o.stats.PoolMisses++
		_, held := o.pool.Held()
		full = o.liveBytes+held+size > o.device.GlobalMem
	}
	if !ok && full && o.liveBytes+size > o.device.GlobalMem {
		// Some drivers (PoCL) promise more than there is and die when it is used.
		o.mu.Unlock()
		return nil, o.outOfMemory(n, nil)
	}
	// Count the memory before the driver is asked, so that two callers cannot
	// both take the last of it.
	o.liveBytes += size
	o.mu.Unlock()
	if !ok {
		var err error
		if b, err = o.create(size, full); err != nil {
			o.mu.Lock()
			o.liveBytes -= size
			o.mu.Unlock()
			if outOfMemory(err) {
				return nil, o.outOfMemory(n, err)
			}
			return nil, err
		}
	}
	m := &Memory{owner: o, bytes: n}
	m.block.Store(b)
	o.mu.Lock()
	if o.closed {
		o.liveBytes -= size
		o.mu.Unlock()
		return nil, errors.Join(ErrClosed, b.Close())
	}
	o.live[b] = struct{}{}
	o.mu.Unlock()
	m.cleanup = runtime.AddCleanup(m, o.lost, b)
	return m, nil
}

// create asks the driver for a block, after emptying the pool if the device is
// full, and once more after emptying it if the driver says so.
func (o *Opened) create(size int64, full bool) (*block, error) {
	if full {
		o.release()
	}
	b, err := o.newBlock(size)
	if err != nil && outOfMemory(err) {
		o.opts.Logger.Debug("platform: out of memory, releasing the pool", "device", o.device.ID, "asked", size)
		o.release()
		b, err = o.newBlock(size)
	}
	return b, err
}

// release empties the pool and waits until the device has really let go: a buffer
// lives on while commands in flight use it.
func (o *Opened) release() {
	o.warn("release", o.trimRelays())
	o.mu.Lock()
	idle := o.pool.Drain()
	o.mu.Unlock()
	for _, b := range idle {
		o.warn("release", b.Close())
	}
	o.warn("finish", o.queue.Finish())
}

// touchFrom is the size from which on a new block is brought onto the device at
// once. Drivers with lazy allocation would otherwise report that memory is short
// at the first launch, where nobody can do anything about it.
const touchFrom = 16 << 20

// shared reports whether the device works on the host's memory.
func (o *Opened) shared() bool { return o.device.Unified && o.staging == nil }

func (o *Opened) newBlock(size int64) (*block, error) {
	flags := cl.MemReadWrite
	if o.shared() {
		flags |= cl.MemAllocHostPtr
	}
	buf, err := o.context.NewBuffer(flags, size, nil)
	if err != nil {
		return nil, err
	}
	if !o.shared() && size >= touchFrom {
		if err := o.queue.Migrate([]*cl.Buffer{buf}, cl.MigrateContentUndefined, nil); err != nil && outOfMemory(err) {
			return nil, errors.Join(err, buf.Close())
		}
	}
	b := &block{buffer: buf, size: size}
	o.preferHugePages(b)
	return b, nil
}

// takeBack puts a block into the pool.
func (o *Opened) takeBack(b *block) error {
	o.mu.Lock()
	if _, live := o.live[b]; !live {
		o.mu.Unlock()
		return nil // Opened.Close was faster
	}
	delete(o.live, b)
	o.liveBytes -= b.size
	evicted := o.pool.Put(b.size, b)
	o.mu.Unlock()
	var err error
	for _, e := range evicted {
		err = errors.Join(err, e.Close())
	}
	return err
}

// lost forgets the block of a Memory that was collected without Close. It does
// not go to the pool: a kernel's argument may still hold the buffer. Package cl
// releases it when nobody does, or Close if that comes first.
func (o *Opened) lost(b *block) {
	o.mu.Lock()
	_, live := o.live[b]
	if live {
		delete(o.live, b)
		o.liveBytes -= b.size
		o.orphans = append(slices.DeleteFunc(o.orphans, cl.Remnant.Closed), b.buffer.Remnant())
	}
	o.mu.Unlock()
	if live {
		o.opts.Logger.Warn("platform: memory collected without Close", "device", o.device.ID, "bytes", b.size)
	}
}

func (o *Opened) outOfMemory(n int64, err error) error {
	o.mu.Lock()
	held := o.liveBytes
	o.mu.Unlock()
	return &OutOfMemory{
		Device: o.device.String(), Asked: n, Held: held, Free: max(0, o.device.GlobalMem-held),
		Limit: o.device.MaxAlloc, Err: err,
	}
}
