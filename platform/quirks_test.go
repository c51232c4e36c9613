package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
)

func TestQuirkRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, q := range quirkTable {
		assert.NotEmpty(t, q.Symptom, q.Name)
		assert.NotEmpty(t, q.Remedy, q.Name)
		assert.NotEmpty(t, q.Source, q.Name)
		assert.NotNil(t, q.match, q.Name)
		assert.False(t, seen[q.Name], "%s stands twice", q.Name)
		seen[q.Name] = true
	}
}

func TestQuirksMatchByVendorAndDriver(t *testing.T) {
	quirky := func(key, platform, driver string) *Device {
		d := &Device{Key: key, PlatformName: platform, Driver: driver}
		d.quirks = quirksOf(d, false)
		return d
	}
	old := quirky(keyLLVMpipe, "rusticl", "22.3.6")
	assert.True(t, old.has(fixNoFMA))
	assert.False(t, old.has(fixNoFP64))
	assert.True(t, quirky(keyLLVMpipe, "rusticl", "26.2.6-1").has(fixNoFP64))
	assert.False(t, quirky(keyAMD, "rusticl", "25.0.7").has(fixNoFMA))
	assert.True(t, quirky(keyARM, "ARM Platform", "3.0").has(fixKernelsFirst))
	assert.Empty(t, quirky("acme", "Acme", "1").Quirks())
}

func TestVersionRanges(t *testing.T) {
	assert.True(t, versionIn("26.2.6", 26, 0))
	assert.True(t, versionIn("Mesa 27", 26, 0))
	assert.False(t, versionIn("25.0.7", 26, 0))
	assert.False(t, versionIn("27", 26, 27))
	assert.False(t, versionIn("", 0, 0))
	assert.False(t, versionIn("unknown", 0, 0))
	assert.False(t, versionIn("99999999999999999999", 1, 0))
}

func TestADriverThatKeepsProgramsItselfIsNotAskedForBinaries(t *testing.T) {
	d := device(t)
	if d.Key != keyPoCL {
		t.Skip("needs PoCL, the driver that keeps programs itself")
	}
	faults := new(clfault.Injector)
	lib, err := cl.Open(&cl.Options{Wrap: faults.Wrap})
	require.NoError(t, err)
	m, err := Discover(t.Context(), &Options{Library: lib, Spec: d.ID, CacheDir: t.TempDir()})
	require.NoError(t, err)
	d, err = m.Select("")
	require.NoError(t, err)
	o, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	defer o.Close()
	faults.FailFrom(1, cl.OutOfHostMemory, "Binaries")
	runScale(t, o, "scale.cl", 41, 100)
	require.Zero(t, faults.Fired())
}
