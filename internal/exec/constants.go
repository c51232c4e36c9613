package exec

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Constants are the memories of constants on the engines of a machine. A tensor has one on each engine that reads it, for
// all executors and all their instances: nothing writes to it.
type Constants struct {
	mu  sync.Mutex
	all map[constantKey]*sharedMemory
}

type constantKey struct {
	engine engine.Engine
	value  *tensor.Tensor
}

// get is memory of e that holds t: the tensor's own where e computes on the host's memory.
func (c *Constants) get(e engine.Engine, t *tensor.Tensor, bytes int64) (*sharedMemory, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := constantKey{e, t}
	if m := c.all[key]; m != nil {
		m.users++
		return m, nil
	}
	mem, err := constantMemory(e, t, bytes)
	if err != nil {
		return nil, err
	}
	m := &sharedMemory{mem, bytes, 1}
	if c.all == nil {
		c.all = map[constantKey]*sharedMemory{}
	}
	c.all[key] = m
	return m, nil
}

func constantMemory(e engine.Engine, t *tensor.Tensor, bytes int64) (engine.Memory, error) {
	data := contiguous(t)
	if h, ok := e.(engine.HostMemory); ok && bytes > 0 && int64(len(data)) >= bytes &&
		uintptr(unsafe.Pointer(unsafe.SliceData(data)))%tensor.Alignment == 0 {
		if m, ok := h.Wrap(data); ok {
			return m, nil
		}
	}
	mem, err := e.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	if err := e.Write(context.Background(), mem, 0, data); err != nil {
		return nil, errors.Join(err, mem.Close())
	}
	return mem, nil
}

// release gives up memory that get returned.
func (c *Constants) release(m *sharedMemory) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.users--; m.users > 0 {
		return nil
	}
	for key, x := range c.all {
		if x == m {
			delete(c.all, key)
		}
	}
	return m.Memory.Close()
}
