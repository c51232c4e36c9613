package ocl

import (
	"sync/atomic"

	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/platform"
)

// overlay is the tuned table of a device, which the tuner may replace. Nil is one
// without entries.
type overlay struct{ table atomic.Pointer[tuning.Table] }

func overlayOf(t *tuning.Table) *overlay {
	o := &overlay{}
	o.table.Store(t)
	return o
}

func (o *overlay) load() *tuning.Table {
	if o == nil {
		return nil
	}
	return o.table.Load()
}

// openOverlay reads what comes with the package for this device, and over it what
// the tuner has kept. Whatever cannot be read is as if it were not there.
func openOverlay(o *platform.Opened) *overlay {
	if !o.UsesTuning() {
		return nil
	}
	return overlayOf(shippedFor(o).With(ownTable(o)))
}

func shippedFor(o *platform.Opened) *tuning.Table {
	d := o.Device()
	return tuning.Shipped(tuning.Device{
		Key: d.Key, Name: d.Name, Driver: d.Driver + " " + d.PlatformVersion, Lanes: d.VectorWidth, Units: d.Units,
	})
}

// ownTable is what the tuner has kept for the device.
func ownTable(o *platform.Opened) *tuning.Table {
	b := o.LoadTuning()
	if b == nil {
		return nil
	}
	_, t, err := tuning.Parse(b)
	if err != nil {
		return nil
	}
	return t
}
