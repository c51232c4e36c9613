package platform

import "github.com/anycl/anycl/internal/ram"

// preferHugePages asks for large pages behind b, which nothing has touched yet.
// The advice may fail: memory is as good without.
func (o *Opened) preferHugePages(b *block) {
	if !o.shared() || o.caps == nil || !o.caps.Direct || b.size < ram.LargeFrom {
		return
	}
	mem, err := b.see(o.queue)
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
