package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// discovered returns the device under test through a library that counts calls.
func discovered(t *testing.T, dir string) (*Device, *clfault.Injector) {
	t.Helper()
	id := device(t).ID
	faults := new(clfault.Injector)
	lib, err := cl.Open(&cl.Options{Wrap: faults.Wrap})
	require.NoError(t, err)
	m, err := Discover(t.Context(), &Options{Library: lib, CacheDir: dir})
	require.NoError(t, err)
	d, err := m.Select(id)
	require.NoError(t, err)
	t.Cleanup(func() { assert.Zero(t, lib.Stats().Total(), "live OpenCL objects: %+v", lib.Stats()) })
	faults.Off()
	return d, faults
}

func TestCapabilitiesAreProvenOnceAndThenRemembered(t *testing.T) {
	dir := t.TempDir()
	d, faults := discovered(t, dir)
	assert.Nil(t, d.Report().Caps, "nothing is known before it is proven")
	caps, err := d.Caps(t.Context())
	require.NoError(t, err)
	assert.Contains(t, faults.Calls(), "Build")
	assert.Contains(t, faults.Calls(), "launch")

	faults.Off()
	again, err := d.Caps(t.Context())
	require.NoError(t, err)
	assert.Same(t, caps, again)
	assert.Empty(t, faults.Calls(), "the second call asks nobody")

	other, calls := discovered(t, dir)
	assert.Equal(t, caps, other.Report().Caps)
	fromDisk, err := other.Caps(t.Context())
	require.NoError(t, err)
	assert.Equal(t, caps, fromDisk)
	o, err := other.Open(t.Context(), &Options{CacheDir: dir})
	require.NoError(t, err)
	for _, call := range []string{"Build", "launch", "NewBuffer", "ProgramFromSource"} {
		assert.NotContains(t, calls.Calls(), call, "a warm open compiles and runs nothing")
	}
	require.NoError(t, o.Close())
}

func count(proofs []Proof, name string) (n int) {
	for _, p := range proofs {
		if p.Name == name {
			n++
		}
	}
	return n
}

func TestCapabilitiesAgreeWithTheirProofs(t *testing.T) {
	d := device(t)
	c, err := d.Caps(t.Context())
	require.NoError(t, err)
	// not tried on every device
	proven := map[string]bool{"large_fill": false, "mapping": false, "direct": false, "inline": false, "addresses": false, "registers": false,
		"register cap": false}
	for _, p := range c.Proofs {
		assert.Equal(t, 1, count(c.Proofs, p.Name), "%s is proven twice", p.Name)
		proven[p.Name] = p.Proven
		if !p.Proven {
			assert.NotEmpty(t, p.Note, "%s failed without a word", p.Name)
		}
	}
	assert.Equal(t, map[string]bool{
		"atomics32": c.Atomics32, "atomics64": c.Atomics64, "fp64": c.FP64, "half": c.Half, "subgroups": c.Subgroups,
		"shuffle": c.Shuffle, "dot_khr": c.IntDot, "ptx": c.PTX, "dot_ptx": c.DotPTX, "dot_amd": c.DotAMD, "dot_x86": c.DotX86,
		"dot_vex": c.DotVEX, "dot_avx2": c.DotAVX2, "fma": c.FMA == FMAFused,
		"out_of_order": c.OutOfOrder, "profiling": c.Profiling, "large_fill": c.LargeFill, "mapping": c.Mapping, "direct": c.Direct,
		"mma75": c.MMA >= 75, "mma80": c.MMA >= 80, "mma90": c.MMA >= 90, "inline": c.InlineDevice, "addresses": c.Addresses,
		"lanes":     c.SubgroupLanes > 0,
		"registers": c.RegisterOptions != "", "register cap": c.RegisterCap != "",
	}, proven)
	assert.Contains(t, c.Stds, "CL1.2")
	assert.Equal(t, c.Subgroups, c.SubgroupSize > 0)
	if d.Key == vendor.PoCL {
		assert.True(t, c.Atomics32 && c.Atomics64 && c.FP64 && c.OutOfOrder, "what every PoCL on a 64-bit machine does")
		assert.False(t, c.PTX)
	}
}

func TestOptionsForRegistersAreAskedOfTheCompiler(t *testing.T) {
	o := fresh(t, nil, nil)
	for option, taken := range map[string]bool{"-cl-mad-enable": true, LargeGRF + "-not": false} {
		p, err := newProber(o, false)
		require.NoError(t, err)
		defer p.close()
		p.tryRegisters("registers", option, &p.caps.RegisterOptions)
		require.Equal(t, taken, p.caps.RegisterOptions == option)
		require.Equal(t, taken, p.caps.Proofs[0].Proven)
	}
}

// A file that is damaged, empty, of another format or without sense must lead to
// new probes, and to the same answer.
func TestUselessCapabilityFilesAreMadeAnew(t *testing.T) {
	dir := t.TempDir()
	d, _ := discovered(t, dir)
	want, err := d.Caps(t.Context())
	require.NoError(t, err)
	path := d.devicePath(dir, diskcache.Caps, probeVersion)
	for name, content := range map[string][]byte{
		"empty":         {},
		"damaged":       []byte("anycl/1 caps 2 00\n{}"),
		"not JSON":      diskcache.Checksummed(diskcache.Caps, []byte("no")),
		"without sense": diskcache.Checksummed(diskcache.Caps, []byte("{}")),
		"another kind":  diskcache.Checksummed(diskcache.Program, []byte(`{"fma":"fma"}`)),
	} {
		require.NoError(t, os.WriteFile(path, content, 0o600))
		other, _ := discovered(t, dir)
		got, err := other.Caps(t.Context())
		require.NoError(t, err, name)
		assert.Equal(t, want.Atomics32, got.Atomics32, name)
		assert.Equal(t, want.FP64, got.FP64, name)
		_, err = diskcache.Read(path, diskcache.Caps)
		assert.NoError(t, err, "%s: the file is whole again", name)
	}
}

func TestAnotherDriverOrProbeVersionIsProvenAnew(t *testing.T) {
	d := &Device{Name: "a", Driver: "1", info: &cl.DeviceInfo{}}
	e := &Device{Name: "a", Driver: "2", info: &cl.DeviceInfo{}}
	assert.NotEqual(t, d.devicePath("x", diskcache.Caps, 1), e.devicePath("x", diskcache.Caps, 1))
	assert.NotEqual(t, d.devicePath("x", diskcache.Caps, 1), d.devicePath("x", diskcache.Caps, 2))
	assert.NotEqual(t, d.devicePath("x", diskcache.Caps, 1), d.devicePath("x", diskcache.Calibration, 1))
	assert.Empty(t, d.devicePath("", diskcache.Caps, 1))
	e.quirks, _ = quirksOf(e, true, nil)
	assert.Empty(t, e.devicePath("x", diskcache.Caps, 1), "a driver that executes nothing teaches nothing")
}

func TestProbingHearsItsContext(t *testing.T) {
	d, _ := discovered(t, CacheOff)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.Caps(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = d.Open(ctx, nil)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = Discover(ctx, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

// Whatever call fails while capabilities are probed, the answer is an error or a
// missing capability, never a wrong one, and nothing stays alive.
func TestProbesSurviveAFailureOfAnyCall(t *testing.T) {
	if raceEnabled && testing.Short() {
		t.Skip("one goroutine, and a compiler for each call")
	}
	d, faults := discovered(t, CacheOff)
	if d.Class == Simulator {
		t.Skip("a simulator takes minutes for it")
	}
	defer func(long time.Duration) { fmaTime = long }(fmaTime)
	fmaTime = time.Microsecond
	good, err := d.Caps(t.Context())
	require.NoError(t, err)
	calls := faults.Calls()
	for i, call := range calls {
		if slices.Index(calls, call) != i {
			continue // later ones are of the same loops
		}
		d.caps = nil
		faults.FailAt(i+1, cl.OutOfResources, "")
		got, err := d.Caps(t.Context())
		if err != nil {
			require.ErrorIs(t, err, cl.OutOfResources, "call %d, %s", i+1, call)
			continue
		}
		for _, p := range got.Proofs {
			if p.Proven && p.Name != "fma" && p.Name != "mapping" { // which are matters of time
				j := slices.IndexFunc(good.Proofs, func(q Proof) bool { return q.Name == p.Name })
				require.True(t, good.Proofs[j].Proven, "call %d, %s: %s", i+1, call, p.Name)
			}
		}
	}
}

func TestSectionsThatDoNotBuildTogetherAreTriedAlone(t *testing.T) {
	t.Setenv(EnvQuirks, "-long-header, -optimizes-twice") // for which builds that fail are repeated in another way
	d, faults := discovered(t, CacheOff)
	faults.FailAt(1, cl.BuildProgramFailure, "Build")
	c, err := d.Caps(t.Context())
	require.NoError(t, err)
	assert.True(t, c.Atomics32)
	assert.NotEmpty(t, c.FMA)
	n := 0
	for _, call := range faults.Calls() {
		if call == "Build" {
			n++
		}
	}
	assert.GreaterOrEqual(t, n, 8)

	d.caps = nil
	faults.FailFrom(1, cl.BuildProgramFailure, "Build")
	_, err = d.Caps(t.Context())
	assert.ErrorIs(t, err, cl.ErrUnsupported, "a device on which nothing builds is of no use")
}

func TestFailingOpenLeavesNothing(t *testing.T) {
	d, faults := discovered(t, "")
	for _, call := range []string{"NewContext", "NewQueue"} {
		faults.FailFrom(1, cl.OutOfHostMemory, call)
		_, err := d.Open(t.Context(), nil)
		assert.ErrorIs(t, err, cl.OutOfHostMemory)
		assert.ErrorContains(t, err, "platform: open "+d.ID)
		assert.Zero(t, d.CL().Platform().Library().Stats().Total())
	}
}

func TestCalibrationIsSaneAndKept(t *testing.T) {
	dir := t.TempDir()
	d, _ := discovered(t, dir)
	var log bytes.Buffer
	o, err := d.Open(t.Context(), &Options{CacheDir: dir, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	assert.Nil(t, o.Calibration())
	c, err := o.Calibrate(t.Context())
	require.NoError(t, err)
	assert.True(t, c.valid())
	if d.Class != Simulator {
		assert.Greater(t, 8*c.Wait, c.Launch, "a launch that somebody waits for takes longer; other programs lengthen either, by several times")
	}
	assert.Equal(t, c, o.Calibration())
	assert.Contains(t, log.String(), "calibrated")
	require.NoError(t, o.Close())

	again, _ := discovered(t, dir)
	assert.True(t, again.Calibrated)
	assert.Equal(t, c.GFLOPS, again.GFLOPS)
	assert.Contains(t, again.Explain(), "upload")
	assert.Contains(t, again.Why, "measured")

	for _, bad := range []string{"{}", `{"gflops":-1}`, "x", `{"gflops":1e999}`} {
		require.NoError(t, os.WriteFile(d.devicePath(dir, diskcache.Calibration, calibrationVersion),
			diskcache.Checksummed(diskcache.Calibration, []byte(bad)), 0o600))
		again, _ = discovered(t, dir)
		assert.False(t, again.Calibrated, bad)
	}
}

func TestABusyMachineMakesNoRateOfAnySize(t *testing.T) {
	t.Parallel()
	require.Equal(t, 90*time.Nanosecond, without(100, 10))
	require.Equal(t, 50*time.Nanosecond, without(100, 1000), "the part was measured later, beside other work")
	require.Zero(t, without(0, 5))

	o := fresh(t, nil, &Options{CacheDir: t.TempDir()})
	c, err := o.Calibrate(t.Context())
	require.NoError(t, err)
	if c.InlineLaunch == 0 {
		t.Skip("the device has no inline device")
	}
	require.Less(t, c.InlineCopy, 1e12)
	for _, rate := range []float64{0, 4e15, math.Inf(1), math.NaN()} {
		bad := *c
		bad.InlineCopy = rate
		require.False(t, bad.valid(), rate)
	}
}

func TestMeasurementsBesideOtherWorkAreTheBestOfThree(t *testing.T) {
	t.Parallel()
	o := fresh(t, nil, &Options{CacheDir: t.TempDir()})
	var best *Calibration
	for i := range enoughTries {
		c, err := o.CalibrateBeside(t.Context())
		require.NoError(t, err)
		require.Equal(t, i+1, c.Tries)
		require.Equal(t, i+1 == enoughTries, c.Settled())
		if best != nil {
			require.LessOrEqual(t, c.Wait, best.Wait)
			require.GreaterOrEqual(t, c.Copy, best.Copy)
			require.LessOrEqual(t, c.Uploads.At(5000), best.Uploads.At(5000))
		}
		best = c
	}
	c, err := o.Calibrate(t.Context())
	require.NoError(t, err)
	require.Zero(t, c.Tries)
	require.True(t, c.Settled())
}

func TestACurveGoesThroughItsPointsAndOnBeyond(t *testing.T) {
	t.Parallel()
	c := Curve{{64, 10}, {1000, 20}, {2000, 120}}
	for n, want := range map[int64]time.Duration{0: 10, 64: 10, 1000: 20, 1500: 70, 2000: 120, 3000: 220} {
		require.Equal(t, want, c.At(n), n)
	}
	require.Equal(t, time.Duration(7), Curve{{64, 7}}.At(1<<40))
	require.Zero(t, Curve(nil).At(5))
	require.Equal(t, time.Duration(30), Curve{{1, 40}, {10, 30}}.At(100), "where times fall they do not go on falling")
	require.True(t, c.valid())
	for _, bad := range []Curve{nil, {{64, 0}}, {{64, 5}, {64, 6}}, {{-1, 5}}} {
		require.False(t, bad.valid())
	}
}

func TestCalibrationHearsItsContextAndFailuresLeaveNothing(t *testing.T) {
	faults := new(clfault.Injector)
	o := fresh(t, &cl.Options{Wrap: faults.Wrap}, &Options{CacheDir: CacheOff})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := o.Calibrate(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	for _, call := range []string{"NewBuffer", "NewKernel", "launch", "finish", "set argument", "write", "map"} {
		faults.FailAt(1, cl.InvalidOperation, call)
		if _, err := o.Calibrate(t.Context()); faults.Fired() > 0 {
			assert.ErrorIs(t, err, cl.InvalidOperation, call)
		}
		assert.Zero(t, o.Stats().Live, call)
	}
	faults.Off()
	assert.Nil(t, o.device.loadCalibration(o.opts.CacheDir), "with the cache off nothing is kept")
}

func TestReportsAreJSON(t *testing.T) {
	d := device(t)
	_, err := d.Caps(t.Context())
	require.NoError(t, err)
	b, err := json.Marshal(d.Report())
	require.NoError(t, err)
	var back map[string]any
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, d.ID, back["id"])
	assert.Equal(t, d.Class.String(), back["class"])
	assert.Contains(t, back["caps"], "proofs")
	m, err := Discover(t.Context(), nil)
	require.NoError(t, err)
	b, err = json.Marshal(m)
	require.NoError(t, err)
	assert.Contains(t, string(b), `"devices":[{"id":`)
}

func TestExplainShowsTheChoiceAndTheProofs(t *testing.T) {
	d := device(t)
	_, err := d.Caps(t.Context())
	require.NoError(t, err)
	m, err := Discover(t.Context(), &Options{Spec: d.ID})
	require.NoError(t, err)
	text := m.Explain()
	for _, want := range []string{"device", "why", d.ID, d.Name, "* selected"} {
		assert.Contains(t, text, want)
	}
	d, err = m.Select(d.ID)
	require.NoError(t, err)
	text = d.Explain()
	for _, want := range []string{d.Driver, "capability", "atomics32", "FMA(a, b, c) is"} {
		assert.Contains(t, text, want)
	}
	m.spec = "nobody"
	assert.Contains(t, m.Explain(), "nothing selected")
}
