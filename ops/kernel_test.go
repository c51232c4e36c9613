package ops_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// splitKernel has two results and a scalar argument: x·s and its sign.
func splitKernel(g *Graph, x *Node, source string) []*Node {
	return Kernel(g, KernelOptions{
		Entry: "split", Source: source, Args: []any{float32(2)},
		Results: []Result{{DType: tensor.Float32, Shape: x.Shape()}, {DType: tensor.Int32, Shape: x.Shape()}},
		Host: func(outs, ins []*tensor.Tensor) error {
			for i, v := range ins[0].All() {
				outs[0].SetFloat64(i, 2*v)
				sign := 0.0
				if v > 0 {
					sign = 1
				} else if v < 0 {
					sign = -1
				}
				outs[1].SetFloat64(i, sign)
			}
			return nil
		},
	}, x)
}

const splitSource = `
kernel void split(global const float *x, global float *y, global int *sign, const float s) {
    const size_t i = get_global_id(0);
    y[i] = s * x[i];
    sign[i] = (x[i] > 0) - (x[i] < 0);
}
`

func TestAUsersKernelIsAnOpLikeAnother(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("user")
		x := g.Input("x", tensor.Float32, 2, 3)
		r := splitKernel(g, Transpose(Neg(x)), splitSource)
		y := Add(r[0], ScalarLike(r[0], 1))
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{y, r[1]}}))
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{2, 3}, 1, -2, 0, 4, 5, -6)})
		require.NoError(t, err)
		require.Equal(t, []int{3, 2}, out[0].Shape())
		require.Equal(t, []float32{-1, -7, 5, -9, 1, 13}, opstest.FloatsOf(t, out[0]))
		signs, err := tensor.ToSlice[int32](out[1])
		require.NoError(t, err)
		require.Equal(t, []int32{-1, -1, 1, -1, 0, 1}, signs)
	})
}

// A kernel reads memory: of an operand that is reshaped it reads the old elements, under the shape that the host's function sees.
func TestAReshapedOperandOfAKernelIsNotCopied(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("reshaped")
		x := g.Input("x", tensor.Float32, 2, 6)
		v := g.Variable("v", opstest.Vec(t, []int{12}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
		first := splitKernel(g, Reshape(x, 3, 4), splitSource)[0]
		second := splitKernel(g, Reshape(ExpandDims(first, 0), 12), splitSource)
		third := splitKernel(g, Reshape(v, 3, 4), splitSource)[0]
		turned := splitKernel(g, Reshape(Transpose(x), 3, 4), splitSource)[0] // which is another order
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{
			Outputs: []*Node{second[0], second[1], third, turned}, Updates: []*Node{Assign(v, Add(v, 1))},
		}))
		require.NoError(t, err)
		kernels := 0
		for _, task := range exe.Report().Tasks {
			if task.Name == "split" {
				kernels++
			}
		}
		require.Equal(t, 4, kernels)
		require.Len(t, exe.Report().Tasks, 4+1+1, "the kernels, the transposed operand, the update")
		for run := range 2 {
			out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{2, 6}, 1, -2, 0, 4, 5, -6, 7, 8, -9, 10, 11, 12)})
			require.NoError(t, err)
			require.Equal(t, []int{12}, out[0].Shape())
			require.Equal(t, []float32{4, -8, 0, 16, 20, -24, 28, 32, -36, 40, 44, 48}, opstest.FloatsOf(t, out[0]))
			require.Equal(t, []int{3, 4}, out[2].Shape())
			for i, got := range opstest.FloatsOf(t, out[2]) {
				require.EqualValues(t, 2*(i+1+run), got, "the variable before this run's update")
			}
			require.Equal(t, []float32{2, 14, -4, 16, 0, -18, 8, 20, 10, 22, -12, 24}, opstest.FloatsOf(t, out[3]))
		}
	})
}
func TestAKernelThatDoesNotCompileSaysWhereAndWhy(t *testing.T) {
	rt := opstest.Device(t)
	g := NewGraph("broken")
	x := g.Input("x", tensor.Float32, 4)
	r := splitKernel(g, x, "kernel void split(global const float *x, global float *y, global int *s, const float f) {\n    y[0] = undeclared_name;\n}\n")
	_, err := g.Compile(t.Context(), rt, Target{Outputs: r, Place: OnDevice})
	var build *cl.BuildError
	require.ErrorAs(t, err, &build)
	require.Equal(t, 2, build.Line)
	require.ErrorContains(t, err, "split")
	require.ErrorContains(t, err, "undeclared_name")
	for _, e := range rt.Engines() {
		require.Zero(t, e.Stats().Memories, "%s: nothing is left of a failed compilation", e.Name())
	}
}

func TestAKernelWithoutAHostFunctionNeedsADevice(t *testing.T) {
	g := NewGraph("device only")
	x := g.Input("x", tensor.Float32, 4)
	y := Kernel(g, KernelOptions{Entry: "f", Source: "kernel void f() {}", Results: []Result{{DType: tensor.Float32, Shape: []int{4}}}}, x)
	_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: y})
	require.ErrorIs(t, err, engine.ErrUnsupported)
}

func TestWhatAHostFunctionReturnsIsTheErrorOfTheRun(t *testing.T) {
	mine := errors.New("mine")
	for name, f := range map[string]func(outs, ins []*tensor.Tensor) error{
		"error": func(outs, ins []*tensor.Tensor) error { return mine },
		"panic": func(outs, ins []*tensor.Tensor) error { panic("boom") },
	} {
		t.Run(name, func(t *testing.T) {
			g := NewGraph("host")
			x := g.Input("x", tensor.Float32, 4)
			y := Kernel(g, KernelOptions{Entry: "f", Source: "-", Results: []Result{{DType: tensor.Float32, Shape: []int{4}}}, Host: f}, x)
			exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: y})
			require.NoError(t, err)
			_, err = exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{4})})
			require.Error(t, err)
			if name == "error" {
				require.ErrorIs(t, err, mine)
			}
		})
	}
}

func TestMoreMemoryThanThereIsIsAnError(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("huge")
		x := g.Full(tensor.Float64, 1, 1<<20, 1<<22)
		_, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{Sum(Exp(Transpose(Materialize(x))))}}))
		require.Error(t, err)
		for _, e := range rt.Engines() {
			require.Zero(t, e.Stats().Memories)
		}
		small := g.Full(tensor.Float32, 1, 3)
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{small}}))
		require.NoError(t, err, "the next graph works")
		require.NoError(t, exe.Close())
	})
}

// A kernel that could not be called gives as many results as one that could.
func TestAKernelThatCannotBeCalledHasItsResults(t *testing.T) {
	o := KernelOptions{
		Source: "kernel void k(global const float *x, global float *y, global float *z) {}", Entry: "k",
		Results: []Result{{DType: tensor.Float32, Shape: []int{3}}, {DType: tensor.Float32, Shape: []int{3}}},
	}
	require.Len(t, Kernel(nil, o), 2)
	g := NewGraph("nil")
	require.Len(t, Kernel(g, o, nil), 2)
	require.ErrorContains(t, g.Err(), "an operand is nil")
	require.ErrorContains(t, g.Err(), "kernel_test.go:")
}

// The form for CPUs fills the result from another kernel, in portions of three.
func TestDriversForCPUsRunAFormOfTheirOwn(t *testing.T) {
	form := func(g *Graph, cpu *KernelForm) *Node {
		return Kernel(g, KernelOptions{
			Entry: "one", Args: []any{int32(10)}, CPU: cpu,
			Source: `#ifndef CPU_VALUE
#define CPU_VALUE 0
#endif
kernel void one(global float *y, const int n) { y[get_global_id(0)] = 1; }
kernel void three(global float *y, const int n) {
    for (int i = 3 * get_global_id(0); i < min(n, 3 * (int)get_global_id(0) + 3); i++) y[i] = CPU_VALUE;
}
`,
			Results: []Result{{DType: tensor.Float32, Shape: []int{10}}},
			Host: func(outs, _ []*tensor.Tensor) error {
				for i := range 10 {
					outs[0].SetFloat64(i, 2)
				}
				return nil
			},
		})[0]
	}
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("form")
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{
			form(g, &KernelForm{Entry: "three", Options: "-DCPU_VALUE=3", Global: [3]int{4}, Local: [3]int{1}}), form(g, nil),
			Kernel(g, KernelOptions{ // of which the form for CPUs has only the work-group
				Source: "kernel void sizes(global int *y) { y[get_global_id(0)] = 100 * get_global_size(0) + get_local_size(0); }", Entry: "sizes",
				Results: []Result{{DType: tensor.Int32, Shape: []int{12}}}, Global: [3]int{12}, Local: [3]int{4}, CPU: &KernelForm{Local: [3]int{2}},
				Host: func(outs, _ []*tensor.Tensor) error {
					for i := range 12 {
						outs[0].SetFloat64(i, 0)
					}
					return nil
				},
			})[0],
		}}))
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), nil)
		require.NoError(t, err)
		want, group := []float32{2, 2}, 0.0
		if d := rt.Device(); d != nil {
			want, group = []float32{1, 1}, 1204
			if d.Class == platform.CPU {
				want[0], group = 3, 1202
			}
		}
		require.Equal(t, group, out[2].Float64At(11))
		for i, x := range out[:2] {
			require.Equal(t, slices.Repeat([]float32{want[i]}, 10), opstest.FloatsOf(t, x))
		}
	})
	for what, cpu := range map[string]*KernelForm{
		"for CPUs: global size [10 0 0] and local size [3 0 0] do not fit": {Global: [3]int{10}, Local: [3]int{3}},
		"for CPUs: global size [1099511627776 16777216 1] is of more":      {Global: [3]int{1 << 40, 1 << 24, 1}},
		"for CPUs: global size [0 4 0]":                                    {Global: [3]int{0, 4}},
	} {
		g := NewGraph("form")
		form(g, cpu)
		require.ErrorContains(t, g.Err(), what)
	}
}
