package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/grammar"
	"github.com/anycl/anycl/platform/internal/poclcache"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// Machine holds the devices that Discover found.
type Machine struct {
	// Devices are the usable devices, best first.
	Devices []*Device `json:"devices"`
	// Notes tell the platforms and devices found and not used: platforms without devices, devices that
	// are refused or seen twice, queries that failed.
	Notes []Note `json:"notes,omitempty"`
	// LoadErr is why no OpenCL library was loaded; nil when one was.
	LoadErr error `json:"-"`
	// Library is the path of the loaded library.
	Library string `json:"library,omitempty"`

	spec   string
	env    bool  // spec comes from the environment
	failed error // the errors of platforms that could not be asked for devices
}

// Note is something that discovery found and did not use.
type Note struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Discover finds and ranks the devices of all OpenCL platforms. It opens none and
// compiles nothing; the first call in a process makes the loader start every
// vendor's driver, which takes long beside a call.
//
// A machine without OpenCL is not an error: Devices is empty and LoadErr says why. Errors: ctx's, when it
// ends before the drivers answer; ANYCL_QUIRKS or Staging has an unknown name; the library that
// ANYCL_OPENCL_LIBRARY names cannot be loaded, unless the device none is asked for, which needs no
// library. Where Options.Spec is none, no driver is started and no device found.
func Discover(ctx context.Context, o *Options) (*Machine, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("platform: discover: %w", err)
	}
	switched, err := switches()
	if err != nil {
		return nil, err
	}
	opts := o.withDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	// Drivers are known to hang while they start, and nothing can interrupt them.
	done := make(chan *Machine, 1)
	go func() { done <- discover(&opts, switched) }()
	select {
	case m := <-done:
		if path := os.Getenv(cl.EnvLibrary); m.LoadErr != nil && path != "" && !grammar.IsNone(m.spec) {
			return nil, fmt.Errorf("platform: %s=%s: %w", cl.EnvLibrary, path, m.LoadErr)
		}
		return m, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("platform: discover: %w", ctx.Err())
	}
}

// AsksForNone reports whether text, or ANYCL_DEVICE where it is empty, asks for the CPU path alone. Who wants no list of devices
// then sets Options.Spec to none, for which no driver is started.
func AsksForNone(text string) bool { return grammar.IsNone(cmp.Or(text, os.Getenv(EnvDevice))) }

func discover(o *Options, switched map[string]bool) *Machine {
	m := &Machine{spec: o.Spec}
	if m.spec == "" {
		m.spec, m.env = os.Getenv(EnvDevice), true
	} else if grammar.IsNone(m.spec) {
		return m
	}
	lib := o.Library
	if lib == nil {
		if lib, m.LoadErr = cl.Default(); m.LoadErr != nil {
			o.Logger.Info("platform: no OpenCL", "error", m.LoadErr)
			return m
		}
	}
	m.Library = lib.Path()
	platforms, err := platformsOf(lib)
	if err != nil {
		m.note(lib.Path(), err.Error())
		m.failed = errors.Join(m.failed, err)
	} else if len(platforms) == 0 {
		m.note(lib.Path(), "no platforms: no driver is installed")
	}
	var all []*Device
	for _, p := range platforms {
		ds, err := start(p)
		switch {
		case err != nil:
			m.note(p.Name(), err.Error())
			m.failed = errors.Join(m.failed, fmt.Errorf("%s: %w", p.Name(), err))
		case len(ds) == 0:
			m.note(p.Name(), "no devices"+poclcache.WhyNone(p.Name()))
		}
		found := make([]*Device, len(ds))
		for i, d := range ds {
			found[i] = describe(d, switched)
		}
		all = append(all, pair(found)...)
	}
	m.admit(all, o)
	rank(m.Devices)
	for _, d := range m.Devices {
		o.Logger.Debug("platform: found", "device", d.ID, "name", d.Name, "driver", d.Driver, "rank", d.Rank, "why", d.Why)
	}
	return m
}

func (m *Machine) note(what, why string) { m.Notes = append(m.Notes, Note{what, why}) }

// admit numbers the devices that are usable and not yet seen, in the order of
// enumeration, so that an ID does not change when a calibration changes the ranks.
func (m *Machine) admit(found []*Device, o *Options) {
	count := map[string]int{}
	for _, d := range dedupe(found, m.note) {
		if why := refuse(d); why != "" {
			m.note(d.PlatformName+": "+d.Name, why)
			continue
		}
		d.ID = fmt.Sprintf("%s:%d", d.Key, count[d.Key])
		count[d.Key]++
		d.order = len(m.Devices)
		d.opts = *o
		if c := d.loadCalibration(o.CacheDir); c != nil {
			d.GFLOPS, d.Calibrated = c.GFLOPS, true
		}
		m.Devices = append(m.Devices, d)
	}
}

// dedupe drops devices that were seen through an earlier platform: the same
// hardware by PCI address or UUID, of which the vendor's own platform is kept, or
// the same driver installed under two names.
func dedupe(found []*Device, note func(what, why string)) []*Device {
	var out []*Device
	nth := map[string]int{} // how many devices of this identity the platform has shown
	for _, d := range found {
		hw := d.sameHardware()
		same := strings.Join(d.identity(), "\x00")
		at := fmt.Sprintf("%p %s", d.cl.Platform(), same)
		index := nth[at]
		nth[at]++
		known := slices.IndexFunc(out, func(e *Device) bool {
			if e.cl.Platform() == d.cl.Platform() {
				return false // one platform does not show a device twice
			}
			if hw != "" && e.sameHardware() == hw {
				return true
			}
			return strings.Join(e.identity(), "\x00") == same && e.ordinal == index
		})
		d.ordinal = index
		switch {
		case known < 0:
			out = append(out, d)
		case native(d) && !native(out[known]):
			note(out[known].PlatformName+": "+out[known].Name, "the same device as in "+d.PlatformName)
			out[known] = d
		default:
			note(d.PlatformName+": "+d.Name, "the same device as in "+out[known].PlatformName)
		}
	}
	return out
}

// native reports whether a device is shown by its vendor's own platform.
func native(d *Device) bool {
	return vendor.Key(d.PlatformName, d.cl.Platform().Vendor(), "") == d.Key
}

// Reports returns all facts about each device, best first. It probes nothing.
func (m *Machine) Reports() []Report {
	out := make([]Report, len(m.Devices))
	for i, d := range m.Devices {
		out[i] = d.Report()
	}
	return out
}

// Select returns the device that spec names. Case does not matter.
//
//	""            what Options.Spec or ANYCL_DEVICE names, else the best device
//	none          ErrNone: the caller wants the CPU path
//	gpu, cpu      the best of that class; also accelerator, simulator; gpu:1 the second best
//	nvidia        the best of that vendor: nvidia, amd, intel, apple, arm, qualcomm, pocl, llvmpipe, oclgrind, ...
//	nvidia:0      that device: the number counts the vendor's devices as found
//	h200, rusticl the best whose name, or whose platform's, holds the text; h200:1 the second found
//
// A slash is followed by a part of the device, where the driver can divide it: a device of its own with fewer
// compute units. Parts are counted from 0 as devices are. Part of a part is possible too.
//
//	gpu/4:1       the second of four parts, whose sizes differ by at most one compute unit
//	pocl:0/1+3:0  the first part, where one has 1 compute unit and another 3
//	cpu/numa:1    the part at the second NUMA node; l4, l3, l2, l1: what shares a cache of that level;
//	              next: the first of these levels that divides the device
//
// Errors: ErrNone; a *SelectError, which is never turned into another device or, of a part, into the whole;
// ErrNoDevice where nothing is named and there is no device that computes, with the drivers' answers.
func (m *Machine) Select(spec string) (*Device, error) {
	spec, env := strings.TrimSpace(spec), false
	if spec == "" {
		spec, env = strings.TrimSpace(m.spec), m.env
	}
	if spec == "" {
		i := slices.IndexFunc(m.Devices, func(d *Device) bool { return !d.has(quirk.NoResults) })
		if i >= 0 {
			return m.Devices[i], nil
		}
		return nil, errors.Join(ErrNoDevice, m.LoadErr, m.failed)
	}
	if grammar.IsNone(spec) {
		return nil, ErrNone
	}
	d, err := m.find(spec)
	if d != nil {
		return d, nil
	}
	e := &SelectError{Spec: spec, Env: env, Err: err}
	if err != nil {
		return nil, e
	}
	for _, d := range m.Devices {
		e.Found = append(e.Found, d.String())
	}
	if why := errors.Join(m.LoadErr, m.failed); why != nil {
		return nil, fmt.Errorf("%w\n%w", e, why)
	}
	return nil, e
}

// find returns the device, or the part of one, that spec names; nil where there is no such device.
// Errors: there is, and it has no such part.
func (m *Machine) find(spec string) (*Device, error) {
	q := grammar.Parse(spec)
	if d := findDevice(q, m.Devices); d != nil {
		return d, nil
	}
	slash := strings.LastIndexByte(q.Text, '/')
	if slash <= 0 {
		return nil, nil
	}
	v, ok := grammar.ParseDivision(q.Text[slash+1:])
	if !ok {
		return nil, nil
	}
	whole, err := m.find(q.Text[:slash])
	if whole == nil || err != nil {
		return nil, err
	}
	return whole.part(v)
}

// findDevice returns the device that q names among ranked devices, nil for none. The
// first reading that names any device counts, in this order: an ID, a class, a
// vendor key, a part of the device's or the platform's name. Of several devices
// the best ranked is taken, or with a number that one of them: by rank in a
// class, by enumeration otherwise, as IDs are numbered.
func findDevice(q grammar.Query, ranked []*Device) *Device {
	pick := func(among []*Device, byRank bool) *Device {
		if !byRank && q.Index >= 0 {
			among = slices.Clone(among)
			slices.SortFunc(among, func(a, b *Device) int { return a.order - b.order })
		}
		i := max(q.Index, 0)
		if i >= len(among) {
			return nil
		}
		return among[i]
	}
	match := func(f func(*Device) bool) []*Device {
		var out []*Device
		for _, d := range ranked {
			if f(d) {
				out = append(out, d)
			}
		}
		return out
	}
	if i := slices.IndexFunc(ranked, func(d *Device) bool { return d.ID == q.Text }); i >= 0 {
		return ranked[i]
	}
	for c, name := range classNames {
		if strings.EqualFold(q.Name, name) {
			return pick(match(func(d *Device) bool { return d.Class == Class(c) }), true)
		}
	}
	if among := match(func(d *Device) bool { return d.Key == q.Name }); len(among) > 0 {
		return pick(among, false)
	}
	named := func(part string) []*Device {
		return match(func(d *Device) bool {
			return strings.Contains(strings.ToLower(d.Name), part) || strings.Contains(strings.ToLower(d.PlatformName), part)
		})
	}
	// A name may itself hold a colon and a number.
	if among := named(q.Text); len(among) > 0 {
		q.Index = -1
		return pick(among, false)
	}
	return pick(named(q.Name), false)
}
