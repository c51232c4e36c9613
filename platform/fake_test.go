package platform

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
)

// gatedBuild wraps a driver whose compiler waits until the gate is closed.
func gatedBuild(gate <-chan struct{}) func(cldriver.Driver) cldriver.Driver {
	return func(drv cldriver.Driver) cldriver.Driver {
		return cldriver.Intercept(drv, func(call string, do func() cldriver.Status) cldriver.Status {
			if call == "Build" {
				<-gate
			}
			return do()
		})
	}
}

// fakeDriver answers discovery with invented platforms. Everything else is the
// real driver's, and not to be asked.
type fakeDriver struct {
	cldriver.Driver
	platforms []fakePlatform
	status    cldriver.Status // of the platform query

	asked    [][]uintptr                // how devices were to be divided
	parts    map[cldriver.Handle]uint32 // that are not released, with their units
	refusal  cldriver.Status            // of whoever wants to divide one
	contexts cldriver.Status            // of whoever wants a context
}

type fakePlatform struct {
	name, vendor string
	status       cldriver.Status // of its device query
	devices      []fakeDevice
}

type fakeDevice struct {
	name, vendor, driver string
	kind                 cl.DeviceType
	units                uint32
	pci                  []byte
	lacks                uint32 // a query that answers no
	kinds                []uint64
	domains              cl.AffinityDomain
}

func (f *fakeDriver) Platforms(out []cldriver.Handle) (int, cldriver.Status) {
	for i := range out {
		out[i] = cldriver.Handle(1000 * (i + 1))
	}
	return len(f.platforms), f.status
}

func (f *fakeDriver) Devices(p cldriver.Handle, _ uint64, out []cldriver.Handle) (int, cldriver.Status) {
	fp := f.platforms[p/1000-1]
	for i := range out {
		out[i] = p + cldriver.Handle(i) + 1
	}
	return len(fp.devices), fp.status
}

func (f *fakeDriver) Info(q cldriver.Query, h cldriver.Handle, _ uintptr, param uint32, out []byte) (int, cldriver.Status) {
	p := f.platforms[h/1000-1]
	var v any
	if q == cldriver.QueryPlatform {
		v = map[uint32]any{0x0900: "FULL_PROFILE", 0x0901: "OpenCL 3.0 " + p.name, 0x0902: p.name, 0x0903: p.vendor, 0x0904: ""}[param]
	} else {
		d := p.devices[h%100-1]
		if units, ok := f.parts[h]; ok {
			d.units = units
		}
		if param == d.lacks && param != 0 {
			v = uint32(0)
		} else {
			v = map[uint32]any{
				0x102B: d.name, 0x102C: d.vendor, 0x102D: d.driver, 0x102F: "OpenCL 3.0 fake", 0x1000: uint64(d.kind),
				0x1002: d.units, 0x100C: uint32(1000), 0x1004: uint64(1024), 0x101F: uint64(8 << 30), 0x1010: uint64(2 << 30),
				0x1027: uint32(1), 0x1028: uint32(1), 0x1026: uint32(1), 0x100D: uint32(64), 0x1023: uint64(32 << 10),
				0x1030: "cl_khr_pci_bus_info", 0x410F: d.pci,
				0x1043: d.units, 0x1044: d.kinds, 0x1045: uint64(d.domains),
			}[param]
		}
	}
	var b []byte
	switch v := v.(type) {
	case nil:
		return 0, cldriver.Status(cl.InvalidValue)
	case string:
		b = append([]byte(v), 0)
	case uint32:
		b = binary.NativeEndian.AppendUint32(nil, v)
	case uint64:
		b = binary.NativeEndian.AppendUint64(nil, v)
	case []byte:
		b = v
	case []uint64:
		for _, n := range v {
			b = binary.NativeEndian.AppendUint64(b, n)
		}
	}
	if out != nil {
		copy(out, b)
	}
	return len(b), cldriver.Success
}

// SubDevices divides, and at any domain into halves.
func (f *fakeDriver) SubDevices(d cldriver.Handle, how []uintptr, out []cldriver.Handle) (int, cldriver.Status) {
	if out == nil {
		f.asked = append(f.asked, how)
	}
	if f.refusal != 0 {
		return 0, f.refusal
	}
	whole, isPart := f.parts[d]
	if !isPart {
		whole = f.platforms[d/1000-1].devices[d%100-1].units
	}
	var counts []uint32
	switch cl.PartitionKind(how[0]) {
	case cl.PartitionByCounts:
		for _, n := range how[1 : len(how)-2] {
			counts = append(counts, uint32(n))
		}
	case cl.PartitionEqually:
		for range whole / uint32(how[1]) {
			counts = append(counts, uint32(how[1]))
		}
	case cl.PartitionByAffinity:
		counts = []uint32{whole / 2, whole / 2}
	}
	for i := range out {
		h := d
		for _, taken := f.parts[h]; taken || h == d; _, taken = f.parts[h] {
			h += 100
		}
		out[i], f.parts[h] = h, counts[i]
	}
	return len(counts), cldriver.Success
}

func (f *fakeDriver) Release(k cldriver.Kind, h cldriver.Handle) cldriver.Status {
	delete(f.parts, h)
	return cldriver.Success
}

func (f *fakeDriver) NewContext(cldriver.Handle, []cldriver.Handle) (cldriver.Handle, cldriver.Status) {
	return 0, f.contexts
}

func discoverFake(t *testing.T, f *fakeDriver) *Machine {
	t.Helper()
	return discoverFakeFor(t, f, "gpu")
}

func discoverFakeFor(t *testing.T, f *fakeDriver, spec string) *Machine {
	t.Helper()
	f.parts = map[cldriver.Handle]uint32{}
	lib, err := cl.Open(&cl.Options{Wrap: func(d cldriver.Driver) cldriver.Driver { f.Driver = d; return f }})
	if err != nil {
		t.Skipf("needs an OpenCL library to put the fake before: %v", err)
	}
	m, err := Discover(t.Context(), &Options{Library: lib, CacheDir: CacheOff, Spec: spec})
	require.NoError(t, err)
	return m
}

func TestDiscoveryTakesWhatIsNormalAsNormal(t *testing.T) {
	card := func(name, driver string, pci byte) fakeDevice {
		return fakeDevice{name: name, vendor: "Advanced Micro Devices, Inc.", driver: driver, kind: cl.DeviceGPU, units: 64,
			pci: append(make([]byte, 15), pci)}
	}
	cpu := fakeDevice{name: "cpu-EPYC", vendor: "AuthenticAMD", driver: "6.0", kind: cl.DeviceCPU, units: 2}
	m := discoverFake(t, &fakeDriver{platforms: []fakePlatform{
		{name: "Clover", vendor: "Mesa", status: cldriver.Status(cl.DeviceNotFound)},
		{name: "Broken", vendor: "Acme", status: cldriver.Status(cl.OutOfHostMemory)},
		{name: "rusticl", vendor: "Mesa/X.org", devices: []fakeDevice{card("AMD Radeon (radeonsi)", "25.0", 3)}},
		{name: "AMD Accelerated Parallel Processing", vendor: "Advanced Micro Devices, Inc.",
			devices: []fakeDevice{card("gfx1100", "3600", 3), card("gfx1100", "3600", 4)}},
		{name: "Portable Computing Language", vendor: "The pocl project", devices: []fakeDevice{cpu, cpu}},
		{name: "Portable Computing Language", vendor: "The pocl project", devices: []fakeDevice{cpu, cpu}}, // two .icd files of one driver
		{name: "FPGA", vendor: "Xilinx", devices: []fakeDevice{{name: "U250", vendor: "Xilinx", kind: cl.DeviceAccelerator, units: 1,
			lacks: 0x1028}}},
		{name: "Gone", vendor: "Acme", devices: []fakeDevice{{name: "Anvil", vendor: "Acme", kind: cl.DeviceGPU, units: 1, lacks: 0x1027}}},
		{name: "Empty", vendor: "Acme"},
	}})
	var got []string
	for _, d := range m.Devices {
		got = append(got, d.ID+" "+d.PlatformName)
	}
	assert.Equal(t, []string{
		"amd:0 AMD Accelerated Parallel Processing", "amd:1 AMD Accelerated Parallel Processing",
		"pocl:0 Portable Computing Language", "pocl:1 Portable Computing Language",
	}, got)
	text := m.Explain()
	for _, want := range []string{
		"Clover", "no devices", "Broken", "CL_OUT_OF_HOST_MEMORY",
		"rusticl: AMD Radeon (radeonsi)", "the same device as in AMD Accelerated Parallel Processing",
		"Portable Computing Language: cpu-EPYC", "FPGA: U250", "has no compiler", "Gone: Anvil", "not available", "Empty",
		`* selected: "gpu" was asked for`,
	} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 2, strings.Count(text, "Portable Computing Language: cpu-EPYC"), text)
	d, err := m.Select("")
	require.NoError(t, err)
	assert.Equal(t, "amd:0", d.ID)
}

func TestFailingPlatformQueryIsANote(t *testing.T) {
	m := discoverFake(t, &fakeDriver{status: cldriver.Status(cl.OutOfHostMemory)})
	assert.Empty(t, m.Devices)
	assert.NoError(t, m.LoadErr)
	assert.Contains(t, m.Explain(), "CL_OUT_OF_HOST_MEMORY")
	_, err := m.Select("gpu")
	assert.ErrorAs(t, err, new(*SelectError))
	m.spec = ""
	_, err = m.Select("")
	assert.ErrorIs(t, err, ErrNoDevice)
	assert.ErrorIs(t, err, cl.OutOfHostMemory, "the reason")
}

func TestNoPlatformsIsANote(t *testing.T) {
	m := discoverFake(t, &fakeDriver{status: cldriver.Status(cl.PlatformNotFound)})
	assert.Empty(t, m.Devices)
	assert.Contains(t, m.Explain(), "no driver is installed")
}

func TestNoDriverIsStartedForNone(t *testing.T) {
	m := discoverFakeFor(t, &fakeDriver{status: cldriver.Status(cl.OutOfHostMemory)}, " None")
	require.Empty(t, m.Notes)
	_, err := m.Select("")
	require.ErrorIs(t, err, ErrNone)
}
