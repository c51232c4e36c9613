package platform

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// lanes is how many multiply-adds of float a compute unit starts in a cycle. The
// drivers do not tell; these are typical of each vendor's devices of the last
// ten years. Calibration replaces the estimate.
func lanes(d *Device) float64 {
	if d.Class != GPU {
		return float64(max(4, d.VectorWidth))
	}
	switch d.Key {
	case vendor.NVIDIA, vendor.Apple:
		return 128
	case vendor.AMD:
		return 64
	case vendor.Intel:
		return 8 // a compute unit is one execution unit of 8 lanes
	}
	return 32
}

// attainable is the share of its peak that a plain kernel reaches, so that
// estimated and measured speeds can stand in one ranking.
const attainable = 0.6

// estimate guesses a device's GFLOPS. A device that hides its clock is taken to
// have 1 GHz.
func estimate(d *Device) float64 {
	clock := float64(d.ClockMHz)
	if clock == 0 {
		clock = 1000
	}
	return float64(d.Units) * clock * lanes(d) * 2 * attainable / 1000
}

// tier orders devices before their speed does.
func tier(d *Device) int {
	t := int(d.Class) * 10
	switch {
	case d.has(quirk.NoResults):
		t += 5
	case d.Key == vendor.LLVMpipe:
		t += 15 // below every other CPU and above simulators: Mesa's software renderer
	}
	return t
}

// rank sorts devices best first and says why each stands where it does.
func rank(ds []*Device) {
	slices.SortStableFunc(ds, func(a, b *Device) int {
		switch ta, tb := tier(a), tier(b); {
		case ta != tb:
			return ta - tb
		case a.GFLOPS != b.GFLOPS:
			if a.GFLOPS > b.GFLOPS {
				return -1
			}
			return 1
		}
		return a.order - b.order
	})
	for i, d := range ds {
		d.Rank = i + 1
		d.Why = reason(ds, i)
	}
}

func reason(ds []*Device, i int) string {
	d := ds[i]
	how := "estimated"
	if d.Calibrated {
		how = "measured"
	}
	speed := fmt.Sprintf("%s %s", speedText(d.GFLOPS), how)
	switch {
	case d.has(quirk.NoResults):
		return "computes nothing: only when asked for by name"
	case d.Key == vendor.LLVMpipe:
		return "software renderer, after every other CPU driver; " + speed
	case d.Class == Simulator:
		return "checks rather than computes; " + speed
	case i > 0 && ds[i-1].Class != d.Class:
		return fmt.Sprintf("%s comes after %s; %s", d.Class, ds[i-1].Class, speed)
	case i == 0 && len(ds) > 1 && ds[1].Class != d.Class:
		return fmt.Sprintf("%s comes before %s; %s", d.Class, ds[1].Class, speed)
	}
	return speed
}

func speedText(gflops float64) string {
	switch {
	case gflops >= 1000:
		return fmt.Sprintf("%.1f TFLOPS", gflops/1000)
	case gflops < 1:
		return fmt.Sprintf("%.2g MFLOPS", gflops*1000)
	}
	return fmt.Sprintf("%.0f GFLOPS", gflops)
}
