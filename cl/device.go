package cl

import (
	"fmt"
	"slices"
	"sync"

	"github.com/anycl/anycl/internal/cldriver"
)

// Device is an OpenCL device, or a part of one. It is safe for concurrent use.
type Device struct {
	platform *Platform
	h        cldriver.Handle
	parent   *Device // of a sub-device
	offline  bool    // of NewOfflineContext
	obj      *object // of a sub-device; root devices are never released
	once     sync.Once
	info     *DeviceInfo
}

// Platform returns the platform of the device.
func (d *Device) Platform() *Platform { return d.platform }

// Parent returns the device that this one is a part of, nil for a root device.
func (d *Device) Parent() *Device { return d.parent }

// String returns the device's name.
func (d *Device) String() string { return d.Info().Name }

// InfoBytes returns the raw value of any device parameter, also of those that
// DeviceInfo does not know.
func (d *Device) InfoBytes(param uint32) ([]byte, error) {
	if d.obj != nil {
		if !d.obj.use() {
			return nil, closed("device info", "sub-device")
		}
		defer d.obj.done()
	}
	b, st := d.query().bytes(param)
	return b, check(st, "device info", fmt.Sprintf("parameter %#x", param))
}

// HasExtension reports whether the device lists the extension. A listed
// extension may not work and an unlisted one may: prove it with a small kernel.
func (d *Device) HasExtension(name string) bool {
	return slices.Contains(d.Info().Extensions, name)
}

// Same reports whether both name the same OpenCL device.
func (d *Device) Same(other *Device) bool { return other != nil && d.h == other.h }

func (d *Device) query() query { return query{d.platform.lib, cldriver.QueryDevice, d.h, 0} }

// Close releases a sub-device. On a root device it does nothing.
func (d *Device) Close() error {
	if d == nil || d.obj == nil {
		return nil
	}
	return d.obj.close()
}

// PartitionKind says how Subdevices divides a device.
type PartitionKind uintptr

// Ways to divide.
const (
	PartitionEqually    PartitionKind = 0x1086 // into parts of Units compute units
	PartitionByCounts   PartitionKind = 0x1087 // into len(Counts) parts
	PartitionByAffinity PartitionKind = 0x1088 // along Domain
)

// AffinityDomain is a level of the memory hierarchy.
type AffinityDomain uint64

// Affinity domains.
const (
	AffinityNUMA              AffinityDomain = 1 << 0
	AffinityL4                AffinityDomain = 1 << 1
	AffinityL3                AffinityDomain = 1 << 2
	AffinityL2                AffinityDomain = 1 << 3
	AffinityL1                AffinityDomain = 1 << 4
	AffinityNextPartitionable AffinityDomain = 1 << 5
)

// Partition describes a division of a device into sub-devices.
type Partition struct {
	Kind   PartitionKind
	Units  int            // for PartitionEqually
	Counts []int          // for PartitionByCounts
	Domain AffinityDomain // for PartitionByAffinity
}

func (p Partition) properties() ([]uintptr, error) {
	props := []uintptr{uintptr(p.Kind)}
	switch p.Kind {
	case PartitionEqually:
		props = append(props, uintptr(p.Units))
	case PartitionByCounts:
		for _, n := range p.Counts {
			if n <= 0 {
				return nil, invalid("sub-devices", InvalidDevicePartitionCount, "a part of %d compute units", n)
			}
			props = append(props, uintptr(n))
		}
		props = append(props, 0)
	case PartitionByAffinity:
		props = append(props, uintptr(p.Domain))
	default:
		return nil, invalid("sub-devices", InvalidValue, "unknown partition kind %#x", uintptr(p.Kind))
	}
	return append(props, 0), nil
}

// Subdevices divides the device. Close each part. A device whose
// PartitionKinds does not list the kind returns ErrUnsupported without asking
// the driver: rusticl 22.3 crashes when it is asked.
func (d *Device) Subdevices(p Partition) ([]*Device, error) {
	const op = "sub-devices"
	lib := d.platform.lib
	lib.drain()
	props, err := p.properties()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(d.Info().PartitionKinds, uint64(p.Kind)) {
		return nil, unsupported(op)
	}
	if d.obj != nil {
		if !d.obj.use() {
			return nil, closed(op, "sub-device")
		}
		defer d.obj.done()
	}
	n, st := lib.drv.SubDevices(d.h, props, nil)
	if err := check(st, op, d.String()); err != nil {
		return nil, err
	}
	ids := make([]cldriver.Handle, n)
	n, st = lib.drv.SubDevices(d.h, props, ids)
	if err := check(st, op, d.String()); err != nil {
		return nil, err
	}
	parts := make([]*Device, 0, n)
	for _, id := range ids[:min(n, len(ids))] {
		o := lib.newObject(kindSubdevice, id, d.obj, nil)
		parts = append(parts, guard(&Device{platform: d.platform, h: id, parent: d, obj: o}, o))
	}
	return parts, nil
}
