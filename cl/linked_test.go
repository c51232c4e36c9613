//go:build cgocl

package cl_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

// lists are the fields that the linked library has no method for: lists with versions, lists of numbers,
// UUIDs, and vendors' extensions.
var lists = []string{
	"OpenCLCVersions", "OpenCLCFeatures", "ExtensionVersions", "PartitionKinds", "PartitionedAs", "UUID", "DriverUUID", "PCIBus", "SubgroupSizes",
	"CommandBuffer", "CommandBufferRequires", "AMDTopology", "ILVersions",
}

// both opens the same OpenCL by both drivers.
func both(t *testing.T) (loaded, linked *cl.Library) {
	t.Helper()
	loaded = openLibrary(t, nil)
	require.NotEqual(t, "cgocl", loaded.Path())
	linked = openLibrary(t, &cl.Options{Path: "cgocl"})
	require.Equal(t, "cgocl", linked.Path())
	return loaded, linked
}

func TestBothDriversAgreeOnEveryFact(t *testing.T) {
	loaded, linked := both(t)
	ps, err := loaded.Platforms()
	require.NoError(t, err)
	qs, err := linked.Platforms()
	require.NoError(t, err)
	require.Len(t, qs, len(ps))
	facts := 0
	for i, p := range ps {
		q := qs[i]
		require.Equal(t, []string{p.Name(), p.Vendor(), p.Version(), p.Profile()}, []string{q.Name(), q.Vendor(), q.Version(), q.Profile()})
		require.Equal(t, p.Extensions(), q.Extensions())
		ds, err := p.Devices(cl.DeviceAll)
		require.NoError(t, err)
		es, err := q.Devices(cl.DeviceAll)
		require.NoError(t, err)
		require.Len(t, es, len(ds))
		for j, d := range ds {
			a, b := reflect.ValueOf(d.Info()).Elem(), reflect.ValueOf(es[j].Info()).Elem()
			for k := range a.NumField() {
				name := a.Type().Field(k).Name
				switch {
				case slices.Contains(lists, name):
					require.True(t, b.Field(k).IsZero() || reflect.DeepEqual(a.Field(k).Interface(), b.Field(k).Interface()), name)
				default:
					require.Equal(t, a.Field(k).Interface(), b.Field(k).Interface(), name)
					facts++
				}
			}
		}
	}
	t.Logf("%d facts agree", facts)
}

const linkedSource = `kernel void f(global const float *x, global float *y, float a, local float *l) {
	size_t i = get_global_id(0);
	l[get_local_id(0)] = x[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	y[i] = fma(a, l[get_local_size(0) - 1 - get_local_id(0)], exp(x[i]));
}`

// results returns the output of a library's computation, with every kind of command that both libraries have.
func results(t *testing.T, lib *cl.Library) (out []float32, ns uint64) {
	t.Helper()
	dev := anyDevice(t, lib)
	ctx, err := lib.NewContext(dev)
	require.NoError(t, err)
	closing(t, ctx)
	q, err := ctx.NewQueue(dev, cl.QueueOptions{Profiling: true})
	require.NoError(t, err)
	closing(t, q)
	prog, err := ctx.NewProgram(linkedSource)
	require.NoError(t, err)
	closing(t, prog)
	require.NoError(t, prog.Build("-cl-std=CL1.2"))
	k, err := prog.Kernel("f")
	require.NoError(t, err)
	closing(t, k)
	require.Equal(t, 4, k.NumArgs())
	const n = 256
	in := make([]float32, n)
	for i := range in {
		in[i] = float32(i)/64 - 2
	}
	x, err := ctx.NewBuffer(cl.MemReadOnly, n*4, nil)
	require.NoError(t, err)
	closing(t, x)
	y, err := ctx.NewBuffer(cl.MemReadWrite, n*4, nil)
	require.NoError(t, err)
	closing(t, y)
	require.NoError(t, q.Write(x, 0, cl.Bytes(in), nil))
	require.NoError(t, k.SetBuffer(0, x))
	require.NoError(t, k.SetBuffer(1, y))
	require.NoError(t, k.SetFloat32(2, 0.75))
	require.NoError(t, k.SetLocal(3, 16*4))
	e, err := q.LaunchEvent(k, cl.Range{Dims: 1, Global: [3]int{n}, Local: [3]int{16}}, nil)
	require.NoError(t, err)
	closing(t, e)
	require.NoError(t, q.Finish())
	p, err := e.Profile()
	require.NoError(t, err)
	out = make([]float32, n)
	require.NoError(t, q.Read(y, 0, cl.Bytes(out), nil))
	return out, uint64(p.Ended - p.Started)
}

func TestBothDriversComputeTheSame(t *testing.T) {
	loaded, linked := both(t)
	want, _ := results(t, loaded)
	got, ns := results(t, linked)
	require.Equal(t, want, got)
	require.NotZero(t, ns, "the kernel was timed")
}

func TestWhatTheLinkedDriverLacksIsUnsupported(t *testing.T) {
	r := newRig(t, &cl.Options{Path: "cgocl"})
	prog, err := r.ctx.NewProgram(linkedSource)
	require.NoError(t, err)
	closing(t, prog)
	require.NoError(t, prog.Build(""))
	_, err = prog.Binary(r.dev)
	require.ErrorIs(t, err, cl.ErrUnsupported)
	_, err = prog.Kernels()
	require.ErrorIs(t, err, cl.ErrUnsupported)
	_, err = r.dev.Subdevices(cl.Partition{Kind: cl.PartitionEqually, Units: 1})
	require.ErrorIs(t, err, cl.ErrUnsupported)
}

func TestABuildThatFailsHasItsLogByBothDrivers(t *testing.T) {
	loaded, linked := both(t)
	var messages []string
	for _, lib := range []*cl.Library{loaded, linked} {
		dev := anyDevice(t, lib)
		ctx, err := lib.NewContext(dev)
		require.NoError(t, err)
		closing(t, ctx)
		prog, err := ctx.NewProgram("kernel void f(global int *x) { x[0] = nothing; }")
		require.NoError(t, err)
		closing(t, prog)
		var failed *cl.BuildError
		require.ErrorAs(t, prog.Build(""), &failed)
		require.ErrorIs(t, failed, cl.BuildProgramFailure)
		messages = append(messages, failed.Error()[:len("cl: build for ")])
		require.Contains(t, failed.Log, "nothing")
		require.Equal(t, 1, failed.Line)
	}
	require.Equal(t, messages[0], messages[1])
}
