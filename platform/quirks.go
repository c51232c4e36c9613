package platform

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/quirks"
)

// EnvQuirks switches quirks on and off, on all devices of the process: names with a sign, as
// "+no-out-of-order,-restore-signals". Discover refuses names that it does not know.
const EnvQuirks = quirks.Variable

// Quirk is one row of what is known to be wrong with a device or a driver, and
// what this package or its callers do about it.
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

	fix   fix
	match func(d *Device, simulated bool) bool
}

// fix is a workaround that code asks for by name.
type fix uint32

const (
	fixNoResults    fix = 1 << iota // accepts work and computes nothing
	fixNoFMA                        // fma() emulated in software or missing: do not even probe it
	fixNoFP64                       // crashes when double is used
	fixKernelsFirst                 // create kernels before asking for the binary
	fixDeclaredOnly                 // probe only what the device declares
	fixOneThread                    // not safe for concurrent calls
	fixOwnCache                     // keep no binaries: the driver does
	fixLockBuilds                   // build one source in one process at a time
	fixNoAssembly                   // its compiler crashes at inline assembly for the CPU
	fixInOrder                      // do not even probe queues that are out of order
	fixSignals                      // restore signal handlers; internal/cldriver asks the environment itself
	fixWideBytes                    // its compiler crashes at vectors of bytes: hold them in words
	fixNoParts                      // must not be asked to divide a device
	fixDimensions                   // sizes of dimensions above the third are 0
	fixNoDirect                     // no plain copies: a wait may end before the work does
	fixLongHeader                   // declare built-in functions instead of its header
	fixOneContext                   // one context for all that has a device open
	fixWidest                       // the first launch of a kernel is the widest
	fixNoSubBuffers                 // its process ends where parts of buffers are released
)

// switches are the quirks that EnvQuirks switches, and whether on. Errors: a name that is in
// no row, or whose remedy is always in effect.
func switches() (map[string]bool, error) {
	text := os.Getenv(EnvQuirks)
	fail := func(why string) (map[string]bool, error) {
		var names []string
		for _, q := range quirkTable {
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
		i := slices.IndexFunc(quirkTable, func(q Quirk) bool { return q.Name == name })
		switch {
		case i < 0:
			return fail(fmt.Sprintf("no quirk is called %q", name))
		case quirkTable[i].Always:
			return fail(fmt.Sprintf("what is done about %q is done on every device and cannot be switched", name))
		}
	}
	return all, nil
}

// quirksOf returns the rows that hold for a device, and the names of those that would if they
// were not switched off.
func quirksOf(d *Device, simulated bool, switched map[string]bool) (on []Quirk, off []string) {
	for _, q := range quirkTable {
		matches := q.match(d, simulated)
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
func (d *Device) WideBytes() bool { return d.has(fixWideBytes) }

// SubBuffers reports whether a part of a buffer that begins at offset may be a buffer of its own.
func (d *Device) SubBuffers(offset int64) bool {
	return d.BaseAlign > 0 && offset%int64(d.BaseAlign) == 0 && !d.has(fixNoSubBuffers)
}

// has reports whether the device needs a workaround.
func (d *Device) has(f fix) bool {
	for _, q := range d.quirks {
		if q.fix&f != 0 {
			return true
		}
	}
	return false
}

// unusual is what EnvQuirks changed, as part of the keys of what is kept on disk: with other
// workarounds other things are proven.
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

// versionIn reports whether the first number in a driver's version text is at
// least from and, unless to is 0, below to.
func versionIn(text string, from, to int) bool {
	n, seen := 0, false
	for _, r := range text {
		if r < '0' || r > '9' {
			if seen {
				break
			}
			continue
		}
		seen = true
		n = n*10 + int(r-'0')
		if n > 1<<20 {
			return false
		}
	}
	return seen && n >= from && (to == 0 || n < to)
}
