package cl

import (
	"slices"
	"sync"

	"github.com/anycl/anycl/internal/cldriver"
)

// Platform is one vendor's OpenCL implementation. It is never closed and is safe
// for concurrent use.
type Platform struct {
	lib        *Library
	h          cldriver.Handle
	name       string
	vendor     string
	version    string
	profile    string
	extensions []string
}

// Platforms returns the installed implementations; none is an empty slice and no
// error. The first call makes the loader open every vendor's library, about 100
// ms; the result is kept. Platforms without devices are normal.
func (l *Library) Platforms() ([]*Platform, error) {
	l.drain()
	if l.closed.Load() {
		return nil, closed("platforms", "library")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.platforms == nil {
		ps, err := l.findPlatforms()
		if err != nil {
			return nil, err
		}
		l.platforms = ps
	}
	return slices.Clone(l.platforms), nil
}

func (l *Library) findPlatforms() ([]*Platform, error) {
	const op = "platforms"
	n, st := l.drv.Platforms(nil)
	// The loader's way to say "none installed", and that of libraries without a loader.
	if Status(st) == PlatformNotFound || (st >= 0 && n == 0) {
		return []*Platform{}, nil
	}
	if err := check(st, op, ""); err != nil {
		return nil, err
	}
	ids := make([]cldriver.Handle, n)
	n, st = l.drv.Platforms(ids)
	if err := check(st, op, ""); err != nil {
		return nil, err
	}
	ps := []*Platform{}
	for _, id := range ids[:min(n, len(ids))] {
		p := &Platform{lib: l, h: id}
		q := query{l, cldriver.QueryPlatform, id, 0}
		p.profile = q.text(0x0900)
		p.version = q.text(0x0901)
		p.name = q.text(0x0902)
		p.vendor = q.text(0x0903)
		p.extensions = words(q.text(0x0904))
		ps = append(ps, p)
	}
	return ps, nil
}

// Name returns the implementation's name, as "Portable Computing Language".
func (p *Platform) Name() string { return p.name }

// Vendor returns who made it.
func (p *Platform) Vendor() string { return p.vendor }

// Version returns OpenCL's version and the vendor's own text, as "OpenCL 3.0 PoCL 3.1".
func (p *Platform) Version() string { return p.version }

// Profile returns FULL_PROFILE or EMBEDDED_PROFILE.
func (p *Platform) Profile() string { return p.profile }

// Extensions returns the names that the platform lists.
func (p *Platform) Extensions() []string { return slices.Clone(p.extensions) }

// HasExtension reports whether the platform lists the extension.
func (p *Platform) HasExtension(name string) bool { return slices.Contains(p.extensions, name) }

// Library returns the library that the platform belongs to.
func (p *Platform) Library() *Library { return p.lib }

// enumerating lets one thread of the process at a time ask a driver for its devices,
// which makes some start: PoCL 3.1 answers a second thread that asks meanwhile with
// devices that are not filled in yet, and a query of their names ends the process.
// Source: pocl_init_devices and its flag init_in_progress, lib/CL/devices/devices.c.
var enumerating sync.Mutex

// Devices returns the platform's devices of type t; none is an empty slice and no error.
func (p *Platform) Devices(t DeviceType) ([]*Device, error) {
	const op = "devices"
	p.lib.drain()
	enumerating.Lock()
	defer enumerating.Unlock()
	n, st := p.lib.drv.Devices(p.h, uint64(t), nil)
	if Status(st) == DeviceNotFound || (st >= 0 && n == 0) {
		return nil, nil
	}
	if err := check(st, op, p.name); err != nil {
		return nil, err
	}
	ids := make([]cldriver.Handle, n)
	n, st = p.lib.drv.Devices(p.h, uint64(t), ids)
	if err := check(st, op, p.name); err != nil {
		return nil, err
	}
	ds := make([]*Device, 0, n)
	for _, id := range ids[:min(n, len(ids))] {
		ds = append(ds, &Device{platform: p, h: id})
	}
	return ds, nil
}
