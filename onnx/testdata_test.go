package onnx

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

var update = flag.Bool("update", false, "write the files of testdata")

// softmaxFile is the model of the example: y = softmax(x).
func softmaxFile() []byte {
	return encoded(&model.Graph{
		Name: "softmax", Inputs: []*model.Value{input("x", "batch", 3)}, Outputs: []*model.Value{input("y", "batch", 3)},
		Nodes: []*model.Node{node("Softmax", []string{"x"}, "y")},
	})
}

func TestFilesOfTestdataAreWhatTheTestsWrite(t *testing.T) {
	t.Parallel()
	if *update {
		require.NoError(t, os.WriteFile("testdata/softmax.onnx", softmaxFile(), 0o644))
	}
	b, err := os.ReadFile("testdata/softmax.onnx")
	require.NoError(t, err)
	require.True(t, bytes.Equal(b, softmaxFile()), "go test ./onnx -run Testdata -update writes them")
}

// The trained network of the ONNX model zoo for digits is named by ANYCL_ONNX_MNIST.
func TestTrainedNetworkSeesADigit(t *testing.T) {
	t.Parallel()
	path := os.Getenv("ANYCL_ONNX_MNIST")
	if path == "" {
		t.Skip("ANYCL_ONNX_MNIST names no file opt-mnist.onnx")
	}
	m, err := Load(path)
	require.NoError(t, err)
	in := m.Inputs()[0]
	x := tensor.Must(tensor.New(in.DType, in.Shape...))
	for row := 4; row < 24; row++ { // a one
		for column := 13; column < 15; column++ {
			x.SetFloat64(row*28+column, 1)
		}
	}
	p := compile(t, m, nil)
	out, err := p.Run(t.Context(), map[string]*tensor.Tensor{in.Name: x})
	require.NoError(t, err)
	scores := out[m.Outputs()[0].Name]
	best := 0
	for i, s := range scores.All() {
		if s > scores.Float64At(best) {
			best = i
		}
	}
	require.Equal(t, 1, best)
}
