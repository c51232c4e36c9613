package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inlineRole tells the devices that discovery finds and the variable's value afterwards, for Go,
// for the C library of this process, and for a program that it starts.
func inlineRole() error {
	m, err := Discover(context.Background(), nil)
	if err != nil {
		return err
	}
	for _, d := range m.Devices {
		fmt.Printf("device %s inline %v\n", d, d.inline != nil)
	}
	out, err := exec.Command("env").Output()
	if err != nil {
		return err
	}
	value, set := os.LookupEnv(envPoCLDevices)
	fmt.Printf("%q %v\n%s", value, set, out)
	return nil
}

func TestTheInlineDeviceIsNotADeviceOfItsOwn(t *testing.T) {
	d := device(t)
	if d.inline == nil {
		t.Skipf("%s has no inline device", d)
	}
	out := child(t, "inline", EnvDevice+"=")
	assert.Contains(t, out, "device "+d.String()+" inline true")
	assert.NotContains(t, out, poclCallerPlain)
	assert.Contains(t, out, `"" false`)
	assert.NotContains(t, out, envPoCLDevices+"=", "the environment is as it was")
	assert.Equal(t, 1, d.inline.Units)
}

// Where the loader finds several platforms it would start all of them to sort them. Here PoCL stands for two.
func TestTheInlineDeviceIsThereBesideOtherPlatforms(t *testing.T) {
	d := device(t)
	icd, err := os.ReadFile("/etc/OpenCL/vendors/pocl.icd")
	if err != nil || d.inline == nil && !poclPlain().MatchString(d.PlatformVersion) {
		t.Skip("no PoCL that has an inline device")
	}
	vendors := t.TempDir()
	for _, name := range []string{"one.icd", "other.icd"} {
		require.NoError(t, os.WriteFile(filepath.Join(vendors, name), icd, 0o644))
	}
	out := child(t, "inline", EnvDevice+"=", "OCL_ICD_VENDORS="+vendors)
	assert.Contains(t, out, "device "+d.String()+" inline true")
	assert.NotContains(t, out, envSort+"=", "the environment is as it was")
}

func TestTheUsersPOCLDEVICESIsHeeded(t *testing.T) {
	if device(t).inline == nil {
		t.Skip("no inline device")
	}
	out := child(t, "inline", EnvDevice+"=", envPoCLDevices+"=pthread")
	assert.Contains(t, out, "inline false")
	assert.NotContains(t, out, "inline true")
	out = child(t, "inline", EnvDevice+"=", envPoCLDevices+"=basic pthread")
	assert.Contains(t, out, poclCallerPlain, "who asks for it sees it")
	assert.NotContains(t, out, "inline true")
	assert.Contains(t, out, `"basic pthread" true`)
}

func TestOnlyKnownPoCLsAreAskedForAnInlineDevice(t *testing.T) {
	for version, want := range map[string]bool{
		"OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG": true,
		"OpenCL 3.0 PoCL 3.1  Linux, Release, RELOC, SPIR, LLVM 14.0.6, SLEEF, DISTRO":                         true,
		"OpenCL 3.0 PoCL 3.1  Linux, Release, RELOC, SPIR, LLVM 14.0.6, SLEEF, DISTRO, CUDA, POCL_DEBUG":       false, // would lose its GPU
		"OpenCL 3.0 PoCL 3.1  Linux, Release, RELOC, SPIR, LLVM 14.0.6, PROXY":                                 false,
		"OpenCL 3.0 PoCL 6.0+debian  Linux, None+Asserts, RELOC, LLVM 17.0.6, SLEEF, DISTRO":                   false, // other names
		"OpenCL 3.0 CUDA 12.4.131": false,
		"":                         false,
	} {
		assert.Equal(t, want, poclPlain().MatchString(version), version)
	}
}

func TestTheInlineDeviceComputesInTheDevicesMemory(t *testing.T) {
	o := fresh(t, nil, nil)
	c := o.InlineDevice()
	if c == nil {
		t.Skip("no inline device")
	}
	const n, count = 5, 1000
	prog, err := c.Program(t.Context(), "near.cl", scale(n), "")
	require.NoError(t, err)
	far, err := o.Program(t.Context(), "near.cl", scale(n), "")
	require.NoError(t, err)
	require.NotSame(t, far, prog, "each has a program of its own")
	again, err := c.Program(t.Context(), "near.cl", scale(n), "")
	require.NoError(t, err)
	require.Same(t, prog, again)
	q, err := c.NewQueue(cl.QueueOptions{})
	require.NoError(t, err)
	k, err := prog.Kernel("scale")
	require.NoError(t, err)
	m, err := o.Alloc(4 * count)
	require.NoError(t, err)
	for _, set := range []func() error{
		func() error { return c.SetMemory(k, 0, m) },
		func() error { return k.SetBuffer(0, m.Buffer()) }, // after an address
		func() error { return c.SetMemory(k, 0, m) },
	} {
		x := make([]float32, count)
		x[7] = 3
		require.NoError(t, o.Write(t.Context(), m, 0, cl.Bytes(x)))
		require.NoError(t, set())
		require.NoError(t, q.Launch(k, cl.Range1(count, 0), nil))
		require.NoError(t, o.Read(t.Context(), cl.Bytes(x), m, 0))
		assert.EqualValues(t, 2*3+n, x[7])
		assert.EqualValues(t, n, x[count-1])
	}
	require.NoError(t, m.Close())
	require.ErrorIs(t, c.SetMemory(k, 0, m), ErrClosed)
	require.NoError(t, errors.Join(k.Close(), q.Finish(), q.Close()))
}

func TestADeviceDoesWithoutAnInlineDeviceThatHasNoContext(t *testing.T) {
	d, faults := discovered(t, "")
	if d.inline == nil {
		t.Skip("no inline device")
	}
	faults.FailAt(1, cl.OutOfResources, "NewContext")
	o, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, 1, faults.Fired())
	assert.Nil(t, o.InlineDevice())
	runScale(t, o, "alone.cl", 3, 100)
	require.NoError(t, o.Close())
	assert.Zero(t, d.CL().Platform().Library().Stats().Total())
}

// An inline device that fails its proof is not used: every call that the probe makes on it fails in turn.
func TestAnInlineDeviceThatFailsItsProofIsNone(t *testing.T) {
	d, faults := discovered(t, CacheOff)
	if d.inline == nil {
		t.Skip("no inline device")
	}
	good, err := d.Caps(t.Context())
	require.NoError(t, err)
	require.True(t, good.InlineDevice)
	d.caps = nil
	faults.FailFrom(1, cl.OutOfResources, "Info event")
	got, err := d.Caps(t.Context())
	require.NoError(t, err)
	assert.False(t, got.InlineDevice)
	assert.Equal(t, good.Direct, got.Direct)
	d.caps = nil
	faults.Off()
}

func TestWhatHasADeviceOfPoCLOpenSharesAContext(t *testing.T) {
	id := device(t).ID
	lib, err := cl.Open(nil) // in which nobody else has it open
	require.NoError(t, err)
	open := func() *Opened {
		m, err := Discover(t.Context(), &Options{Library: lib, Spec: id})
		require.NoError(t, err)
		d, err := m.Select("")
		require.NoError(t, err)
		o, err := d.Open(t.Context(), nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.Close()) })
		return o
	}
	first, second := open(), open()
	shared := first.device.has(quirk.OneContext)
	assert.Equal(t, shared, first.Context() == second.Context())
	require.NoError(t, first.Close())

	// The remaining device works, and its context is released with it.
	_, err = second.Program(t.Context(), "fill", "kernel void fill(global int *y) { y[get_global_id(0)] = 7; }", "")
	require.NoError(t, err)
	before := second.Context()
	require.NoError(t, second.Close())
	third := open()
	assert.NotSame(t, before, third.Context())
	_, err = third.Program(t.Context(), "fill", "kernel void fill(global int *y) { y[get_global_id(0)] = 8; }", "")
	require.NoError(t, err)
}

func TestContextsOfOtherLibrariesAreTheirOwn(t *testing.T) {
	a, b := fresh(t, nil, nil), fresh(t, nil, nil)
	assert.NotSame(t, a.Context(), b.Context())
}
