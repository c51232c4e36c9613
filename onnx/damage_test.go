package onnx

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx/internal/model"
)

// Bytes that were changed at random give an error or another model, and neither a panic nor a long wait.
func TestDamagedFilesAreReadOrRefused(t *testing.T) {
	t.Parallel()
	files := [][]byte{softmaxFile(), encoded(shapes()), encoded(&model.Graph{
		Inputs: []*model.Value{input("x", 1, 2, 5, 5)}, Outputs: []*model.Value{input("y", 1, 2, 3, 3)},
		Nodes: []*model.Node{node("MaxPool", []string{"x"}, "y", ints("kernel_shape", 3, 3), ints("strides", 1, 1), ints("pads", 0, 0, 0, 0))},
	})}
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		b := bytes.Clone(files[r.IntN(len(files))])
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		b = b[:len(b)-r.IntN(2)*r.IntN(len(b))]
		start := time.Now()
		m, err := Read(bytes.NewReader(b))
		if err == nil {
			require.NotNil(t, m)
		}
		require.Less(t, time.Since(start), 10*time.Second, "%x", b)
	}
}

func TestGiganticShapesTakeNoMemory(t *testing.T) {
	t.Parallel()
	shape := &model.Tensor{Name: "shape", Type: model.Int64, Dims: []int64{2}, Int64s: []int64{1 << 31, 1 << 31}}
	for _, n := range []*model.Node{node("ConstantOfShape", []string{"shape"}, "y"), node("Expand", []string{"x", "shape"}, "y")} {
		m, err := Read(bytes.NewReader(encoded(&model.Graph{
			Inputs: []*model.Value{input("x", 1)}, Outputs: []*model.Value{input("y", "a", "b")}, Nodes: []*model.Node{n}, Initializers: []*model.Tensor{shape},
		})))
		if err == nil { // a shape alone takes none
			require.NotNil(t, m)
		}
	}
	_, err := Read(bytes.NewReader(encoded(&model.Graph{
		Outputs: []*model.Value{input("y", "a")}, Nodes: []*model.Node{node("Range", []string{"zero", "much", "one"}, "y")},
		Initializers: []*model.Tensor{
			{Name: "zero", Type: model.Int64, Int64s: []int64{0}}, {Name: "one", Type: model.Int64, Int64s: []int64{1}}, {Name: "much", Type: model.Int64, Int64s: []int64{1 << 60}},
		},
	})))
	require.ErrorIs(t, err, ErrUnsupported)
}
