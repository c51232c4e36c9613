package platform

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/ram"
)

// Borrows reports whether Borrow may work: the device's memory is the process's own, as far as
// probes could show. Probes do not show that a buffer over foreign memory uses that memory and no
// copy: try it before relying on it.
func (o *Opened) Borrows() bool { return o.shared() && o.caps.Direct }

// Borrow returns a buffer that is the host's memory b itself, for kernels to read and
// write it where it lies. It must not move until the buffer is closed: pin it. Kernels must
// be done before the host looks at it, and nobody may write to it while they are at work.
//
// Errors: of devices that do not work on the host's memory, and for no bytes.
func (o *Opened) Borrow(b []byte) (*cl.Buffer, error) {
	if !o.Borrows() {
		return nil, errors.New("platform: the device does not work on the host's memory")
	}
	buf, err := o.context.NewBuffer(cl.MemReadWrite|cl.MemUseHostPtr, int64(len(b)), unsafe.Pointer(unsafe.SliceData(b)))
	if err != nil {
		return nil, fmt.Errorf("platform: %s: borrow %d bytes: %w", o.device.ID, len(b), err)
	}
	return buf, nil
}

// preferHugePages asks for large pages behind b, which nothing has touched yet.
// The advice may fail: memory is as good without.
func (o *Opened) preferHugePages(b *block) {
	if !o.shared() || o.caps == nil || !o.caps.Direct || b.size < ram.LargeFrom {
		return
	}
	mem, err := o.see(b)
	if err != nil {
		o.warn("map", err)
		return
	}
	defer b.direct.mu.RUnlock()
	o.largePages(mem)
}

// largePages asks for them in mem.
func (o *Opened) largePages(mem []byte) {
	if err := ram.PreferLargePages(mem); err != nil {
		o.opts.Logger.Debug("platform: no large pages", "device", o.device.ID, "bytes", len(mem), "err", err)
	}
}
