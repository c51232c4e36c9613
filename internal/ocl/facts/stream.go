package facts

import "github.com/anycl/anycl/engine"

// LineBytes is LINE of lib/prelude.cl.
const LineBytes = 64

// Streamed reports whether outputs of the given number of bytes are stored past the caches:
// where no cache holds them all. In place it is no gain: the lines were read.
func (d *Device) Streamed(t *engine.Task, bytes int64) bool {
	return Outgrows(t, bytes, d.Cache)
}

// Outgrows is streamed for a cache of the given number of bytes, 0: unknown.
func Outgrows(t *engine.Task, bytes, cache int64) bool {
	all := bytes
	for _, in := range t.Ins {
		all += in.Bytes()
	}
	return cache > 0 && bytes > cache/2 && all > cache && t.Alias == nil
}
