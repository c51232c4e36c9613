package platform

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/quirks"
	"github.com/anycl/anycl/platform/internal/quirk"
)

// EnvQuirks switches quirks on and off, on all devices of the process: names with a sign, as
// "+no-out-of-order,-restore-signals". Discover refuses names that it does not know.
const EnvQuirks = quirks.Variable

// Quirk is one known fault of a device or a driver, with the workaround of this package or its callers.
type Quirk struct {
	Name    string `json:"name"`
	Driver  string `json:"driver"` // which drivers, versions or devices it is about
	Symptom string `json:"symptom"`
	Remedy  string `json:"remedy"`
	Source  string `json:"source"` // who says so, or where it was observed or measured
	Test    string `json:"test"`   // shows that the remedy is needed, or that it is in effect
	// Always marks a remedy that is in effect on every device, as it costs nothing there.
	// It cannot be switched off.
	Always bool `json:"always,omitempty"`
	// Forced marks a quirk that EnvQuirks switched on for a device that it is not about.
	Forced bool `json:"forced,omitempty"`

	fix quirk.Fix
}

// switches are the quirks that EnvQuirks switches, and whether on. Errors: a name that is in
// no row, or whose remedy is always in effect.
func switches() (map[string]bool, error) {
	text := os.Getenv(EnvQuirks)
	fail := func(why string) (map[string]bool, error) {
		var names []string
		for _, q := range quirk.Table {
			if !q.Always {
				names = append(names, q.Name)
			}
		}
		slices.Sort(names)
		return nil, fmt.Errorf("platform: %s=%s: %s; there are: %s", EnvQuirks, text, why, strings.Join(names, ", "))
	}
	all, err := quirks.Parse(text)
	if err != nil {
		return fail(err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		i := slices.IndexFunc(quirk.Table, func(q quirk.Row) bool { return q.Name == name })
		switch {
		case i < 0:
			return fail(fmt.Sprintf("no quirk is called %q", name))
		case quirk.Table[i].Always:
			return fail(fmt.Sprintf("what is done about %q is done on every device and cannot be switched", name))
		}
	}
	return all, nil
}

// quirksOf returns the rows that hold for a device, and the names of those that would if they
// were not switched off.
func quirksOf(d *Device, simulated bool, switched map[string]bool) (on []Quirk, off []string) {
	about := quirk.Device{Key: d.Key, Platform: d.PlatformName, Driver: d.Driver, Simulated: simulated}
	for _, r := range quirk.Table {
		q := Quirk{
			Name: r.Name, Driver: r.Driver, Symptom: r.Symptom, Remedy: r.Remedy,
			Source: r.Source, Test: r.Test, Always: r.Always, fix: r.Fix,
		}
		matches := r.Match(about)
		want, named := switched[q.Name]
		switch {
		case matches && named && !want:
			off = append(off, q.Name)
		case matches:
			on = append(on, q)
		case want:
			q.Forced = true
			on = append(on, q)
		}
	}
	return on, off
}

// WideBytes reports whether kernels have to hold values of 8 bits in variables of 32, as the
// device's compiler ends the process at some that do not.
func (d *Device) WideBytes() bool { return d.has(quirk.WideBytes) }

// SubBuffers reports whether a part of a buffer that begins at offset may be a buffer of its own.
func (d *Device) SubBuffers(offset int64) bool {
	return d.BaseAlign > 0 && offset%int64(d.BaseAlign) == 0 && !d.has(quirk.NoSubBuffers)
}

// has reports whether the device needs a workaround.
func (d *Device) has(f quirk.Fix) bool {
	for _, q := range d.quirks {
		if q.fix&f != 0 {
			return true
		}
	}
	return false
}

// unusual lists the switches that EnvQuirks changed, as part of the keys of files on disk: with
// other workarounds other things are proven.
func (d *Device) unusual() (fields []string) {
	for _, q := range d.quirks {
		if q.Forced {
			fields = append(fields, "+"+q.Name)
		}
	}
	for _, name := range d.quirksOff {
		fields = append(fields, "-"+name)
	}
	return fields
}
