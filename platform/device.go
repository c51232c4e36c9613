package platform

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/grammar"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// Device describes one OpenCL device. Nothing is allocated on it until Open. It is safe for concurrent
// use. The exported fields are the device's own claims; its proven capabilities are in [Device.Caps].
type Device struct {
	ID              string `json:"id"`  // "pocl:0", "nvidia:1": vendor key and number among that vendor's
	Key             string `json:"key"` // "pocl", "nvidia"
	Name            string `json:"name"`
	Vendor          string `json:"vendor"`
	Driver          string `json:"driver"`
	PlatformName    string `json:"platform"`
	PlatformVersion string `json:"platform_version"`
	Version         string `json:"version"` // "OpenCL 3.0 PoCL ..."
	Class           Class  `json:"class"`

	Units        int   `json:"units"`          // compute units
	ClockMHz     int   `json:"clock_mhz"`      // as declared
	MaxWorkGroup int   `json:"max_work_group"` // work-items
	LocalMem     int64 `json:"local_mem"`      // bytes
	LocalReal    bool  `json:"local_real"`     // local memory is on the chip, not global memory in disguise
	GlobalMem    int64 `json:"global_mem"`     // bytes
	MaxAlloc     int64 `json:"max_alloc"`      // bytes, the largest single allocation
	CacheBytes   int64 `json:"cache_bytes"`    // global memory cache, as declared
	VectorWidth  int   `json:"vector_width"`   // preferred float vector width
	Unified      bool  `json:"unified"`        // shares the host's memory
	ArgBytes     int   `json:"arg_bytes"`      // of kernel arguments
	BaseAlign    int   `json:"base_align"`     // bytes, of sub-buffers

	// Divides are the ways in which the device can be divided, see [Machine.Select]: "equally",
	// "by counts", and "numa", "l3" and the like. Empty: it cannot.
	Divides []string `json:"divides,omitempty"`

	// GFLOPS is the speed that the ranking uses: measured when Calibrated, else
	// an estimate from units and clock.
	GFLOPS     float64 `json:"gflops"`
	Calibrated bool    `json:"calibrated"`
	Rank       int     `json:"rank"` // 1 is the device that Select("") takes first
	Why        string  `json:"why"`  // why it has that rank

	cl        *cl.Device
	info      *cl.DeviceInfo
	order     int     // in which it was enumerated
	ordinal   int     // among the devices of its platform that look the same
	opts      Options // of Discover, with defaults
	quirks    []Quirk
	quirksOff []string // that EnvQuirks switched off
	switched  map[string]bool

	inline *Device // not listed; nil where there is none

	whole    *Device // that it is a part of, or nil
	division grammar.Division
	parts    *parts // of it

	probing chan struct{} // holds one token while somebody looks at or makes caps
	caps    *Caps
}

// Lanes returns how many elements of 32 bits a work-item of a kernel of one's own should handle in vectors: a power of two from 4 to
// 16 on a CPU, whose work-items run one after the other, and 1 on all others, where work-items are the lanes. A nil device, which
// is the CPU path's, has 1.
func (d *Device) Lanes() int {
	if d == nil || d.Class != CPU {
		return 1
	}
	return max(4, d.ratedVector())
}

// describe fills a Device from the OpenCL device's answers.
func describe(d *cl.Device, switched map[string]bool) *Device {
	info, p := d.Info(), d.Platform()
	key := vendor.Key(p.Name(), info.Vendor, info.Name)
	simulated := vendor.NullDriver(key, os.Getenv)
	r := &Device{
		Key: key, Name: info.Name, Vendor: info.Vendor, Driver: info.DriverVersion,
		PlatformName: p.Name(), PlatformVersion: p.Version(), Version: info.VersionText,
		Class: classOf(key, info.Type, simulated),
		Units: int(info.ComputeUnits), ClockMHz: int(info.ClockMHz),
		MaxWorkGroup: int(info.MaxWorkGroupSize),
		LocalMem:     int64(info.LocalMemBytes), LocalReal: info.LocalMem == cl.LocalOwn,
		GlobalMem: int64(info.GlobalMemBytes), MaxAlloc: int64(info.MaxAllocBytes),
		CacheBytes:  int64(info.GlobalCacheBytes),
		VectorWidth: max(1, int(info.PreferredWidthFloat)),
		ArgBytes:    int(info.MaxParameterBytes), BaseAlign: int(info.BaseAddrAlignBits / 8),
		cl: d, info: info, probing: make(chan struct{}, 1), switched: switched, parts: new(parts),
	}
	r.Unified = info.HostUnifiedMemory || r.Class == CPU
	r.quirks, r.quirksOff = quirksOf(r, simulated, switched)
	r.GFLOPS, r.Divides = estimate(r), r.divides()
	return r
}

// refuse says why a device cannot be used at all, empty for usable ones.
func refuse(d *Device) string {
	switch {
	case !d.info.Available:
		return "not available"
	case !d.info.CompilerAvailable:
		return "has no compiler"
	case d.Units == 0 || d.MaxWorkGroup == 0 || d.GlobalMem == 0:
		return "describes itself as empty"
	case !d.info.LittleEndian:
		return "is big-endian"
	}
	return ""
}

// String returns the ID and the name, as "nvidia:0 NVIDIA H200".
func (d *Device) String() string { return d.ID + " " + d.Name }

// CL returns the OpenCL device; of a part the root device, as the part's own exists only while it is
// open: see [Opened.CL].
func (d *Device) CL() *cl.Device { return d.cl }

// Info returns everything that the device declares.
func (d *Device) Info() *cl.DeviceInfo { return d.info }

// Quirks returns the known faults of this device or its driver whose workarounds are in effect.
func (d *Device) Quirks() []Quirk { return append([]Quirk(nil), d.quirks...) }

// QuirksOff names the quirks that [EnvQuirks] switched off.
func (d *Device) QuirksOff() []string { return append([]string(nil), d.quirksOff...) }

// Caps returns the proven capabilities of the device. The first call on a new device or driver
// compiles and runs small kernels, which takes from a fraction of a second to a few; the result is
// kept in memory and on disk. Cancelling ctx stops between probes.
//
// Errors: ctx's, or those of making a context on the device. A probe that fails
// is not an error but a missing capability.
func (d *Device) Caps(ctx context.Context) (*Caps, error) {
	return d.provenCaps(ctx, nil)
}

// identity is the part of a device that decides whether findings about it, and programs compiled
// for it, are still valid.
func (d *Device) identity() []string {
	id := []string{
		d.PlatformName, d.PlatformVersion, d.Name, d.Vendor, d.Driver,
		fmt.Sprint(d.info.AddressBits), fmt.Sprint(d.Units),
	}
	for p := d; p.whole != nil; p = p.whole { // parts of one size are alike, whichever they are
		id = append(id, "part of", fmt.Sprint(p.whole.Units), p.division.Way())
	}
	return id
}

// sameHardware is a key that is equal for the same hardware seen through two
// platforms, empty when the device does not tell.
func (d *Device) sameHardware() string {
	switch {
	case len(d.info.PCIBus) > 0 && d.Class == GPU:
		return "pci " + hex.EncodeToString(d.info.PCIBus)
	case len(d.info.UUID) > 0 && d.Class == GPU:
		return "uuid " + hex.EncodeToString(d.info.UUID)
	}
	return ""
}
