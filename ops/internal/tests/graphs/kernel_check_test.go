package graphs_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// checkedRun runs a kernel over 100 numbers on rt whose text writes y[i] and then stray.
func checkedRun(t *testing.T, rt *Runtime, stray string) error {
	t.Helper()
	g := NewGraph("checked")
	x := g.Input("x", tensor.Float32, 100)
	y := Kernel(g, KernelOptions{
		Entry: "k", Args: []any{int32(100)},
		Source:  "kernel void k(global float *x, global float *y, int n) {\n    int i = get_global_id(0);\n    y[i] = 2 * x[i];\n    if (i == 0) { " + stray + " }\n}",
		Results: []Result{{DType: tensor.Float32, Shape: []int{100}}},
	}, Neg(Neg(x)))
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: y, Place: OnDevice})
	require.NoError(t, err)
	defer func() { require.NoError(t, exe.Close()) }()
	in := make([]float32, 100)
	for i := range in {
		in[i] = float32(i)
	}
	for range 2 {
		out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{100}, in...)})
		if err != nil {
			return err
		}
		for i, v := range opstest.FloatsOf(t, out[0]) {
			require.Equal(t, float32(2*i), v)
		}
	}
	p, err := exe.Profile(t.Context(), Feeds{x: opstest.Vec(t, []int{100}, in...)}, ProfileOptions{Runs: 1})
	require.NoError(t, err)
	require.NotEmpty(t, p.Tasks)
	return nil
}

func TestCheckedKernelsThatWriteOutOfBoundsAreErrors(t *testing.T) {
	t.Setenv("ANYCL_CHECK", "bounds")
	rt := opstest.Device(t)
	for stray, want := range map[string]engine.StrayWrite{
		"y[-1] = 3;":                     {Argument: 1, Index: 0, Name: "y", Bytes: 400, First: -4, Last: -1},
		"y[n] = 3;":                      {Argument: 1, Index: 0, Name: "y", Bytes: 400, First: 400, Last: 403},
		"y[n + 16000] = 3;":              {Argument: 1, Index: 0, Name: "y", Bytes: 400, First: 64400, Last: 64403},
		"y[-16384] = 3;":                 {Argument: 1, Index: 0, Name: "y", Bytes: 400, First: -65536, Last: -65533},
		"y[n] = 3; y[n + 9] = 3;":        {Argument: 1, Index: 0, Name: "y", Bytes: 400, First: 400, Last: 439},
		"((global char *)y)[400] = 'w';": {Argument: 1, Index: 0, Name: "y", Bytes: 400, First: 400, Last: 403},
		"x[-2] = 3;":                     {Argument: 0, Input: true, Name: "x", Bytes: 400, First: -8, Last: -5},
		"x[n] = 3;":                      {Argument: 0, Input: true, Name: "x", Bytes: 400, First: 400, Last: 403},
		"x[7] = 3;":                      {Argument: 0, Input: true, Name: "x", Bytes: 400, First: 28, Last: 31},
	} {
		err := checkedRun(t, rt, stray)
		require.Error(t, err, stray)
		bounds := new(engine.BoundsError)
		require.ErrorAs(t, err, &bounds, stray)
		require.Len(t, bounds.Writes, 1, "%s: %v", stray, err)
		if bounds.Writes[0].Name == "" { // the driver does not tell
			want.Name = ""
		}
		require.Equal(t, want, bounds.Writes[0], stray)
		require.ErrorContains(t, err, `ops: run "checked": kernel "k" at `)
		require.ErrorContains(t, err, "kernel_check_test.go:")
		require.ErrorContains(t, err, "on "+rt.Engines()[0].Name()+": writes out of bounds: argument")
	}
	require.NoError(t, checkedRun(t, rt, "y[0] = y[0]; y[n - 1] = 2 * x[n - 1];"), "in bounds")
}

func TestAnUnknownCheckIsAnError(t *testing.T) {
	t.Setenv("ANYCL_CHECK", "bound")
	_, err := Open(t.Context(), &Options{Device: "none"})
	require.EqualError(t, err, "ops: open: ANYCL_CHECK=bound: unknown; the one check is bounds")
}

func TestCheckedKernelsOfSeveralDevicesNameTheirs(t *testing.T) {
	t.Setenv("ANYCL_CHECK", "bounds")
	a, b := opstest.Device(t), opstest.Device(t)
	rt := NewRuntime(a.Engines()[0], b.Engines()[0], b.Engines()[1])
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	for i := range 2 {
		g := NewGraph("several")
		x := g.Input("x", tensor.Float32, 64)
		y := Put(Kernel(g, KernelOptions{
			Entry: "k", Source: "kernel void k(global const float *x, global float *y) { y[get_global_id(0) + 1] = 1; }",
			Results: []Result{{DType: tensor.Float32, Shape: []int{64}}},
		}, x)[0], Device(i))
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}})
		require.NoError(t, err)
		_, err = exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{64})})
		bounds := new(engine.BoundsError)
		require.ErrorAs(t, err, &bounds)
		require.EqualValues(t, 256, bounds.Writes[0].First)
		require.ErrorContains(t, err, rt.Engines()[i].Name())
		require.NoError(t, exe.Close())
	}
}

func TestErrorsOfOwnKernelsHaveOnePrefixAndTheLine(t *testing.T) {
	rt := opstest.Device(t)
	id := rt.Engines()[0].Name()
	compile := func(change func(o *KernelOptions)) error {
		g := NewGraph("wrong")
		x := g.Input("x", tensor.Float32, 4)
		o := KernelOptions{
			Name: "mine", Entry: "k", Source: "kernel void k(global const float *x, global float *y) {\n\n\ty[0] = undeclared_name;\n}",
			Results: []Result{{DType: tensor.Float32, Shape: []int{4}}},
		}
		change(&o)
		_, err := g.Compile(t.Context(), rt, Target{Outputs: Kernel(g, o, x), Place: OnDevice})
		require.Error(t, err)
		return err
	}
	err := compile(func(*KernelOptions) {})
	require.Regexp(t, `^ops: compile "wrong": kernel "mine" at graphs/kernel_check_test\.go:\d+ on `+id+`: does not compile: k:3: [^\n]*undeclared_name[^\n]*\n\t\ty\[0\] = undeclared_name;(\n\t\t       \^)?$`, err.Error())
	build := new(cl.BuildError)
	require.ErrorAs(t, err, &build)
	require.Contains(t, build.Device, rt.Device().Name)

	err = compile(func(o *KernelOptions) {
		o.Entry = "other"
		o.Source = "kernel void k(global const float *x, global float *y) {}"
	})
	require.ErrorContains(t, err, fmt.Sprintf("on %s: the source has no kernel %q", id, "other"))
	require.ErrorIs(t, err, cl.InvalidKernelName)

	err = compile(func(o *KernelOptions) { o.Source = "kernel void k(global const float *x) {}" })
	require.ErrorContains(t, err, "takes 1 arguments, not 2")
	own := new(engine.KernelError)
	require.ErrorAs(t, err, &own)
	require.Equal(t, "mine", own.Kernel)
	require.Equal(t, id, own.Device)
}

func TestGeometriesOfOwnKernels(t *testing.T) {
	rt := opstest.Device(t)
	dims := func(global, local [3]int, attribute string) (int32, error) {
		g := NewGraph("geometry")
		x := g.Input("x", tensor.Int32, 16)
		y := Kernel(g, KernelOptions{
			Entry: "k", Source: "kernel " + attribute + " void k(global const int *x, global int *y) { y[get_global_id(0)] = 1000 * get_local_size(0) + get_work_dim(); }",
			Global: global, Local: local, Results: []Result{{DType: tensor.Int32, Shape: []int{16}}},
		}, x)
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: y}))
		if err != nil {
			return 0, err
		}
		out, err := exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.New(tensor.Int32, 16))})
		require.NoError(t, err)
		all, err := tensor.ToSlice[int32](out[0])
		require.NoError(t, err)
		require.NoError(t, exe.Close())
		return all[15], nil
	}
	for _, c := range []struct {
		global, local [3]int
		attribute     string
		want          int32
	}{
		{[3]int{}, [3]int{4}, "", 4001},
		{[3]int{16}, [3]int{8, 1, 1}, "", 8001},
		{[3]int{16, 1}, [3]int{2}, "", 2002},
		{[3]int{16, 1, 1}, [3]int{4, 1, 1}, "", 4003},
		{[3]int{16}, [3]int{}, "__attribute__((reqd_work_group_size(8, 1, 1)))", 8001},
	} {
		got, err := dims(c.global, c.local, c.attribute)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%v %v %s", c.global, c.local, c.attribute)
	}
	_, err := dims([3]int{16}, [3]int{8, 2}, "")
	require.ErrorContains(t, err, "do not fit", "a work-group of more dimensions than the launch")
}
