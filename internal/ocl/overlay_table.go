package ocl

import (
	"sync/atomic"

	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/platform"
)

// tuningTable is the tuning table of a device, which the tuner may replace. Nil is one
// without entries.
type tuningTable struct{ table atomic.Pointer[tuning.Table] }

func tuningOf(t *tuning.Table) *tuningTable {
	o := &tuningTable{}
	o.table.Store(t)
	return o
}

// load is the table as it is now.
func (o *tuningTable) load() *tuning.Table {
	if o == nil {
		return nil
	}
	return o.table.Load()
}

// openTuning reads what comes with the package for this device, and over it what
// the tuner has kept. Whatever cannot be read is as if it were not there.
func openTuning(o *platform.Opened) *tuningTable {
	if !o.UsesTuning() {
		return nil
	}
	return tuningOf(shippedFor(o).With(ownTable(o)))
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
