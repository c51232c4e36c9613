package anycl_test

import (
	"context"
	"errors"
	"log"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// The promise of the project, in one file: the same graph gives the same
// answer on every device found and on the CPU path.
//
//	go test -run Portability -v .                     the report of every engine
//	ANYCL_REQUIRE=pocl,nvidia go test .               a device that is absent is a failure
//	go test -fuzz FuzzGraphsAgree .                   random graphs until stopped

// requireVar lists devices, in the grammar of ANYCL_DEVICE, that must be there.
const requireVar = "ANYCL_REQUIRE"

var machine = sync.OnceValues(func() (*platform.Machine, error) { return testdevices.Discover(context.Background()) })

// devices are those that compute in reasonable time: a simulator only when it
// is required.
func devices(t testing.TB) []*platform.Device {
	t.Helper()
	m, err := machine()
	require.NoError(t, err)
	required, _, err := testdevices.Named(m, testdevices.Specs(os.Getenv(requireVar)))
	require.NoError(t, err, "%s=%s", requireVar, os.Getenv(requireVar))
	return testdevices.Usual(m, required)
}

// shared are the opened devices of the process: opening one takes longer than
// most tests. All other engines share what theirs have compiled.
var shared struct {
	sync.Mutex
	open    map[string]*platform.Opened
	engines map[string]*ocl.Engine
}

// onDevice is a new engine on d.
func onDevice(t testing.TB, d *platform.Device) engine.Engine {
	return forcedOn(t, d, variant.ForcedByEnv())
}

// forcedOn is a new engine on d with a list of variants.
func forcedOn(t testing.TB, d *platform.Device, variants string) *ocl.Engine {
	t.Helper()
	o := opened(t, d)
	shared.Lock()
	defer shared.Unlock()
	if shared.engines[d.ID] == nil {
		if shared.engines == nil {
			shared.engines = map[string]*ocl.Engine{}
		}
		shared.engines[d.ID] = ocl.New(o)
	}
	return shared.engines[d.ID].Forced(variants, nil)
}

// opened is d, open until the process ends.
func opened(t testing.TB, d *platform.Device) *platform.Opened {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.open[d.ID] == nil {
		opened, err := d.Open(context.Background(), nil)
		require.NoError(t, err)
		if shared.open == nil {
			shared.open = map[string]*platform.Opened{}
		}
		shared.open[d.ID] = opened
	}
	return shared.open[d.ID]
}

// onCPUPath is a new engine that needs no OpenCL.
func onCPUPath(testing.TB) engine.Engine { return fallback.New(nil) }

func TestMain(m *testing.M) {
	code := m.Run()
	for id, e := range shared.engines {
		if err := e.Close(); err != nil {
			log.Printf("close the engine of %s: %v", id, err)
			code = max(code, 1)
		}
	}
	for id, d := range shared.open {
		if err := d.Close(); err != nil {
			log.Printf("close %s: %v", id, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// eachEngine runs a subtest for every device, with a list of variants beside that of the environment, and for the CPU
// path.
func eachEngine(t *testing.T, variants string, test func(t *testing.T, open func(t testing.TB) engine.Engine)) {
	for _, d := range devices(t) {
		t.Run(d.ID, func(t *testing.T) {
			test(t, func(t testing.TB) engine.Engine { return forcedOn(t, d, variant.ForcedByEnv()+","+variants) })
		})
	}
	t.Run("cpu", func(t *testing.T) { test(t, onCPUPath) })
}

// lasting is an engine that is closed when the test and its subtests are over.
func lasting(t testing.TB, open func(t testing.TB) engine.Engine) engine.Engine {
	t.Helper()
	e := open(t)
	t.Cleanup(func() {
		if st := e.Stats(); st.Memories != 0 || st.Sequences != 0 {
			t.Errorf("%s is left with %+v", e.Name(), st)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestPortabilityOfTheMachine(t *testing.T) {
	m, err := machine()
	require.NoError(t, err)
	for _, d := range m.Devices {
		t.Logf("found   %-12s %s, %s, driver %s", d.ID, d.Name, d.Class, d.Driver)
	}
	for _, key := range testdevices.Absent(m) {
		t.Logf("absent  %s", key)
	}
	for _, n := range m.Notes {
		t.Logf("unused  %s: %s", n.What, n.Why)
	}
	if m.LoadErr != nil {
		t.Logf("no OpenCL: %v", m.LoadErr)
	}
	devices(t) // fails for a required one that is absent
}

func TestEveryOpAgreesWithReference(t *testing.T) {
	t.Parallel()
	eachEngine(t, "", func(t *testing.T, open func(t testing.TB) engine.Engine) {
		e := lasting(t, open)
		cpu := e.Name() == "cpu"
		o := &optest.Options{
			Complete: cpu, // there is nothing that Go lacks
			Bundle:   !cpu && !testdevices.Full(),
			Few:      true,
			Join:     true,
		}
		device, ok := e.(*ocl.Engine)
		if !ok || testdevices.Full() {
			optest.TestOps(t, e, o)
			return
		}
		// A driver's optimizer meets each op that has kernels of its own in the dtypes that most programs have: element-wise ops, which
		// share kernels, with all samples, others with one in six. What consists of others comes down to the same kernels, or to maps of
		// several ops, which random graphs are, too. Numbers of 16 bits are computed as float32 is, and tests of casts compile their
		// loads and stores with the optimizer.
		usual, others, compositions := *o, *o, *o
		for _, dt := range tensor.DTypes() {
			if slices.Contains([]tensor.DType{tensor.Float32, tensor.Int32, tensor.Bool, tensor.Complex64}, dt) {
				usual.DTypes = append(usual.DTypes, dt)
			} else {
				others.DTypes = append(others.DTypes, dt)
			}
		}
		own := usual
		for op := range ops.Table() {
			switch {
			case (op.Compose != nil || op.ComposeAll != nil) && !slices.Contains(variantOps, op.Name):
				compositions.Ops = append(compositions.Ops, op.Name)
				continue
			case op.Scalar != nil && len(op.Operands) > 0:
				usual.Ops = append(usual.Ops, op.Name)
			default:
				own.Ops = append(own.Ops, op.Name)
			}
			others.Ops = append(others.Ops, op.Name)
		}
		own.Every = 6
		rest := own
		rest.Rest = true
		t.Run("usual", func(t *testing.T) { optest.TestOps(t, e, &usual) })
		t.Run("own", func(t *testing.T) { optest.TestOps(t, e, &own) })
		unoptimized := func() engine.Engine {
			return lasting(t, func(testing.TB) engine.Engine {
				return device.Forced(variant.ForcedByEnv()+","+testdevices.Unoptimized(), nil)
			})
		}
		t.Run("rest", func(t *testing.T) { optest.TestOps(t, unoptimized(), &rest) })
		t.Run("others", func(t *testing.T) { optest.TestOps(t, unoptimized(), &others) })
		compositions.WithGradients = true // by TestGradientsAgreeAcrossEngines
		t.Run("compositions", func(t *testing.T) { optest.TestOps(t, unoptimized(), &compositions) })
	})
}

func TestGradientsAgreeWithFiniteDifferences(t *testing.T) {
	t.Parallel()
	eachEngine(t, "", func(t *testing.T, open func(t testing.TB) engine.Engine) {
		e := lasting(t, open)
		if e.Name() != "cpu" && !testdevices.Full() {
			t.Skipf("compared with the CPU path, which is compared with differences; %s=full does both", testdevices.EnvMatrix)
		}
		optest.TestGradients(t, e, nil)
	})
}

// The derivatives of derivatives are those of the same rules on every engine, so that the CPU path stands for all.
func TestSecondGradientsAgreeWithFiniteDifferences(t *testing.T) {
	t.Parallel()
	optest.TestSecondGradients(t, lasting(t, onCPUPath), nil)
}

func TestGradientsAgreeAcrossEngines(t *testing.T) {
	t.Parallel()
	eachEngine(t, testdevices.Unoptimized(), func(t *testing.T, open func(t testing.TB) engine.Engine) {
		e := lasting(t, open)
		o := &optest.Options{Bundle: e.Name() != "cpu" && !testdevices.Full(), Few: true, WithGradients: true}
		optest.TestGradientsAgree(t, e, lasting(t, onCPUPath), o)
	})
}

func TestEnginesKeepTheirPromises(t *testing.T) {
	eachEngine(t, "", optest.TestSeam)
}

// What own kernels are told of their launch, in every way that a device has to run them.
func TestOwnKernelsSeeTheirLaunch(t *testing.T) {
	for _, d := range devices(t) {
		t.Run(d.ID, func(t *testing.T) {
			n := 16 // each way of calling, at each level of the language
			if testdevices.Full() {
				n = 200
			}
			optest.TestKernels(t, lasting(t, func(t testing.TB) engine.Engine { return onDevice(t, d) }), n)
		})
	}
}

// Folds over millions of values, whose errors must not grow with their number.
func TestLongFoldsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	eachEngine(t, "", func(t *testing.T, open func(t testing.TB) engine.Engine) {
		e, n := lasting(t, open), 1
		if e.Name() == "cpu" || testdevices.Full() { // one where everything must be compiled
			n = optest.LongFolds
		}
		optest.TestLongFolds(t, e, n)
	})
}

func TestRandomGraphsAgree(t *testing.T) {
	t.Parallel()
	eachEngine(t, testdevices.Unoptimized(), func(t *testing.T, open func(t testing.TB) engine.Engine) {
		e, n := lasting(t, open), 16
		if e.Name() == "cpu" || testdevices.Full() { // 16 where everything must be compiled
			n = 500
		}
		optest.TestGraphs(t, e, n)
	})
}

func TestRandomOpenGraphsAgree(t *testing.T) {
	t.Parallel()
	eachEngine(t, testdevices.Unoptimized(), func(t *testing.T, open func(t testing.TB) engine.Engine) {
		e, n := lasting(t, open), 3 // each is compiled for four sizes
		if e.Name() == "cpu" || testdevices.Full() {
			n = 100
		}
		optest.TestOpenGraphs(t, e, n)
	})
}

func TestRandomPlacementsAgree(t *testing.T) {
	t.Parallel()
	eachEngine(t, testdevices.Unoptimized(), func(t *testing.T, open func(t testing.TB) engine.Engine) {
		e, n := lasting(t, open), 6
		if e.Name() == "cpu" || testdevices.Full() {
			n = 500
		}
		optest.TestPlacements(t, e, lasting(t, onCPUPath), n)
	})
}

func TestGradientsOfRandomGraphsAgree(t *testing.T) {
	t.Parallel()
	eachEngine(t, testdevices.Unoptimized(), func(t *testing.T, open func(t testing.TB) engine.Engine) {
		e, n := lasting(t, open), 6
		if e.Name() == "cpu" || testdevices.Full() {
			n = 250
		}
		optest.TestGraphGradients(t, e, lasting(t, onCPUPath), n)
	})
}

func FuzzGraphsAgree(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed)
	}
	engines := []engine.Engine{lasting(f, onCPUPath)}
	for _, d := range devices(f) {
		engines = append(engines, lasting(f, func(t testing.TB) engine.Engine { return onDevice(t, d) }))
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		for _, e := range engines {
			optest.CheckGraph(t, e, seed)
			if seed%2 != 0 {
				optest.CheckGraphGradients(t, e, engines[0], seed)
			}
		}
	})
}

func TestRequiredDeviceThatIsAbsentIsAnError(t *testing.T) {
	m, err := machine()
	require.NoError(t, err)
	_, err = m.Select("no such device")
	var absent *platform.SelectError
	require.True(t, errors.As(err, &absent), "%v", err)
}
