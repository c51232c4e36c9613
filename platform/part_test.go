package platform

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/grammar"
)

// divided is a machine with one device, of a given number of units, that can be divided in every way.
func divided(t *testing.T, units uint32) (*fakeDriver, *Machine) {
	t.Helper()
	f := &fakeDriver{platforms: []fakePlatform{{name: "Acme", vendor: "Acme", devices: []fakeDevice{{
		name: "Anvil", vendor: "Acme", kind: cl.DeviceGPU, units: units, domains: cl.AffinityNUMA | cl.AffinityL3,
		kinds: []uint64{uint64(cl.PartitionEqually), uint64(cl.PartitionByCounts), uint64(cl.PartitionByAffinity)},
	}}}}}
	m := discoverFake(t, f)
	require.Len(t, m.Devices, 1)
	t.Cleanup(func() { require.Empty(t, f.parts, "parts that are not released") })
	return f, m
}

func TestPartsAreChosenByText(t *testing.T) {
	f, m := divided(t, 7)
	require.Equal(t, []string{"equally", "by counts", "numa", "l3"}, m.Devices[0].Divides)
	for _, c := range []struct {
		spec, id string
		units    int
		asked    []uintptr
	}{
		{"acme:0/7:6", "acme:0/7:6", 1, []uintptr{0x1086, 1, 0}},
		{"gpu/1:0", "acme:0/1:0", 7, []uintptr{0x1086, 7, 0}},
		{"gpu/2:0", "acme:0/2:0", 4, []uintptr{0x1087, 4, 3, 0, 0}},
		{" GPU/2:1 ", "acme:0/2:1", 3, []uintptr{0x1087, 4, 3, 0, 0}},
		{"anvil/03:2", "acme:0/3:2", 2, []uintptr{0x1087, 3, 2, 2, 0, 0}},
		{"acme/1+5:1", "acme:0/1+5:1", 5, []uintptr{0x1087, 1, 5, 0, 0}},
		{"acme/NUMA:1", "acme:0/numa:1", 3, []uintptr{0x1088, 1, 0}},
		{"acme/l3:0", "acme:0/l3:0", 3, []uintptr{0x1088, 4, 0}},
	} {
		f.asked = nil
		d, err := m.Select(c.spec)
		require.NoError(t, err, c.spec)
		assert.Equal(t, c.id, d.ID, c.spec)
		assert.Equal(t, c.units, d.Units, c.spec)
		assert.Equal(t, c.asked, f.asked[0], c.spec)
		assert.Same(t, m.Devices[0], d.Whole())
		again, err := m.Select(d.ID)
		require.NoError(t, err)
		assert.Same(t, d, again, "one Device for one part")
	}
	d, err := m.Select("gpu/2:0/4:3")
	require.NoError(t, err)
	assert.Equal(t, "acme:0/2:0/4:3 Anvil", d.String())
	assert.Equal(t, 1, d.Units)
	assert.Equal(t, "1 of the 4 compute units of acme:0/2:0", d.Why)
	assert.Nil(t, m.Devices[0].Whole())
	assert.Len(t, m.Devices, 1, "parts are not listed")
}

func TestAPartThatIsNotThereIsAnErrorThatSaysWhy(t *testing.T) {
	f, m := divided(t, 6)
	for spec, want := range map[string]string{
		"acme:0/7:0":       "acme:0 has 6 compute units, too few for 7",
		"acme:0/3+4:0":     "acme:0 has 6 compute units, too few for 3+4",
		"gpu/2:2":          "of acme:0/2 there are 2 parts, the last is acme:0/2:1",
		"gpu/2":            "which part is meant? the first is acme:0/2:0",
		"gpu/l2:0":         "acme:0 is divided equally, by counts, numa, l3, and not as l2",
		"gpu/2:0/9:0":      "acme:0/2:0 has 3 compute units, too few for 9",
		"gpu/99999999+1:0": "acme:0 has 6 compute units",
		"gpu/9223372036854775807+9223372036854775807:0": "acme:0 has 6 compute units",
	} {
		_, err := m.Select(spec)
		var absent *SelectError
		if assert.ErrorAs(t, err, &absent, spec) {
			assert.Equal(t, spec, absent.Spec)
			assert.ErrorContains(t, err, `device "`+spec+`": no such part: `+want)
		}
	}
	for _, spec := range []string{"amd/2:0", "acme:1/2:0", "/2:0", "gpu/0:0", "gpu/-1:0", "gpu/1+0:0", "gpu/x:0", "gpu/:0", "gpu/2:",
		"gpu/2:x", "gpu//2:0", "none/2:0"} {
		_, err := m.Select(spec)
		assert.ErrorContains(t, err, "no such device", spec)
		assert.NotErrorIs(t, err, ErrNone, spec)
	}
	f.refusal = cldriver.Status(cl.OutOfResources)
	_, err := m.Select("gpu/6:0")
	assert.ErrorIs(t, err, cl.OutOfResources)
	assert.ErrorAs(t, err, new(*SelectError))
	f.refusal = 0
	_, err = m.Select("gpu/6:0")
	assert.NoError(t, err, "a driver may change its mind")
}

func TestADeviceThatCannotBeDividedSaysSo(t *testing.T) {
	m := discoverFake(t, &fakeDriver{platforms: []fakePlatform{{name: "Acme", vendor: "Acme", devices: []fakeDevice{
		{name: "Anvil", vendor: "Acme", kind: cl.DeviceGPU, units: 8},
		{name: "Single", vendor: "Acme", kind: cl.DeviceGPU, units: 1, kinds: []uint64{uint64(cl.PartitionEqually)}},
		{name: "Even", vendor: "Acme", kind: cl.DeviceGPU, units: 8, kinds: []uint64{0, uint64(cl.PartitionEqually)}},
	}}}})
	for spec, want := range map[string]string{
		"anvil/2:0": "acme:0 cannot be divided", "single/1:0": "acme:1 cannot be divided",
		"even/3:0": "acme:2 is divided equally, and not as 3", "even/4+4:0": "acme:2 is divided equally, and not as 4+4",
	} {
		_, err := m.Select(spec)
		assert.ErrorContains(t, err, want, spec)
	}
	_, err := m.Select("even/4:3")
	require.NoError(t, err)
	assert.Contains(t, m.Devices[slices.IndexFunc(m.Devices, func(d *Device) bool { return d.Name == "Anvil" })].Explain(), "divides   not")
}

// The driver lists divisions at which it crashes, and is not asked.
func TestADriverThatCrashesIsNotAskedForParts(t *testing.T) {
	device := func(driver string) fakeDevice {
		return fakeDevice{name: "llvmpipe", vendor: "Mesa/X.org", driver: driver, kind: cl.DeviceCPU, units: 2,
			kinds: []uint64{uint64(cl.PartitionEqually)}}
	}
	f := &fakeDriver{platforms: []fakePlatform{{name: "rusticl", vendor: "Mesa/X.org",
		devices: []fakeDevice{device("22.3.6"), device("25.0.7")}}}}
	m := discoverFake(t, f)
	require.Len(t, m.Devices, 2)
	_, err := m.Select("llvmpipe:0/2:0")
	require.ErrorContains(t, err, "llvmpipe:0 cannot be divided")
	require.Empty(t, f.asked)
	require.Contains(t, m.Devices[0].Explain(), "its driver must not be asked")
	_, err = m.Select("llvmpipe:1/2:0")
	require.NoError(t, err)
	require.NotEmpty(t, f.asked)

	// The same holds for a device that EnvQuirks says to crash, and not for one that it says not to crash.
	f.asked = nil
	t.Setenv(EnvQuirks, "+subdevice-crash")
	_, err = discoverFake(t, f).Select("llvmpipe:1/2:0")
	require.ErrorContains(t, err, "llvmpipe:1 cannot be divided")
	require.Empty(t, f.asked)
	t.Setenv(EnvQuirks, "-subdevice-crash")
	_, err = discoverFake(t, f).Select("llvmpipe:0/2:0")
	require.NoError(t, err)
	t.Setenv(EnvQuirks, "")

	// A device that lists no ways of division is not asked by package cl either.
	f = &fakeDriver{platforms: []fakePlatform{{name: "Acme", vendor: "Acme",
		devices: []fakeDevice{{name: "Anvil", vendor: "Acme", kind: cl.DeviceGPU, units: 2}}}}}
	_, err = discoverFake(t, f).Devices[0].CL().Subdevices(cl.Partition{Kind: cl.PartitionEqually, Units: 1})
	require.ErrorIs(t, err, cl.ErrUnsupported)
	require.Empty(t, f.asked)
}

func TestAPartThatCannotBeOpenedIsReleased(t *testing.T) {
	f, m := divided(t, 4)
	d, err := m.Select("gpu/2:1/2:0")
	require.NoError(t, err)
	f.contexts = cldriver.Status(cl.OutOfHostMemory)
	_, err = d.Open(t.Context(), nil)
	require.ErrorIs(t, err, cl.OutOfHostMemory)
	require.ErrorContains(t, err, "open acme:0/2:1/2:0")
	f.refusal = cldriver.Status(cl.DevicePartitionFailed)
	_, err = d.Open(t.Context(), nil)
	require.ErrorIs(t, err, cl.DevicePartitionFailed)
}

// halves are both halves of the device under test, through a library of its own whose objects are counted.
func halves(t *testing.T, dir string) (whole, a, b *Device) {
	t.Helper()
	whole, _ = discovered(t, dir)
	if len(whole.Divides) == 0 {
		t.Skipf("%s cannot be divided", whole)
	}
	m := &Machine{Devices: []*Device{whole}}
	var err error
	a, err = m.Select(whole.ID + "/2:0")
	require.NoError(t, err)
	b, err = m.Select(whole.ID + "/2:1")
	require.NoError(t, err)
	return whole, a, b
}

func TestPartsComputeAndAreReleased(t *testing.T) {
	whole, a, b := halves(t, t.TempDir())
	lib := whole.CL().Platform().Library()
	require.Zero(t, lib.Stats().Total(), "what is described is not held")
	require.Equal(t, whole.Units, a.Units+b.Units)
	one, err := a.Open(t.Context(), nil)
	require.NoError(t, err)
	two, err := b.Open(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 2, lib.Stats().Subdevices)
	require.False(t, one.CL().Same(two.CL()))
	require.EqualValues(t, a.Units, one.CL().Info().ComputeUnits)
	require.True(t, a.CL().Same(whole.CL()))
	require.Nil(t, one.InlineDevice(), "the calling thread is none of its units")
	for n, o := range []*Opened{one, two} {
		runScale(t, o, "part.cl", n+1, 1000)
		q, err := o.ProfilingQueue()
		require.NoError(t, err)
		require.NoError(t, q.Finish())
	}
	again, err := a.Open(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 3, lib.Stats().Subdevices, "opened twice")
	require.NoError(t, errors.Join(one.Close(), two.Close(), again.Close()))
	require.Zero(t, lib.Stats().Total())
}

func TestWhatIsLearnedOfAPartIsKeptForItsLike(t *testing.T) {
	dir := t.TempDir()
	whole, a, b := halves(t, dir)
	path := func(d *Device) string { return d.devicePath(dir, diskcache.Caps, probeVersion) }
	require.NotEqual(t, path(whole), path(a))
	require.NotEqual(t, whole.programID("x", ""), a.programID("x", ""))
	if a.Units == b.Units {
		require.Equal(t, path(a), path(b))
		require.Equal(t, a.programID("x", ""), b.programID("x", ""))
	}
	first, err := a.part(grammar.Division{Equal: 1})
	if err == nil { // the driver may be able to divide whole devices only
		require.Equal(t, a.Units, first.Units)
		require.NotEqual(t, path(a), path(first))
	}
	_, err = a.Caps(t.Context())
	require.NoError(t, err)
	require.NotNil(t, a.Report().Caps)
	require.Nil(t, whole.Report().Caps)
	require.Equal(t, a.Units == b.Units, b.Report().Caps != nil)

	o, err := a.Open(t.Context(), nil)
	require.NoError(t, err)
	c, err := o.Calibrate(t.Context())
	require.NoError(t, err)
	require.Equal(t, a.String(), c.Device)
	require.NotNil(t, a.Report().Calibration)
	require.Nil(t, whole.Report().Calibration)
	require.NoError(t, o.Close())
}

func TestThePartThatIsSelectedIsInTheTable(t *testing.T) {
	whole, a, _ := halves(t, CacheOff)
	m := &Machine{Devices: []*Device{whole}, spec: strings.ToUpper(a.ID)}
	text := m.Explain()
	require.Contains(t, text, "*  "+a.ID)
	require.Contains(t, text, a.Why)
	require.Contains(t, whole.Explain(), "the first half is "+a.ID)
}
