package onnx

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// wave is a tensor of numbers between -1 and 1.
func wave(shape ...int) *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Float32, shape...))
	for i := range t.Len() {
		t.SetFloat64(i, math.Sin(float64(i)*1.7))
	}
	return t
}

// layers is y = softmax(relu(x w1) w2 + 1), with the constant 1 made by a node.
func layers(t testing.TB, width int) *Model {
	return read(t, &model.Graph{
		Inputs: []*model.Value{input("x", "n", width)}, Outputs: []*model.Value{input("y", "n", width)},
		Initializers: []*model.Tensor{weight(t, "w1", wave(width, width)), weight(t, "w2", wave(width, width))},
		Nodes: []*model.Node{
			node("MatMul", []string{"x", "w1"}, "a"), node("Relu", []string{"a"}, "b"), node("MatMul", []string{"b", "w2"}, "c"),
			node("Constant", nil, "one", &model.Attr{Name: "value", Type: model.AttrTensor, Tensor: weight(t, "", tensor.Scalar(float32(1)))}),
			node("Add", []string{"c", "one"}, "d"), node("Softmax", []string{"d"}, "y"),
		},
	})
}

// Results in 16 bits are those of float32 within its rounding, and float32 outside.
func TestPrecision(t *testing.T) {
	t.Parallel()
	m := layers(t, 8)
	x := wave(3, 8)
	want := run(t, compile(t, m, nil), x)
	for dt, allowed := range map[tensor.DType]float64{tensor.Float32: 0, tensor.Float16: 4e-3, tensor.BFloat16: 4e-2} {
		got := run(t, compile(t, m, &Options{Precision: dt}), x)
		require.Equal(t, tensor.Float32, got.DType())
		ok, why := tensor.AllClose(got, want, 0, allowed)
		require.True(t, ok, "%v: %s", dt, why)
		if dt != tensor.Float32 {
			require.False(t, tensor.Equal(got, want), "%v changes nothing", dt)
		}
	}
	_, err := m.Compile(context.Background(), nil, &Options{Precision: tensor.Int32})
	require.ErrorContains(t, err, "precision")
}

// Results of float64 are those of the mathematics, rounded once.
func TestPrecisionOfFloat64(t *testing.T) {
	t.Parallel()
	const rows, width = 3, 8
	x := wave(rows, width)
	product := func(a []float64, w *tensor.Tensor) []float64 {
		y := make([]float64, rows*width)
		for i := range y {
			for k := range width {
				y[i] += a[i/width*width+k] * w.Float64At(k*width+i%width)
			}
		}
		return y
	}
	want := make([]float64, 0, rows*width)
	for _, v := range x.All() {
		want = append(want, v)
	}
	want = product(want, wave(width, width))
	for i, v := range want {
		want[i] = max(v, 0)
	}
	want = product(want, wave(width, width))
	for r := range rows {
		row, sum := want[r*width:][:width], 0.0
		for i, v := range row {
			row[i] = math.Exp(v + 1)
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
	got := run(t, compile(t, layers(t, width), &Options{Precision: tensor.Float64}), x)
	for i, v := range got.All() {
		require.Equal(t, float32(want[i]), float32(v), i)
	}
}

// A loop carries values in 16 bits, and host constants join it.
func TestPrecisionInALoop(t *testing.T) {
	t.Parallel()
	body := &model.Graph{
		Inputs:  []*model.Value{typed("i", model.Int64), typed("go", model.Bool), input("s", 2)},
		Outputs: []*model.Value{typed("go_on", model.Bool), input("s2", 2)},
		Nodes:   []*model.Node{node("Identity", []string{"go"}, "go_on"), node("Add", []string{"s", "x"}, "s2")},
	}
	m := read(t, &model.Graph{
		Inputs: []*model.Value{input("x", 2)}, Outputs: []*model.Value{input("y", 2)},
		Initializers: []*model.Tensor{weight(t, "trips", tensor.Scalar(int64(3))), weight(t, "yes", tensor.Scalar(true)), weight(t, "zero", vector[float32](0, 0))},
		Nodes:        []*model.Node{{Name: "loop", Op: "Loop", Inputs: []string{"trips", "yes", "zero"}, Outputs: []string{"y"}, Attrs: []*model.Attr{graphAttr("body", body)}}},
	})
	y := run(t, compile(t, m, &Options{Precision: tensor.BFloat16}), vector[float32](1, 2))
	require.True(t, tensor.Equal(y, vector[float32](3, 6)), y)
}

// The plans of a program have the weights in common: on the CPU engine they are the tensors of the model, on a device there is one copy.
func TestWeightsAreInMemoryOnce(t *testing.T) {
	t.Parallel()
	const width = 256
	const weights = 2 * width * width * 4
	for name, open := range map[string]func() (*ops.Runtime, error){
		"cpu": func() (*ops.Runtime, error) { return ops.NewRuntime(fallback.New(nil)), nil },
		"device": func() (*ops.Runtime, error) {
			return ops.Open(t.Context(), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rt, err := open()
			require.NoError(t, err)
			defer rt.Close()
			if name == "device" && rt.Device() == nil {
				t.Skip("no OpenCL device: ", rt.Why())
			}
			o := &Options{}
			if name == "device" {
				o.Target.Place = ops.OnDevice
			}
			p, err := layers(t, width).Compile(t.Context(), rt, o)
			require.NoError(t, err)
			defer p.Close()
			bytes := func() (n int64) {
				for _, e := range rt.Engines() {
					n += e.Stats().Bytes
				}
				return n
			}
			var held []int64
			for n := 1; n <= 4; n++ {
				require.NoError(t, p.Bind(t.Context(), map[string][]int{"x": {n, width}}))
				out, err := p.Run(t.Context(), map[string]*tensor.Tensor{"x": wave(n, width)})
				require.NoError(t, err)
				require.InDelta(t, 1, sum(out["y"])/float64(n), 1e-3)
				held = append(held, bytes())
			}
			t.Log(held)
			if name == "cpu" {
				require.Less(t, held[0], int64(weights/4), "the CPU engine has copied the weights")
			}
			require.Less(t, held[3]-held[0], int64(weights/4), "%d: plans have weights of their own", held)
			require.NoError(t, p.Close())
			require.Less(t, bytes(), int64(weights/4))
		})
	}
}

func sum(t *tensor.Tensor) (s float64) {
	for _, v := range t.All() {
		s += v
	}
	return s
}
