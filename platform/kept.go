package platform

import (
	"encoding/json"

	"github.com/anycl/anycl/platform/internal/diskcache"
)

// learnedVersion is part of the key of what is learned on disk. Raise it whenever what
// predictions rest on changes.
const learnedVersion = 7

// Learned fills v with what KeepLearned kept for this device and driver. It reports false
// where there is nothing that v takes.
func (o *Opened) Learned(v json.Unmarshaler) bool {
	return o.device.load(o.opts.CacheDir, diskcache.Learned, learnedVersion, v)
}

// KeepLearned keeps v for this device and driver. That it cannot be kept is no error: the
// logger is told.
func (o *Opened) KeepLearned(v json.Marshaler) {
	if o.Keeps() {
		o.warn("what was learned is not kept", o.device.save(o.opts.CacheDir, diskcache.Learned, learnedVersion, v))
	}
}
