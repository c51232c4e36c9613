package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// machine has two NVIDIA GPUs, one from AMD under two names, an Intel one that
// computes nothing, three CPU drivers and Oclgrind.
func machine() *Machine {
	m := new(Machine)
	add := func(id, key, name, platform string, c Class, gflops float64) *Device {
		d := &Device{ID: id, Key: key, Name: name, PlatformName: platform, Class: c, GFLOPS: gflops, order: len(m.Devices)}
		m.Devices = append(m.Devices, d)
		return d
	}
	add("oclgrind:0", vendor.Oclgrind, "Oclgrind Simulator", "Oclgrind", Simulator, 1)
	add("llvmpipe:0", vendor.LLVMpipe, "llvmpipe (LLVM 15)", "rusticl", CPU, 900)
	add("pocl:0", vendor.PoCL, "cpu-EPYC", "Portable Computing Language", CPU, 500)
	add("nvidia:0", vendor.NVIDIA, "NVIDIA T4", "NVIDIA CUDA", GPU, 8000)
	add("nvidia:1", vendor.NVIDIA, "NVIDIA H200", "NVIDIA CUDA", GPU, 60000)
	add("amd:0", vendor.AMD, "gfx942", "AMD Accelerated Parallel Processing", GPU, 70000)
	null := add("intel:0", vendor.Intel, "Intel(R) Graphics", "Intel(R) OpenCL Graphics", Simulator, 90000)
	null.quirks, _ = quirksOf(null, true, nil)
	add("intel:1", vendor.Intel, "Intel(R) Xeon", "Intel(R) OpenCL", CPU, 400)
	rank(m.Devices)
	return m
}

func TestRankIsGPUThenCPUThenLLVMpipeThenWhatDoesNotCompute(t *testing.T) {
	var ids []string
	for i, d := range machine().Devices {
		ids = append(ids, d.ID)
		assert.Equal(t, i+1, d.Rank)
		assert.NotEmpty(t, d.Why)
	}
	assert.Equal(t, []string{"amd:0", "nvidia:1", "nvidia:0", "pocl:0", "intel:1", "llvmpipe:0", "oclgrind:0", "intel:0"}, ids)
}

func TestSelectUnderstandsEverySpec(t *testing.T) {
	m := machine()
	for spec, want := range map[string]string{
		"":            "amd:0",
		"gpu":         "amd:0",
		"GPU":         "amd:0",
		"gpu:1":       "nvidia:1",
		"cpu":         "pocl:0",
		"cpu:2":       "llvmpipe:0",
		"simulator":   "oclgrind:0",
		"nvidia":      "nvidia:1", // the better one
		"nvidia:0":    "nvidia:0", // the first found
		" NVIDIA:1 ":  "nvidia:1",
		"intel":       "intel:1",
		"intel:0":     "intel:0",
		"pocl":        "pocl:0",
		"h200":        "nvidia:1",
		"NVIDIA CUDA": "nvidia:1",
		"cuda:0":      "nvidia:0",
		"rusticl":     "llvmpipe:0",
		"llvm":        "llvmpipe:0",
		"oclgrind":    "oclgrind:0",
	} {
		d, err := m.Select(spec)
		if assert.NoError(t, err, "spec %q", spec) {
			assert.Equal(t, want, d.ID, "spec %q", spec)
		}
	}
}

func TestSelectNeverReplacesADeviceThatIsAbsent(t *testing.T) {
	m := machine()
	for _, spec := range []string{"amd:1", "apple", "nvidia:2", "gpu:3", "accelerator", "h100", "pocl:-1", ":", "nvidia:x",
		"cpu:99999999999999999999"} {
		_, err := m.Select(spec)
		var se *SelectError
		if assert.ErrorAs(t, err, &se, "spec %q", spec) {
			assert.Equal(t, spec, se.Spec)
			assert.Len(t, se.Found, len(m.Devices))
			assert.NotErrorIs(t, err, ErrNoDevice, "who falls back on that must not fall back on this")
		}
	}
}

func TestAbsentDeviceErrorNamesTheVariableAndWhatWasFound(t *testing.T) {
	m := &Machine{spec: "amd:1", env: true, Devices: []*Device{
		{ID: "nvidia:0", Key: vendor.NVIDIA, Name: "NVIDIA H200"}, {ID: "pocl:0", Key: vendor.PoCL, Name: "AMD EPYC"},
	}}
	_, err := m.Select("")
	require.EqualError(t, err, "platform: ANYCL_DEVICE=amd:1: no such device; found: nvidia:0 NVIDIA H200, pocl:0 AMD EPYC")
	_, err = m.Select("gpu:7")
	require.EqualError(t, err, `platform: device "gpu:7": no such device; found: nvidia:0 NVIDIA H200, pocl:0 AMD EPYC`)
}

func TestNoneIsTheCallersWish(t *testing.T) {
	_, err := machine().Select("none")
	assert.ErrorIs(t, err, ErrNone)
	assert.NotErrorIs(t, err, ErrNoDevice)
	m := machine()
	m.spec = "None"
	_, err = m.Select("")
	assert.ErrorIs(t, err, ErrNone)
}

func TestNothingIsSelectedWhereNothingComputes(t *testing.T) {
	m := machine()
	m.Devices = m.Devices[len(m.Devices)-1:]
	require.True(t, m.Devices[0].has(quirk.NoResults))
	_, err := m.Select("")
	assert.ErrorIs(t, err, ErrNoDevice)
	d, err := m.Select("intel")
	require.NoError(t, err)
	assert.Equal(t, Simulator, d.Class)
}

func TestMissingLibraryIsInTheError(t *testing.T) {
	m := &Machine{LoadErr: &cl.LoadError{}}
	_, err := m.Select("")
	assert.ErrorIs(t, err, ErrNoDevice)
	assert.ErrorIs(t, err, cl.ErrNoLibrary)
	_, err = m.Select("nvidia")
	assert.ErrorAs(t, err, new(*SelectError))
	assert.ErrorIs(t, err, cl.ErrNoLibrary)
	assert.Contains(t, m.Explain(), "no OpenCL")
}

func TestVendorKeys(t *testing.T) {
	for _, c := range []struct{ platform, vendor, device, want string }{
		{"NVIDIA CUDA", "NVIDIA Corporation", "NVIDIA H200", "nvidia"},
		{"AMD Accelerated Parallel Processing", "Advanced Micro Devices, Inc.", "gfx1100", "amd"},
		{"rusticl", "AMD", "AMD Radeon RX 7900 (radeonsi, navi31)", "amd"},
		{"rusticl", "Mesa/X.org", "llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe"},
		{"Portable Computing Language", "AuthenticAMD", "pthread-AMD EPYC", "pocl"},
		{"Portable Computing Language", "GenuineIntel", "cpu-haswell", "pocl"},
		{"Intel(R) OpenCL Graphics", "Intel(R) Corporation", "Intel(R) Arc(TM) A770", "intel"},
		{"Intel(R) OpenCL", "Intel(R) Corporation", "AMD EPYC 9B45", "intel"},
		{"Apple", "Apple", "Apple M2 Max", "apple"},
		{"Apple", "Intel Inc.", "Intel(R) Iris(TM)", "intel"},
		{"ARM Platform", "ARM", "Mali-G78", "arm"},
		{"QUALCOMM Snapdragon(TM)", "QUALCOMM", "QUALCOMM Adreno(TM)", "qualcomm"},
		{"Oclgrind", "University of Bristol", "Oclgrind Simulator", "oclgrind"},
		{"clvk", "Acme Corp.", "Charm 3000", "acme-corp"},
		{"", "", "", "unknown"},
	} {
		assert.Equal(t, c.want, vendor.Key(c.platform, c.vendor, c.device), "%+v", c)
	}
}

func TestClasses(t *testing.T) {
	all := cl.DeviceCPU | cl.DeviceGPU | cl.DeviceAccelerator | cl.DeviceDefault
	assert.Equal(t, Simulator, classOf(vendor.Oclgrind, all, false))
	assert.Equal(t, Simulator, classOf(vendor.Intel, cl.DeviceGPU, true))
	assert.Equal(t, CPU, classOf(vendor.LLVMpipe, cl.DeviceGPU, false))
	assert.Equal(t, GPU, classOf(vendor.Intel, cl.DeviceGPU|cl.DeviceDefault, false))
	assert.Equal(t, CPU, classOf(vendor.PoCL, cl.DeviceCPU, false))
	assert.Equal(t, Accelerator, classOf("xilinx", cl.DeviceAccelerator, false))
	assert.Equal(t, Accelerator, classOf("acme", cl.DeviceCustom, false))
	text, err := CPU.MarshalText()
	require.NoError(t, err)
	assert.Equal(t, "CPU", string(text))
	var again Class
	require.NoError(t, again.UnmarshalText(text))
	assert.Equal(t, CPU, again)
	require.Error(t, again.UnmarshalText([]byte("toaster")))
	assert.Equal(t, "unknown", Class(77).String())
}

func TestNullDriverIsSeenInTheEnvironment(t *testing.T) {
	env := map[string]string{"NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "5"}
	get := func(k string) string { return env[k] }
	assert.True(t, vendor.NullDriver(vendor.Intel, get))
	assert.False(t, vendor.NullDriver(vendor.NVIDIA, get))
	env["SetCommandStreamReceiver"] = "0"
	assert.False(t, vendor.NullDriver(vendor.Intel, get))
	env["SetCommandStreamReceiver"], env["NEOReadDebugKeys"] = "1", ""
	assert.False(t, vendor.NullDriver(vendor.Intel, get))
}
