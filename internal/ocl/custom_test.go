package ocl

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

const saxpy = `kernel void saxpy(global const float *x, global const float *y, global float *z, const int n, const float a) {
    const int i = get_global_id(0);
    if (i < n) z[i] = a * x[i] + y[i];
}`

func saxpyTask(n int) *engine.Task {
	o := engine.Operand{DType: tensor.Float32, Len: int64(n)}
	return &engine.Task{
		Kind: engine.Custom, Name: "saxpy", Caller: "main.go:7",
		Ins: []engine.Operand{o, o}, Outs: []engine.Operand{o},
		Custom: &engine.CustomKernel{
			Source: saxpy, Entry: "saxpy", Args: []any{int32(n), float32(3)},
			Global: [3]int{(n + 63) / 64 * 64}, Local: [3]int{64},
			InShapes: [][]int{{n}, {n}}, OutShapes: [][]int{{n}},
			Host: func(outs, ins []*tensor.Tensor) error {
				for i := range n {
					outs[0].SetFloat64(i, 3*ins[0].Float64At(i)+ins[1].Float64At(i))
				}
				return nil
			},
		},
	}
}

// The operands lie at odd offsets of larger memories: a sub-buffer cannot start
// at each of them, and some drivers are not asked for one.
func TestCustomKernelsTakeOperandsAnywhereInMemory(t *testing.T) {
	for _, quirks := range []string{"", "+sub-buffer-release"} {
		t.Setenv(platform.EnvQuirks, quirks)
		m, err := platform.Discover(t.Context(), ocltest.Options())
		if err != nil {
			t.Fatal(err)
		}
		d, err := m.Select("")
		if err != nil {
			t.Skipf("no OpenCL device: %v", err)
		}
		require.Equal(t, quirks == "" && d.Key != "nvidia", d.SubBuffers(0), quirks)
		o, err := d.Open(t.Context(), ocltest.Options())
		require.NoError(t, err)
		e := New(o)
		e.host = nil
		anywhere(t, e)
		require.NoError(t, e.Close())
		require.NoError(t, o.Close())
	}
}

func anywhere(t *testing.T, e *Engine) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 9))
	for _, n := range []int{1, 100, 4096} {
		task := saxpyTask(n)
		ocltest.Verify(t, e, task, [][]byte{ocltest.RandomBytes(r, tensor.Float32, int64(n)), ocltest.RandomBytes(r, tensor.Float32, int64(n))},
			1e-6, 1)
	}
}

func TestCustomKernelMistakesAreErrorsThatNameTheKernel(t *testing.T) {
	e := device(t, "", nil)
	prepare := func(change func(k *engine.CustomKernel)) error {
		task := saxpyTask(64)
		change(task.Custom)
		m, err := e.Alloc(3 * 256)
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close()) }()
		s, err := e.Prepare(t.Context(), []engine.Bound{{
			Task: task, Ins: []engine.Slot{{Mem: m}, {Mem: m, Offset: 256}}, Outs: []engine.Slot{{Mem: m, Offset: 512}},
		}})
		if err == nil {
			require.NoError(t, s.Close())
		}
		return err
	}
	require.NoError(t, prepare(func(*engine.CustomKernel) {}))

	err := prepare(func(k *engine.CustomKernel) {
		k.Source = "kernel void saxpy(global float *x) {\n    x[0] = undefined_name;\n}"
	})
	require.ErrorContains(t, err, "saxpy:2", "entry and line")
	require.ErrorContains(t, err, "main.go:7")
	var build *cl.BuildError
	require.ErrorAs(t, err, &build)

	err = prepare(func(k *engine.CustomKernel) { k.Args = k.Args[:1] })
	require.ErrorContains(t, err, "takes 5 arguments, not 4")
	err = prepare(func(k *engine.CustomKernel) { k.Args[0] = 64 })
	require.ErrorContains(t, err, "argument 0 of kernel saxpy is a int")
	err = prepare(func(k *engine.CustomKernel) { k.Entry = "daxpy" })
	require.ErrorIs(t, err, cl.InvalidKernelName)
	err = prepare(func(k *engine.CustomKernel) { k.Global = [3]int{65} })
	require.ErrorContains(t, err, "not whole work-groups")
	const demands = "__attribute__((reqd_work_group_size(64, 1, 1))) kernel "
	err = prepare(func(k *engine.CustomKernel) { k.Source, k.Local = demands+saxpy[len("kernel "):], [3]int{32} })
	require.ErrorContains(t, err, "the work-group is [32], and the source demands [64]")
	err = prepare(func(k *engine.CustomKernel) {
		k.Source, k.Local, k.Global = demands+saxpy[len("kernel "):], [3]int{}, [3]int{65}
	})
	require.ErrorContains(t, err, "[65] work-items are not whole work-groups of [64], which the source demands")
	err = prepare(func(k *engine.CustomKernel) { k.Global, k.Local = [3]int{1 << 30}, [3]int{1 << 30} })
	require.ErrorContains(t, err, "a work-group of 1073741824 items, the device takes")
	err = prepare(func(k *engine.CustomKernel) { k.Source = "" })
	require.ErrorIs(t, err, engine.ErrUnsupported)
}

func TestCustomKernelOfTwoOutputsAndEveryScalar(t *testing.T) {
	task := &engine.Task{
		Kind: engine.Custom, Name: "two",
		Outs: []engine.Operand{{DType: tensor.Int64, Len: 4}, {DType: tensor.Float32, Len: 1}},
		Custom: &engine.CustomKernel{
			Source: `kernel void two(global long *a, global float *b, int i, uint u, long l, ulong m, float f) {
    a[0] = i; a[1] = u; a[2] = l; a[3] = m; b[0] = f;
}`,
			Entry: "two", Args: []any{int32(-1), uint32(1 << 31), int64(-1 << 40), uint64(1 << 50), float32(0.5)}, Global: [3]int{1},
		},
	}
	outs, _ := ocltest.Execute(t, device(t, "", nil), task, nil, 0)
	var want []byte
	for _, v := range []int64{-1, 1 << 31, -1 << 40, 1 << 50} {
		want = binary.NativeEndian.AppendUint64(want, uint64(v))
	}
	require.Equal(t, want, outs[0])
	require.Equal(t, 0.5, ocltest.NumberAt(tensor.Float32, outs[1], 0))
}
