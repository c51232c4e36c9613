package facts

import "github.com/anycl/anycl/kernels"

// MaxParts bounds the partial sums of a k that the tuner splits, in bytes.
const MaxParts = 256 << 20

// Limits are the device's limits for a kernel whose accumulators have size bytes and come in
// vectors of the given number of lanes.
func (d *Device) Limits(lanes int, size int64) kernels.Limits {
	return kernels.Limits{WorkGroup: d.WorkGroup, LocalMem: min(d.LocalMem, 48<<10), Lanes: lanes, Size: int(size)}
}
