package ocl

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// theDevice is the best device of the machine, opened once for all tests.
var theDevice = sync.OnceValues(func() (*platform.Opened, error) {
	m, err := platform.Discover(context.Background(), testOptions())
	if err != nil {
		return nil, err
	}
	d, err := m.Select("")
	if err != nil {
		return nil, err
	}
	return d.Open(context.Background(), testOptions())
})

// testOptions keeps compiled programs between test runs.
func testOptions() *platform.Options {
	return &platform.Options{CacheDir: filepath.Join(os.TempDir(), "anycl-test-cache")}
}

// device is an engine on theDevice, as the planner would see it after change.
func device(t testing.TB, force string, change func(f *facts.Device)) *Engine {
	t.Helper()
	o, err := theDevice()
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	e := New(o)
	e.host = nil // tests of kernels are of the device's
	e.force = force
	if change != nil {
		change(e.facts)
	}
	if o.Device().Class == platform.CPU && !e.facts.CPU {
		e.facts.Unoptimized = gpusUnoptimized()
	}
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// needs skips t where the device lacks what task computes with.
func needs(t testing.TB, o *platform.Opened, task *engine.Task) {
	t.Helper()
	if !o.Caps().FP64 && codegen.ComputesInDouble(task) {
		t.Skipf("%s has no float64", o.Device())
	}
}

// deviceDTypes are the dtypes that the device computes with.
func deviceDTypes(t testing.TB) []tensor.DType {
	t.Helper()
	fp64 := device(t, "", nil).dev.Caps().FP64
	return slices.DeleteFunc(slices.Clone(tensor.DTypes()), func(dt tensor.DType) bool { return dt == tensor.Float64 && !fp64 })
}

const guardBytes = 64

// execute runs t alone on e. Operands lie inside larger memories, whose rest
// must stay as it was.
func execute(t testing.TB, e *Engine, task *engine.Task, ins [][]byte, run uint32) ([][]byte, engine.Plan) {
	t.Helper()
	needs(t, e.dev, task)
	ctx := t.Context()
	b := engine.Bound{Task: task}
	place := func(offset int64, n int64, content []byte) engine.Slot {
		m, err := e.Alloc(offset + n + guardBytes)
		require.NoError(t, err)
		t.Cleanup(func() { _ = m.Close() })
		fill := make([]byte, offset+n+guardBytes)
		for i := range fill {
			fill[i] = 0xA5
		}
		copy(fill[offset:], content)
		require.NoError(t, e.Write(ctx, m, 0, fill))
		return engine.Slot{Mem: m, Offset: offset}
	}
	for i, in := range ins {
		b.Ins = append(b.Ins, place(int64(256*i+8*(i%3)), int64(len(in)), in))
	}
	for i, o := range task.Outs {
		if a := task.AliasOf(i); a >= 0 {
			b.Outs = append(b.Outs, b.Ins[a])
			continue
		}
		b.Outs = append(b.Outs, place(int64(256*i), o.Bytes(), nil))
	}
	s, err := e.Prepare(ctx, []engine.Bound{b})
	require.NoError(t, err)
	require.NoError(t, s.Run(ctx, 0, 1, run))
	var outs [][]byte
	for i, o := range task.Outs {
		all := make([]byte, b.Outs[i].Mem.Bytes())
		require.NoError(t, e.Read(ctx, all, b.Outs[i].Mem, 0))
		from := b.Outs[i].Offset
		for j, c := range all {
			if int64(j) < from || int64(j) >= from+o.Bytes() {
				require.Equal(t, byte(0xA5), c, "byte %d, outside the output, was written by %s", j, task)
			}
		}
		outs = append(outs, all[from:from+o.Bytes()])
	}
	p := s.Describe(0)
	if name, _, _ := strings.Cut(p.Variant, " "); task.Kind != engine.Custom && name != "none" {
		require.Contains(t, variant.FamilyFor(task).Variants, name)
	}
	require.NoError(t, s.Close())
	return outs, p
}

// verify runs t on e and compares with what it means. tol is relative to the
// larger of the value and scale.
func verify(t testing.TB, e *Engine, task *engine.Task, ins [][]byte, tol, scale float64) engine.Plan {
	t.Helper()
	want, err := taskref.EvalRun(task, ins, 3)
	require.NoError(t, err)
	got, plan := execute(t, e, task, ins, 3)
	for i, o := range task.Outs {
		same(t, o.DType, want[i], got[i], tol, scale, plan)
	}
	return plan
}

func same(t testing.TB, dt tensor.DType, want, got []byte, tol, scale float64, plan engine.Plan) {
	t.Helper()
	ulp := map[tensor.DType]float64{tensor.Float16: 0x1p-10, tensor.BFloat16: 0x1p-7}[dt]
	for j := range len(want) / dt.Size() {
		w, g := numberAt(dt, want, j), numberAt(dt, got, j)
		if w == g || w != w && g != g {
			continue
		}
		ok := dt.IsFloat() && math.Abs(w-g) <= (tol+ulp)*max(math.Abs(w), scale)
		if dt == tensor.Float16 && math.Abs(w-g) <= 0x1p-24 {
			ok = true // one step of its subnormals
		}
		if !ok {
			require.Failf(t, "wrong value", "element %d is %v, not %v\n%s %v\n%s", j, g, w, plan.Variant, plan.Launch, plan.Source)
		}
	}
}

// numberAt is element i of memory, as a float64.
func numberAt(dt tensor.DType, mem []byte, i int) float64 {
	b := mem[i*dt.Size():]
	switch dt {
	case tensor.Bool, tensor.Uint8:
		return float64(b[0])
	case tensor.Int8:
		return float64(int8(b[0]))
	case tensor.Int16:
		return float64(int16(binary.NativeEndian.Uint16(b)))
	case tensor.Uint16:
		return float64(binary.NativeEndian.Uint16(b))
	case tensor.Int32:
		return float64(int32(binary.NativeEndian.Uint32(b)))
	case tensor.Uint32:
		return float64(binary.NativeEndian.Uint32(b))
	case tensor.Int64:
		return float64(int64(binary.NativeEndian.Uint64(b)))
	case tensor.Uint64:
		return float64(binary.NativeEndian.Uint64(b))
	case tensor.Float16:
		return tensor.Half(binary.NativeEndian.Uint16(b)).Float64()
	case tensor.BFloat16:
		return tensor.BF16(binary.NativeEndian.Uint16(b)).Float64()
	case tensor.Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
	default:
		return math.Float64frombits(binary.NativeEndian.Uint64(b))
	}
}

// randomBytes are n elements of dt: small numbers for floats, all bits for
// integers, 0 and 1 for bools.
func randomBytes(r *rand.Rand, dt tensor.DType, n int64) []byte {
	out := make([]byte, n*int64(dt.Size()))
	for i := range n {
		putAt(dt, out, i, r.NormFloat64(), r.Uint64())
	}
	return out
}

// putAt stores f, or the bits of u, as element i.
func putAt(dt tensor.DType, out []byte, i int64, f float64, u uint64) {
	b := out[i*int64(dt.Size()):]
	switch dt {
	case tensor.Bool:
		b[0] = byte(u & 1)
	case tensor.Float16:
		binary.NativeEndian.PutUint16(b, uint16(tensor.HalfFrom64(f)))
	case tensor.BFloat16:
		binary.NativeEndian.PutUint16(b, uint16(tensor.BF16From64(f)))
	case tensor.Float32:
		binary.NativeEndian.PutUint32(b, math.Float32bits(float32(f)))
	case tensor.Float64:
		binary.NativeEndian.PutUint64(b, math.Float64bits(f))
	default:
		switch dt.Size() {
		case 1:
			b[0] = byte(u)
		case 2:
			binary.NativeEndian.PutUint16(b, uint16(u))
		case 4:
			binary.NativeEndian.PutUint32(b, uint32(u))
		default:
			binary.NativeEndian.PutUint64(b, u)
		}
	}
}

// one reports whether case i is one of each n that tests try of a grid. Every program takes a compiler
// tenths of a second, and what a variant does of one dtype or shape it does of its like; but
//
//	ANYCL_MATRIX=full go test -timeout 60m ./internal/ocl
//
// tries all.
func one(i, n int) bool { return i%n == 0 || os.Getenv("ANYCL_MATRIX") == "full" }

// gpusUnoptimized is for kernels for GPUs, of which a CPU driver's optimizer tells nothing, and without which it compiles
// in half the time.
func gpusUnoptimized() bool { return !one(1, 2) }

// numbersOnly begins tests that compile kernels or plans by the dozen to compare results:
// the race detector sees nothing in kernels, and compilers take minutes under it.
func numbersOnly(t *testing.T) {
	t.Helper()
	if raceEnabled && testing.Short() {
		t.Skip("kernels' results, without goroutines")
	}
}
