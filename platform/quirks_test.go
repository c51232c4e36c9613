package platform

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/vendor"
)

func TestQuirkRowsAreWhole(t *testing.T) {
	tests := map[string]bool{}
	name := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	require.NoError(t, filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), ".") && e.Name() != ".." {
			return fs.SkipDir // .cache, where whole Debians come and go
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range name.FindAllSubmatch(text, -1) {
			tests[string(m[1])] = true
		}
		return err
	}))
	seen := map[string]bool{}
	for _, q := range quirk.Table {
		assert.Regexp(t, `^[a-z0-9-]+$`, q.Name)
		assert.NotEmpty(t, q.Driver, q.Name)
		assert.NotEmpty(t, q.Symptom, q.Name)
		assert.NotEmpty(t, q.Remedy, q.Name)
		assert.NotEmpty(t, q.Source, q.Name)
		assert.True(t, tests[q.Test], "%s: there is no test %q", q.Name, q.Test)
		assert.NotNil(t, q.Match, q.Name)
		assert.Equal(t, q.Always, q.Fix == 0, "%s: what is always done has no switch, the rest has", q.Name)
		assert.False(t, seen[q.Name], "%s stands twice", q.Name)
		seen[q.Name] = true
	}
}

// quirky is a device of a key, platform and driver, with its quirks.
func quirky(key, platform, driver string, switched map[string]bool) *Device {
	d := &Device{Key: key, PlatformName: platform, Driver: driver, info: &cl.DeviceInfo{}}
	d.quirks, d.quirksOff = quirksOf(d, false, switched)
	return d
}

func TestQuirksMatchByVendorAndDriver(t *testing.T) {
	old := quirky(vendor.LLVMpipe, "rusticl", "22.3.6", nil)
	assert.True(t, old.has(quirk.NoFMA))
	assert.True(t, old.has(quirk.NoDirect))
	assert.True(t, old.has(quirk.InOrder))
	assert.False(t, old.has(quirk.NoFP64))
	newer := quirky(vendor.LLVMpipe, "rusticl", "25.0.7", nil)
	assert.False(t, newer.has(quirk.InOrder))
	assert.True(t, quirky(vendor.LLVMpipe, "rusticl", "26.2.6-1", nil).has(quirk.NoFP64))
	assert.False(t, quirky(vendor.AMD, "rusticl", "25.0.7", nil).has(quirk.NoFMA))
	assert.True(t, quirky(vendor.ARM, "ARM Platform", "3.0", nil).has(quirk.KernelsFirst))
	assert.Empty(t, quirky("acme", "Acme", "1", nil).Quirks())
}

func TestTheEnvironmentSwitchesQuirks(t *testing.T) {
	t.Setenv(EnvQuirks, "+no-out-of-order, -own-program-cache,-restore-signals")
	switched, err := switches()
	require.NoError(t, err)
	usual, d := quirky(vendor.PoCL, "PoCL", "3.1", nil), quirky(vendor.PoCL, "PoCL", "3.1", switched)
	assert.True(t, usual.has(quirk.OwnCache))
	assert.False(t, usual.has(quirk.InOrder))
	assert.False(t, d.has(quirk.OwnCache))
	assert.True(t, d.has(quirk.InOrder))
	assert.Equal(t, []string{"restore-signals", "own-program-cache"}, d.QuirksOff())
	assert.NotEqual(t, usual.devicePath("x", diskcache.Caps, 1), d.devicePath("x", diskcache.Caps, 1),
		"what is proven with others is not for these")
	r := d.Explain()
	assert.Contains(t, r, "no-out-of-order (by ANYCL_QUIRKS)")
	assert.Contains(t, r, "switched off by ANYCL_QUIRKS: restore-signals, own-program-cache")

	for text, want := range map[string]string{
		"+warp-speed":     `no quirk is called "warp-speed"; there are: abi-warnings, builds-collide, half-vectors-aligned, inline-assembly, `,
		"slow-fma":        `"slow-fma" is not a name with a sign`,
		"-built-in-crash": `what is done about "built-in-crash" is done on every device`,
	} {
		t.Setenv(EnvQuirks, text)
		_, err := Discover(t.Context(), nil)
		require.ErrorContains(t, err, "platform: ANYCL_QUIRKS="+text)
		require.ErrorContains(t, err, want)
	}
}

func TestQuirksDecideWhatIsProbed(t *testing.T) {
	probing := func(key, platform, driver string, switched ...string) *prober {
		all := map[string]bool{}
		for _, s := range switched {
			all[s[1:]] = s[0] == '+'
		}
		return &prober{o: &Opened{device: quirky(key, platform, driver, all)}}
	}
	assert.Equal(t, "quirk no-fp64", probing(vendor.LLVMpipe, "rusticl", "26.2").skipped("fp64"))
	assert.Empty(t, probing(vendor.LLVMpipe, "rusticl", "26.2", "-no-fp64").skipped("fp64"))
	assert.Equal(t, "quirk no-fp64", probing(vendor.LLVMpipe, "rusticl", "25.0").skipped("fp64"))
	assert.Empty(t, probing(vendor.LLVMpipe, "rusticl", "22.3").skipped("fp64"))
	assert.Equal(t, "quirk no-fp64", probing("acme", "Acme", "1", "+no-fp64").skipped("fp64"))
	assert.Equal(t, "quirk slow-fma", probing(vendor.LLVMpipe, "rusticl", "26.2").skipped("rate_fma"))
	assert.Empty(t, probing(vendor.LLVMpipe, "rusticl", "26.2", "-slow-fma").skipped("rate_fma"))
	assert.Equal(t, "quirk macros-without-code", probing(vendor.Oclgrind, "Oclgrind", "21.10").skipped("fp64"))
	assert.Empty(t, probing(vendor.Oclgrind, "Oclgrind", "21.10", "-macros-without-code").skipped("fp64"))
	assert.Equal(t, "quirk inline-assembly", probing(vendor.PoCL, "PoCL", "6.0").skipped("dot_x86"))
	assert.Empty(t, probing(vendor.PoCL, "PoCL", "6.0", "-inline-assembly").skipped("dot_x86"))
	assert.Empty(t, probing(vendor.PoCL, "PoCL", "3.1+debian").skipped("dot_x86"))
}

func TestADriverThatKeepsProgramsItselfIsNotAskedForBinaries(t *testing.T) {
	if d := device(t); d.Key != vendor.PoCL {
		t.Skip("needs PoCL, the driver that keeps programs itself")
	}
	const sources = "-preprocesses-again" // the binary of a library is no program
	for _, quirks := range []string{sources, sources + ",-own-program-cache"} {
		calls := scaled(t, quirks).Calls()
		assert.Equal(t, quirks != sources, slicesContain(calls, "Binaries"), quirks)
	}
}

func TestKernelsAreMadeBeforeABinaryIsAskedFor(t *testing.T) {
	for _, on := range []bool{false, true} {
		switches := "-own-program-cache"
		if on {
			switches += ",+kernels-before-binary"
		}
		calls := strings.Join(scaled(t, switches).Calls(), " ")
		before, _, ok := strings.Cut(calls, "Binaries")
		require.True(t, ok, calls)
		assert.Equal(t, on, strings.Contains(before, "Kernels"), calls)
	}
}

// scaled runs a program, built for the first time, with some quirks switched, and returns the calls of the driver.
func scaled(t *testing.T, switched string) *clfault.Injector {
	t.Helper()
	id := device(t).ID
	t.Setenv(EnvQuirks, strings.TrimPrefix(switched, ","))
	faults := new(clfault.Injector)
	lib, err := cl.Open(&cl.Options{Wrap: faults.Wrap})
	require.NoError(t, err)
	m, err := Discover(t.Context(), &Options{Library: lib, Spec: id, CacheDir: t.TempDir()})
	require.NoError(t, err)
	d, err := m.Select("")
	require.NoError(t, err)
	o, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, o.Close()) }()
	faults.Off()
	runScale(t, o, "scale.cl", 41, 100)
	return faults
}

func slicesContain(calls []string, part string) bool {
	return strings.Contains(strings.Join(calls, " "), part)
}

func TestProgramsAreBuiltOneAtATimeForADriverOfOneThread(t *testing.T) {
	several(t)
	id := device(t).ID
	t.Setenv(EnvQuirks, "+one-thread")
	var at, most atomic.Int32
	lib, err := cl.Open(&cl.Options{Wrap: func(d cldriver.Driver) cldriver.Driver {
		return cldriver.Intercept(d, func(call string, do func() cldriver.Status) cldriver.Status {
			if call != "Build" {
				return do()
			}
			if n := at.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer at.Add(-1)
			time.Sleep(5 * time.Millisecond)
			return do()
		})
	}})
	require.NoError(t, err)
	m, err := Discover(t.Context(), &Options{Library: lib, Spec: id, CacheDir: CacheOff})
	require.NoError(t, err)
	d, err := m.Select("")
	require.NoError(t, err)
	o, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	done := make(chan error, 4)
	for n := range 4 {
		go func() {
			_, err := o.Program(t.Context(), "scale.cl", scale(60+n), "")
			done <- err
		}()
	}
	for range 4 {
		require.NoError(t, <-done)
	}
	require.NoError(t, o.Close())
	require.EqualValues(t, 1, most.Load())
}

func TestLargeFillsAreMadeInPieces(t *testing.T) {
	o := fresh(t, nil, nil)
	m, err := o.Alloc(1000)
	require.NoError(t, err)
	defer func(n int64) { fillPart = n }(fillPart)
	fillPart = 256
	require.NoError(t, o.Fill(m, []byte{5, 6}, 0, 1000))
	got := make([]byte, 1000)
	require.NoError(t, o.Read(t.Context(), got, m, 0))
	require.Equal(t, bytes.Repeat([]byte{5, 6}, 500), got)
	require.NoError(t, m.Close())
}

// stopped is a driver whose profiling clocks are zero.
type stopped struct{ cldriver.Driver }

func (s stopped) Info(q cldriver.Query, h cldriver.Handle, aux uintptr, param uint32, out []byte) (int, cldriver.Status) {
	n, st := s.Driver.Info(q, h, aux, param, out)
	if param >= 0x1280 && param <= 0x1284 { // CL_PROFILING_COMMAND_QUEUED to COMPLETE
		clear(out)
	}
	return n, st
}

func TestClocksThatStandStillAreNoProfiling(t *testing.T) {
	id := device(t).ID
	lib, err := cl.Open(&cl.Options{Wrap: func(d cldriver.Driver) cldriver.Driver { return stopped{d} }})
	require.NoError(t, err)
	m, err := Discover(t.Context(), &Options{Library: lib, Spec: id, CacheDir: CacheOff})
	require.NoError(t, err)
	d, err := m.Select("")
	require.NoError(t, err)
	caps, err := d.Caps(t.Context())
	require.NoError(t, err)
	require.False(t, caps.Profiling)
}

func TestVersionRanges(t *testing.T) {
	assert.True(t, quirk.VersionIn("26.2.6", 26, 0))
	assert.True(t, quirk.VersionIn("Mesa 27", 26, 0))
	assert.False(t, quirk.VersionIn("25.0.7", 26, 0))
	assert.False(t, quirk.VersionIn("27", 26, 27))
	assert.False(t, quirk.VersionIn("", 0, 0))
	assert.False(t, quirk.VersionIn("unknown", 0, 0))
	assert.False(t, quirk.VersionIn("99999999999999999999", 1, 0))
}
