package drills

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// mode is a way to drive the device of this machine.
type mode struct{ name, variant, staging string }

// modes: as it is driven by default; by commands alone, as other devices are; as a device with
// memory of its own.
var modes = []mode{{"default", "", ""}, {"commands", "thread=workers", ""}, {"own memory", "thread=workers", "on"}}

func (m mode) set(t *testing.T) {
	t.Setenv(variant.EnvVariant, m.variant)
	t.Setenv(platform.EnvStaging, m.staging)
}

// rig is a library of its own whose calls can be made to fail, and a device of it.
type rig struct {
	faults clfault.Injector
	lib    *cl.Library
	device string
	dir    string // of caches
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{dir: warm(t)}
	return r.on(t, r.faults.Wrap)
}

// sound is a rig without an injector, which remembers every call.
func sound(t *testing.T) *rig {
	t.Helper()
	return (&rig{dir: warm(t)}).on(t)
}

func (r *rig) on(t *testing.T, wrap ...func(cldriver.Driver) cldriver.Driver) *rig {
	t.Helper()
	r.lib, r.device = library(t, wrap...)
	t.Cleanup(func() { require.Zero(t, r.lib.Stats().Total(), "%+v", r.lib.Stats()) })
	return r
}

// library opens one and says which device of it is best; without any the test is skipped.
func library(t *testing.T, wrap ...func(cldriver.Driver) cldriver.Driver) (*cl.Library, string) {
	t.Helper()
	o := &cl.Options{}
	for _, o.Wrap = range wrap {
	}
	lib, err := cl.Open(o)
	if err != nil {
		t.Skipf("no OpenCL library: %v", err)
	}
	m, err := platform.Discover(t.Context(), &platform.Options{Library: lib})
	require.NoError(t, err)
	d, err := m.Select("")
	if errors.Is(err, platform.ErrNoDevice) || errors.Is(err, platform.ErrNone) {
		t.Skipf("no OpenCL device: %v", err)
	}
	require.NoError(t, err)
	if d.Class == platform.Simulator {
		t.Skip("a simulator takes minutes for it")
	}
	return lib, d.ID
}

// warm is a folder with the device's measurements, made once, so that nothing is measured during the drills.
var warm = func() func(t *testing.T) string {
	var once sync.Once
	var failed error
	return func(t *testing.T) string {
		t.Helper()
		dir := filepath.Join(os.Getenv(platform.EnvCache), "warm")
		once.Do(func() { failed = measure(dir) })
		require.NoError(t, failed)
		return dir
	}
}()

// measure calibrates the best device, where there is one.
func measure(dir string) error {
	ctx := context.Background()
	m, err := platform.Discover(ctx, &platform.Options{CacheDir: dir})
	if err != nil {
		return err
	}
	d, err := m.Select("")
	if err != nil {
		return nil // tests that need it are skipped
	}
	o, err := d.Open(ctx, nil)
	if err != nil {
		return err
	}
	_, err = o.Calibrate(ctx)
	return errors.Join(err, o.Close())
}

func (r *rig) options() *ops.Options {
	return &ops.Options{Library: r.lib, Device: r.device, CacheDir: r.dir}
}

func (r *rig) open(t *testing.T) *ops.Runtime {
	t.Helper()
	rt, err := ops.Open(t.Context(), r.options())
	require.NoError(t, err)
	return rt
}

// student is a small training step: it feeds, multiplies, reduces, differentiates and updates.
type student struct {
	graph      *ops.Graph
	x, y, w    *ops.Node
	loss       *ops.Node
	start      *tensor.Tensor
	rows, cols int
}

func newStudent(rows, cols int) *student {
	s := &student{graph: ops.NewGraph("student"), rows: rows, cols: cols}
	s.x = s.graph.Input("x", tensor.Float32, rows, cols)
	s.y = s.graph.Input("y", tensor.Float32, rows, 1)
	start := make([]float32, cols)
	for i := range start {
		start[i] = float32(i%5)/4 - 0.5
	}
	s.start = tensor.Must(tensor.FromSlice(start, cols, 1))
	s.w = s.graph.Variable("w", s.start)
	d := ops.Sub(ops.Tanh(ops.MatMul(s.x, s.w)), s.y)
	s.loss = ops.Mean(ops.Mul(d, d))
	return s
}

// target is a step of training.
func (s *student) target(where ops.Place) ops.Target {
	return ops.Target{
		Outputs: []*ops.Node{s.loss}, Place: where,
		Updates: optim.New(optim.SGD{LearningRate: 0.5}, []*ops.Node{s.w}, optim.Options{}).Minimize(s.loss),
	}
}

// feeds returns the feeds of step i.
func (s *student) feeds(i int) ops.Feeds {
	x, y := make([]float32, s.rows*s.cols), make([]float32, s.rows)
	for j := range x {
		x[j] = float32((j*7+i*3)%11)/5 - 1
	}
	for j := range y {
		y[j] = float32((j+i)%3) - 1
	}
	return ops.Feeds{s.x: tensor.Must(tensor.FromSlice(x, s.rows, s.cols)), s.y: tensor.Must(tensor.FromSlice(y, s.rows, 1))}
}

// lesson returns the result of training step i from the start: the loss and the first weight.
func (s *student) lesson(i int) (loss, weight float64) {
	in, w := s.feeds(i), s.start
	grad := make([]float64, s.cols)
	for r := range s.rows {
		sum := 0.0
		for c := range s.cols {
			sum += in[s.x].Float64At(r*s.cols+c) * w.Float64At(c)
		}
		d := math.Tanh(sum) - in[s.y].Float64At(r)
		loss += d * d / float64(s.rows)
		for c := range grad {
			grad[c] += 2 * d * (1 - math.Tanh(sum)*math.Tanh(sum)) * in[s.x].Float64At(r*s.cols+c) / float64(s.rows)
		}
	}
	return loss, w.Float64At(0) - 0.5*grad[0]
}

// near compares results that were computed in float32.
func near(what string, got, want float64) error {
	if math.Abs(got-want) > 1e-4*(1+math.Abs(want)) || math.IsNaN(got) {
		return fmt.Errorf("%w: %s is %v, not %v", errWrong, what, got, want)
	}
	return nil
}

// errWrong is a result that is wrong and that nobody complained of.
var errWrong = errors.New("wrong result")

// step trains from the start with the feeds of i and checks the result.
func (s *student) step(ctx context.Context, exe *ops.Executable, i int) error {
	if err := ops.Set(ctx, s.w, s.start); err != nil {
		return err
	}
	outs, err := exe.Run(ctx, s.feeds(i))
	if err != nil {
		return err
	}
	v, err := ops.Value(ctx, s.w)
	if err != nil {
		return err
	}
	loss, weight := s.lesson(i)
	return errors.Join(near("loss", outs[0].Float64At(0), loss), near("weight", v.Float64At(0), weight))
}
