package variant

import (
	"sync/atomic"

	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/platform"
)

// Table is the tuning table of a device, which the tuner may replace. Nil is one
// without entries.
type Table struct{ table atomic.Pointer[tuning.Table] }

// NewTable holds t.
func NewTable(t *tuning.Table) *Table {
	o := &Table{}
	o.table.Store(t)
	return o
}

// Load is the table as it is now.
func (o *Table) Load() *tuning.Table {
	if o == nil {
		return nil
	}
	return o.table.Load()
}

// Store replaces the table.
func (o *Table) Store(t *tuning.Table) { o.table.Store(t) }

// OpenTable reads the shipped table for this device, and over it the table that the tuner has kept.
// A table that cannot be read counts as missing.
func OpenTable(o *platform.Opened) *Table {
	if !o.UsesTuning() {
		return nil
	}
	return NewTable(Shipped(o).With(OwnTable(o)))
}

// Shipped is the table that comes with the package for the device.
func Shipped(o *platform.Opened) *tuning.Table {
	d := o.Device()
	return tuning.Shipped(tuning.Device{
		Key: d.Key, Name: d.Name, Driver: d.Driver + " " + d.PlatformVersion, Lanes: d.VectorWidth, Units: d.Units,
	})
}

// OwnTable is the table that the tuner has kept for the device.
func OwnTable(o *platform.Opened) *tuning.Table {
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
