package platform

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/quirk"
)

// entries returns the cached programs in a cache folder.
func entries(t testing.TB, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "programs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return nil
	})
	require.NoError(t, err)
	return paths
}

func TestProgramComesFromMemoryThenFromDisk(t *testing.T) {
	dir := t.TempDir()
	o := fresh(t, nil, &Options{CacheDir: dir})
	runScale(t, o, "scale.cl", 1, 1000)
	runScale(t, o, "scale.cl", 1, 1000)
	s := o.Stats()
	assert.EqualValues(t, 1, s.ProgramsBuilt)
	assert.EqualValues(t, 1, s.ProgramsShared)
	assert.Len(t, entries(t, dir), 1)

	again := fresh(t, nil, &Options{CacheDir: dir})
	runScale(t, again, "scale.cl", 1, 1000)
	s = again.Stats()
	assert.Zero(t, s.ProgramsBuilt, "a warm cache compiles nothing")
	assert.EqualValues(t, 1, s.ProgramsLoaded)
}

func TestAnotherSourceOrOptionIsAnotherProgram(t *testing.T) {
	dir := t.TempDir()
	o := fresh(t, nil, &Options{CacheDir: dir})
	for _, options := range []string{"", "-DX=1", "-cl-std=CL1.1"} {
		_, err := o.Program(t.Context(), "scale.cl", scale(2), options)
		require.NoError(t, err)
	}
	_, err := o.Program(t.Context(), "scale.cl", scale(3), "")
	require.NoError(t, err)
	assert.EqualValues(t, 4, o.Stats().ProgramsBuilt)
	assert.Len(t, entries(t, dir), 4)
}

// damage runs f over the one entry of a cache and expects the program to work
// from source afterwards, without an error and with a whole entry again.
func damage(t *testing.T, n int, f func(path string, whole []byte)) {
	dir := t.TempDir()
	runScale(t, fresh(t, nil, &Options{CacheDir: dir}), "scale.cl", n, 100)
	paths := entries(t, dir)
	require.Len(t, paths, 1)
	whole, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	f(paths[0], whole)
	o := fresh(t, nil, &Options{CacheDir: dir})
	runScale(t, o, "scale.cl", n, 100)
	assert.EqualValues(t, 1, o.Stats().ProgramsBuilt)
	assert.Zero(t, o.Stats().ProgramsLoaded)
	o = fresh(t, nil, &Options{CacheDir: dir})
	runScale(t, o, "scale.cl", n, 100)
	assert.EqualValues(t, 1, o.Stats().ProgramsLoaded, "the entry was made anew")
}

func TestTruncatedCacheEntryIsRebuilt(t *testing.T) {
	damage(t, 10, func(path string, whole []byte) { require.NoError(t, os.Truncate(path, int64(len(whole)/2))) })
}

func TestCacheEntryWithAFlippedBitIsRebuilt(t *testing.T) {
	damage(t, 11, func(path string, whole []byte) {
		whole[len(whole)-7] ^= 4
		require.NoError(t, os.WriteFile(path, whole, 0o600))
	})
}

func TestEmptyCacheEntryIsRebuilt(t *testing.T) {
	damage(t, 12, func(path string, _ []byte) { require.NoError(t, os.WriteFile(path, nil, 0o600)) })
}

func TestVanishedCacheEntryIsRebuilt(t *testing.T) {
	damage(t, 13, func(path string, _ []byte) { require.NoError(t, os.Remove(path)) })
}

// A binary that is whole and that the driver does not want, as after an update
// that kept its version: the header is right, the content is not a binary.
func TestCacheEntryThatTheDriverRefusesIsRebuilt(t *testing.T) {
	if d := device(t); strings.EqualFold(d.PlatformName, "rusticl") && quirk.VersionIn(d.Driver, 0, 25) {
		t.Skip("ends the process when it is given what is not a binary: see the quirk truncated-binary-aborts")
	}
	damage(t, 14, func(path string, _ []byte) {
		require.NoError(t, os.WriteFile(path, diskcache.Checksummed(diskcache.Program, bytes.Repeat([]byte("not a binary"), 50)), 0o600))
	})
}

func TestDriverThatFailsToLoadABinaryBuildsFromSource(t *testing.T) {
	dir := t.TempDir()
	runScale(t, fresh(t, nil, &Options{CacheDir: dir}), "scale.cl", 15, 100)
	for _, call := range []string{"ProgramFromBinary", "Build"} {
		faults := new(clfault.Injector)
		o := fresh(t, &cl.Options{Wrap: faults.Wrap}, &Options{CacheDir: dir})
		faults.FailAt(1, cl.InvalidBinary, call)
		runScale(t, o, "scale.cl", 15, 100)
		assert.Equal(t, 1, faults.Fired(), call)
		assert.EqualValues(t, 1, o.Stats().ProgramsBuilt, call)
	}
}

func TestDriverWithoutBinariesStillBuilds(t *testing.T) {
	faults := new(clfault.Injector)
	o := fresh(t, &cl.Options{Wrap: faults.Wrap}, &Options{CacheDir: t.TempDir()})
	faults.FailFrom(1, cl.OutOfHostMemory, "Binaries")
	runScale(t, o, "scale.cl", 16, 100)
	assert.Positive(t, faults.Fired())
}

func TestUnwritableCacheFolderCostsNothingButTime(t *testing.T) {
	// A file in the way fails for everybody; permissions do not stop root.
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	for _, dir := range []string{blocked, os.DevNull, "/proc/nowhere", CacheOff} {
		o := fresh(t, nil, &Options{CacheDir: dir})
		runScale(t, o, "scale.cl", 17, 100)
		assert.EqualValues(t, 1, o.Stats().ProgramsBuilt, dir)
	}
}

func TestReadOnlyCacheFolderStillServes(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	runScale(t, fresh(t, nil, &Options{CacheDir: dir}), "scale.cl", 18, 100)
	for _, p := range entries(t, dir) {
		require.NoError(t, os.Chmod(filepath.Dir(p), 0o500))
		t.Cleanup(func() { _ = os.Chmod(filepath.Dir(p), 0o700) })
	}
	o := fresh(t, nil, &Options{CacheDir: dir})
	runScale(t, o, "scale.cl", 18, 100)
	assert.EqualValues(t, 1, o.Stats().ProgramsLoaded)
}

// several skips tests that call a driver from several goroutines where that
// cannot be done.
func several(t *testing.T) {
	t.Helper()
	if device(t).has(quirk.OneThread) {
		t.Skip("the driver is not safe for concurrent calls: see the quirk one-thread")
	}
}

func TestConcurrentCallersShareOneBuild(t *testing.T) {
	o := fresh(t, nil, &Options{CacheDir: CacheOff})
	const callers = 16
	progs := make([]*cl.Program, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			var err error
			progs[i], err = o.Program(t.Context(), "scale.cl", scale(19), "")
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	for _, p := range progs {
		assert.Same(t, progs[0], p)
	}
	assert.EqualValues(t, 1, o.Stats().ProgramsBuilt)
	assert.EqualValues(t, callers-1, o.Stats().ProgramsShared)
}

func TestFourOpenedDevicesRaceOnAColdCache(t *testing.T) {
	several(t)
	dir := t.TempDir()
	var all [4]*Opened
	for i := range all {
		all[i] = fresh(t, nil, &Options{CacheDir: dir})
	}
	var wg sync.WaitGroup
	for _, o := range all {
		wg.Go(func() {
			for n := 20; n < 23; n++ {
				runScale(t, o, "scale.cl", n, 64)
			}
		})
	}
	wg.Wait()
	assert.Len(t, entries(t, dir), 3)
}

func TestBuildErrorNamesTheProgramAndTheLine(t *testing.T) {
	o := fresh(t, nil, &Options{CacheDir: t.TempDir()})
	for range 2 { // a failure is not remembered
		_, err := o.Program(t.Context(), "broken.cl", "kernel void f(global int *x) {\n    x[0] = VEC;\n}\n", "")
		var be *cl.BuildError
		require.ErrorAs(t, err, &be)
		assert.ErrorIs(t, err, cl.BuildProgramFailure)
		assert.Contains(t, err.Error(), `platform: program "broken.cl"`)
		assert.Equal(t, 2, be.Line)
		assert.Contains(t, be.File, "broken.cl")
	}
	assert.Zero(t, o.Stats().Programs)
	runScale(t, o, "scale.cl", 24, 10) // the device still works
}

func TestProgramNamesMayBeAnything(t *testing.T) {
	o := fresh(t, nil, &Options{CacheDir: CacheOff})
	for _, name := range []string{"", "two words.cl", "quote\".cl", "back\\slash.cl", "line\nbreak.cl", "\xff\xfe"} {
		_, err := o.Program(t.Context(), name, scale(25), "")
		assert.NoError(t, err, "%q", name)
	}
}

// gated opens the device with a compiler that waits until the gate is closed.
func gated(t *testing.T) (o *Opened, gate chan struct{}) {
	_, err := device(t).Caps(t.Context()) // so that only the test's own builds wait
	require.NoError(t, err)
	gate = make(chan struct{})
	return fresh(t, &cl.Options{Wrap: gatedBuild(gate)}, &Options{CacheDir: CacheOff}), gate
}

func TestCancelledCallerLeavesTheBuildToOthers(t *testing.T) {
	o, gate := gated(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := o.Program(ctx, "scale.cl", scale(26), "")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(gate)
	_, err = o.Program(t.Context(), "scale.cl", scale(26), "")
	require.NoError(t, err)
	assert.EqualValues(t, 1, o.Stats().ProgramsBuilt, "the build that was left is the one that is found")
	_, err = o.Program(ctx, "scale.cl", scale(26), "")
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestCloseWaitsForBuildsInProgress(t *testing.T) {
	o, gate := gated(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	for i := range 3 {
		_, err := o.Program(ctx, "scale.cl", scale(27+i), "")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	closed := make(chan error, 1)
	go func() { closed <- o.Close() }()
	select {
	case <-closed:
		t.Fatal("closed while a compiler was at work")
	case <-time.After(20 * time.Millisecond):
	}
	close(gate)
	require.NoError(t, <-closed) // fresh checks that nothing is left
}

func TestFMAMacroHasOneMeaningInEveryContext(t *testing.T) {
	o := fresh(t, nil, &Options{CacheDir: CacheOff})
	src := "kernel void f(global float *x) { x[0] = FMA(x[0] + 1.0f, x[1] - 1.0f, x[2] * 2.0f) * 2.0f; float4 v = FMA((float4)(1.0f), (float4)(x[1]), (float4)(2.0f)); x[1] = v.w; }"
	prog, err := o.Program(t.Context(), "fma.cl", src, "")
	require.NoError(t, err)
	k, err := prog.Kernel("f")
	require.NoError(t, err)
	defer func() { assert.NoError(t, k.Close()) }()
	mem, err := o.Alloc(12)
	require.NoError(t, err)
	x := []float32{2, 5, 7}
	require.NoError(t, o.Write(t.Context(), mem, 0, cl.Bytes(x)))
	require.NoError(t, k.SetBuffer(0, mem.Buffer()))
	require.NoError(t, o.Queue().Launch(k, cl.Range1(1, 1), nil))
	require.NoError(t, o.Read(t.Context(), cl.Bytes(x), mem, 0))
	assert.Equal(t, []float32{(3*4 + 14) * 2, 7, 7}, x)
	for _, f := range []FMA{FMAFused, FMAMad, FMAPlain} {
		assert.Contains(t, f.Expression(), "(c)", fmt.Sprint(f))
	}
}

// Whatever decides whether a binary is right must change its name on disk.
func TestProgramKeyCoversWhatDecidesAboutABinary(t *testing.T) {
	base := func() *Device {
		return &Device{
			PlatformName: "p", PlatformVersion: "1", Name: "n", Vendor: "v", Driver: "d", Units: 4,
			info: &cl.DeviceInfo{AddressBits: 64},
		}
	}
	seen := map[string]string{base().programID("source", "options"): "base"}
	add := func(what, id string) {
		if other, taken := seen[id]; taken {
			t.Errorf("%s has the key of %s", what, other)
		}
		seen[id] = what
	}
	add("source", base().programID("source2", "options"))
	add("options", base().programID("source", "options2"))
	for what, change := range map[string]func(*Device){
		"platform": func(d *Device) { d.PlatformName = "q" }, "platform version": func(d *Device) { d.PlatformVersion = "2" },
		"name": func(d *Device) { d.Name = "m" }, "vendor": func(d *Device) { d.Vendor = "w" },
		"driver": func(d *Device) { d.Driver = "e" }, "pointer size": func(d *Device) { d.info.AddressBits = 32 },
		"units": func(d *Device) { d.Units = 8 },
	} {
		d := base()
		change(d)
		add(what, d.programID("source", "options"))
	}
	assert.Equal(t, base().programID("source", "options"), base().programID("source", "options"))
}

// Who compiles one program after another keeps those that were asked for last. The others are
// whole as long as anybody has them, and then gone.
func TestProgramsThatNobodyUsesAreForgotten(t *testing.T) {
	o := fresh(t, nil, &Options{CacheDir: CacheOff})
	o.most = 3
	lib := o.Device().CL().Platform().Library()
	before := lib.Stats().Programs
	get := func(n int) *cl.Program {
		p, err := o.Program(t.Context(), "scale.cl", scale(700+n), "")
		require.NoError(t, err)
		return p
	}
	held := get(0)
	kernel, err := get(1).Kernel("scale")
	require.NoError(t, err)
	for n := range 8 {
		get(2 + n)
		get(2) // is asked for again and stays
	}
	built := o.Stats().ProgramsBuilt
	get(2)
	require.EqualValues(t, 10, built)
	require.Equal(t, built, o.Stats().ProgramsBuilt)
	require.Equal(t, 3, o.Stats().Programs)
	left := func(n int, why string) {
		t.Helper()
		require.Eventually(t, func() bool {
			runtime.GC()
			return lib.Stats().Programs == before+n
		}, 10*time.Second, time.Millisecond, why)
	}
	left(3+2, "kept, held, and that of a kernel")
	require.NoError(t, kernel.Close())
	kernel = nil
	left(3+1, "kept, held")
	again, err := held.Kernel("scale")
	require.NoError(t, err, "it is whole")
	require.NoError(t, again.Close())
	get(0)
	require.Equal(t, built+1, o.Stats().ProgramsBuilt)
	runtime.KeepAlive(held)
	get(3)
	get(4) // 0 is left to held, which Close of the device does not wait for
}
