package cl_test

import (
	"encoding/binary"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

const everyType = `
kernel void scalars(global ulong *out, int a, uint b, long c, ulong d, float e, uchar4 f) {
	out[0] = (ulong)(long)a; out[1] = b; out[2] = (ulong)c; out[3] = d; out[4] = as_uint(e); out[5] = as_uint(f);
}
kernel void null(global int *out, global int *p) { out[0] = p == 0; }
kernel void where(global int *out) {
	size_t i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
	size_t w = get_global_size(0), h = get_global_size(1);
	size_t at = ((k - get_global_offset(2)) * h + (j - get_global_offset(1))) * w + i - get_global_offset(0);
	out[at] = (int)(i + 100 * j + 10000 * k);
}
kernel void reverse(global int *x, local int *t) {
	size_t l = get_local_id(0), n = get_local_size(0);
	t[l] = x[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	x[get_global_id(0)] = t[n - 1 - l];
}`

func TestScalarArgumentsArriveUnchanged(t *testing.T) {
	r := newRig(t, nil)
	k := r.kernel(t, everyType, "scalars")
	out := r.buffer(t, 48)
	f := [4]byte{1, 2, 3, 250}
	require.NoError(t, k.SetBuffer(0, out))
	require.NoError(t, k.SetInt32(1, math.MinInt32))
	require.NoError(t, k.SetUint32(2, math.MaxUint32))
	require.NoError(t, k.SetInt64(3, math.MinInt64))
	require.NoError(t, k.SetUint64(4, math.MaxUint64))
	require.NoError(t, k.SetFloat32(5, float32(math.Inf(-1))))
	require.NoError(t, k.SetBytes(6, unsafe.Pointer(&f), 4))
	require.NoError(t, r.q.Launch(k, cl.Range1(1, 1), nil))
	got := make([]uint64, 6)
	require.NoError(t, r.q.Read(out, 0, cl.Bytes(got), nil))
	lowest := int64(math.MinInt32)
	require.Equal(t, []uint64{
		uint64(lowest), math.MaxUint32, 1 << 63, math.MaxUint64,
		uint64(math.Float32bits(float32(math.Inf(-1)))), uint64(binary.NativeEndian.Uint32(f[:])),
	}, got)
}

func TestDoubleArgument(t *testing.T) {
	r := newRig(t, nil)
	if r.dev.Info().DoubleFP == 0 {
		t.Skip("the device has no double")
	}
	k := r.kernel(t, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nkernel void half_of(global double *x, double a) { x[0] = a / 2; }", "half_of")
	b := r.buffer(t, 8)
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetFloat64(1, math.Pi))
	require.NoError(t, r.q.Launch(k, cl.Range1(1, 0), nil))
	require.Equal(t, math.Pi/2, math.Float64frombits(binary.NativeEndian.Uint64(r.content(t, b))))
}

func TestNullPointerArgument(t *testing.T) {
	r := newRig(t, nil)
	k := r.kernel(t, everyType, "null")
	out := r.filled(t, make([]byte, 4))
	require.NoError(t, k.SetBuffer(0, out))
	require.NoError(t, k.SetBuffer(1, nil))
	require.NoError(t, r.q.Launch(k, cl.Range1(1, 1), nil))
	require.Equal(t, uint32(1), binary.NativeEndian.Uint32(r.content(t, out)))
}

func TestRangesReachEveryDimensionAndOffset(t *testing.T) {
	r := newRig(t, nil)
	k := r.kernel(t, everyType, "where")
	for name, rg := range map[string]cl.Range{
		"1":        cl.Range1(7, 0),
		"2":        cl.Range2([2]int{4, 3}, [2]int{2, 3}),
		"3":        {Dims: 3, Global: [3]int{3, 2, 4}, Local: [3]int{1, 2, 2}},
		"3 offset": {Dims: 3, Offset: [3]int{5, 6, 7}, Global: [3]int{2, 3, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			g := rg.Global
			for i := rg.Dims; i < 3; i++ {
				g[i] = 1
			}
			got := make([]int32, g[0]*g[1]*g[2])
			out := r.filled(t, cl.Bytes(got))
			require.NoError(t, k.SetBuffer(0, out))
			require.NoError(t, r.q.Launch(k, rg, nil))
			require.NoError(t, r.q.Read(out, 0, cl.Bytes(got), nil))
			for z := range g[2] {
				for y := range g[1] {
					for x := range g[0] {
						want := x + rg.Offset[0] + 100*(y+rg.Offset[1]) + 10000*(z+rg.Offset[2])
						require.EqualValues(t, want, got[(z*g[1]+y)*g[0]+x])
					}
				}
			}
		})
	}
}

func TestLocalMemoryArgument(t *testing.T) {
	r := newRig(t, nil)
	k := r.kernel(t, everyType, "reverse")
	in := []int32{0, 1, 2, 3, 4, 5, 6, 7}
	b := r.filled(t, cl.Bytes(in))
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetLocal(1, 16))
	require.NoError(t, r.q.Launch(k, cl.Range1(8, 4), nil))
	require.NoError(t, r.q.Read(b, 0, cl.Bytes(in), nil))
	require.Equal(t, []int32{3, 2, 1, 0, 7, 6, 5, 4}, in)
	require.ErrorIs(t, k.SetLocal(1, 0), cl.InvalidArgSize)
}

func TestEmptyRangeIsDoneAndWaits(t *testing.T) {
	r := newRig(t, nil)
	k := r.kernel(t, addOne, "add")
	b := r.filled(t, make([]byte, 4))
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetInt32(1, 1))
	require.NoError(t, r.q.Launch(k, cl.Range1(0, 0), nil))
	e, err := r.q.LaunchEvent(k, cl.Range2([2]int{4, 0}, [2]int{}), nil)
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	require.NoError(t, e.Close())
	require.Equal(t, make([]byte, 4), r.content(t, b))
}

func TestLaunchMistakesAreErrors(t *testing.T) {
	r := newRig(t, nil)
	k := r.kernel(t, addOne, "add")
	require.ErrorIs(t, r.q.Launch(k, cl.Range1(1, 1), nil), cl.InvalidKernelArgs)
	b := r.buffer(t, 64)
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetInt32(1, 1))
	err := r.q.Launch(k, cl.Range1(7, 4), nil)
	require.ErrorIs(t, err, cl.InvalidWorkGroupSize)
	require.ErrorContains(t, err, "add", "the kernel's name")
	require.ErrorIs(t, r.q.Launch(k, cl.Range{}, nil), cl.InvalidWorkDimension)
	require.ErrorIs(t, r.q.Launch(k, cl.Range{Dims: 4}, nil), cl.InvalidWorkDimension)
	require.ErrorIs(t, r.q.Launch(k, cl.Range1(-1, 0), nil), cl.InvalidGlobalWorkSize)
	require.ErrorIs(t, r.q.Launch(k, cl.Range1(4, -1), nil), cl.InvalidWorkGroupSize)
	require.ErrorIs(t, r.q.Launch(k, cl.Range2([2]int{4, 4}, [2]int{4, 0}), nil), cl.InvalidWorkGroupSize)
	require.ErrorIs(t, r.q.Launch(k, cl.Range{Dims: 1, Offset: [3]int{-1}, Global: [3]int{1}}, nil), cl.InvalidGlobalOffset)
	require.ErrorIs(t, r.q.Launch(nil, cl.Range1(1, 1), nil), cl.InvalidKernel)
	require.Error(t, r.q.Launch(k, cl.Range1(1<<20, 1<<20), nil), "a work-group above the device's limit")

	require.ErrorIs(t, k.SetInt32(2, 0), cl.InvalidArgIndex)
	require.ErrorIs(t, k.SetInt32(-1, 0), cl.InvalidArgIndex)
	require.ErrorIs(t, k.SetBytes(1, nil, 4), cl.InvalidArgSize)
	require.ErrorIs(t, k.SetImage(0, nil), cl.InvalidArgValue)
	require.ErrorIs(t, k.SetSampler(0, nil), cl.InvalidArgValue)
	if err := k.SetInt64(1, 1); err != nil { // Intel's driver takes it
		require.ErrorIs(t, err, cl.InvalidArgSize)
	}
}

func TestClosedArgumentIsAnErrorAtLaunch(t *testing.T) {
	r := newRig(t, nil)
	k := r.kernel(t, addOne, "add")
	b := r.buffer(t, 64)
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetInt32(1, 1))
	require.NoError(t, b.Close())
	err := r.q.Launch(k, cl.Range1(16, 0), nil)
	require.ErrorIs(t, err, cl.ErrClosed)
	require.ErrorContains(t, err, "argument 0")
	require.Zero(t, r.lib.Stats().Buffers, "an argument does not hold its buffer")
	require.ErrorIs(t, k.SetBuffer(0, b), cl.ErrClosed)
}

func TestKernelTellsAboutItself(t *testing.T) {
	r := newRig(t, nil)
	p := r.build(t, "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void f(global const float * restrict x, local int *t, constant char *c, int n) { t[0] = n + c[0] + x[0]; }"+addOne)
	k, err := p.Kernel("f")
	require.NoError(t, err)
	closing(t, k)
	require.Equal(t, "f", k.Name())
	require.Equal(t, 4, k.NumArgs())
	for i, want := range []cl.ArgInfo{
		{Name: "x", Type: "float*", Space: cl.SpaceGlobal, Access: cl.AccessNone, Qualifiers: cl.QualifierConst | cl.QualifierRestrict},
		{Name: "t", Type: "int*", Space: cl.SpaceLocal, Access: cl.AccessNone},
		{Name: "c", Type: "char*", Space: cl.SpaceConstant, Access: cl.AccessNone, Qualifiers: cl.QualifierConst},
		{Name: "n", Type: "int", Space: cl.SpacePrivate, Access: cl.AccessNone},
	} {
		got, err := k.ArgInfo(i)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err = k.ArgInfo(4)
	require.ErrorIs(t, err, cl.InvalidArgIndex)

	w, err := k.WorkGroupInfo(r.dev)
	require.NoError(t, err)
	require.Equal(t, [3]int{4, 2, 1}, w.RequiredSize)
	require.Positive(t, w.MaxSize)
	require.Positive(t, w.SizeMultiple)
	_, err = k.WorkGroupInfo(nil)
	require.ErrorIs(t, err, cl.InvalidDevice)

	ks, err := p.Kernels()
	require.NoError(t, err)
	names := []string{}
	for _, k := range ks {
		names = append(names, k.Name())
		require.NoError(t, k.Close())
	}
	require.ElementsMatch(t, []string{"f", "add"}, names)
	require.Equal(t, 1, r.lib.Stats().Kernels)
}

func TestCloneHasItsOwnArguments(t *testing.T) {
	r := newRig(t, nil)
	p := r.build(t, addOne)
	k, err := p.Kernel("add")
	require.NoError(t, err)
	b := r.filled(t, make([]byte, 4))
	require.NoError(t, p.Close())
	clone, err := k.Clone()
	require.NoError(t, err, "also of a closed program, which the kernel holds")
	require.NoError(t, k.SetBuffer(0, b))
	require.NoError(t, k.SetInt32(1, 1))
	require.ErrorIs(t, r.q.Launch(clone, cl.Range1(1, 1), nil), cl.InvalidKernelArgs)
	require.NoError(t, clone.SetBuffer(0, b))
	require.NoError(t, clone.SetInt32(1, 10))
	require.NoError(t, r.q.Launch(k, cl.Range1(1, 1), nil))
	require.NoError(t, r.q.Launch(clone, cl.Range1(1, 1), nil))
	require.Equal(t, uint32(11), binary.NativeEndian.Uint32(r.content(t, b)))
	require.NoError(t, k.Close())
	require.NoError(t, clone.Close())
	_, err = k.Clone()
	require.ErrorIs(t, err, cl.ErrClosed)
	require.Zero(t, r.lib.Stats().Programs)
}

func TestSubgroupInfoOnlyWhereThereAreSubgroups(t *testing.T) {
	r := newRig(t, nil)
	k := r.kernel(t, addOne, "add")
	_, err := k.SubgroupInfo(nil, 64)
	require.ErrorIs(t, err, cl.InvalidDevice)
	_, err = k.SubgroupInfo(r.dev)
	require.ErrorIs(t, err, cl.InvalidWorkDimension)
	s, err := k.SubgroupInfo(r.dev, 64)
	if r.dev.Info().MaxSubgroups == 0 {
		require.ErrorIs(t, err, cl.ErrUnsupported)
		return
	}
	require.NoError(t, err)
	require.GreaterOrEqual(t, s.MaxSize*s.Count, 64)
}
