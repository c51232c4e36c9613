package onnx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

func text(name, v string) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrString, String: []byte(v)}
}

// Whatever the sizes are, these nodes cannot be built: also those behind others that are refused, and behind one whose result's rank depends on contents.
func TestWhatNoSizesMakeSupportedIsRefusedByLoad(t *testing.T) {
	t.Parallel()
	nodes := func() []*model.Node {
		return []*model.Node{
			node("Relu", []string{"x"}, "a", ints("frob", 1)),
			node("Gelu", []string{"a"}, "b", text("approximate", "rough")),
			node("Reshape", []string{"b", "shape"}, "c"),
			node("Softmax", []string{"c"}, "d", text("axis", "last")),
			node("Cast", []string{"d"}, "y", &model.Attr{Name: "to", Type: model.AttrInt, Int: 8}),
		}
	}
	for _, dims := range [][]any{{"n", 3}, {"n", "m"}, {2, 3}} {
		_, err := Read(bytes.NewReader(model.Encode(&model.Model{IR: 8, Opsets: map[string]int64{"": 20}, Graph: &model.Graph{
			Inputs:  []*model.Value{input("x", dims...), typed("shape", model.Int64, "r")},
			Outputs: []*model.Value{{Name: "y"}}, Nodes: nodes(),
		}})))
		require.ErrorIs(t, err, ErrUnsupported)
		for _, part := range []string{`Relu "Relu_a": its attribute "frob"`, `"rough"`, `Softmax "Softmax_d": attribute "axis" is of another type`, `Cast "Cast_y"`} {
			require.Equal(t, 1, strings.Count(err.Error(), part), "%v: %s", dims, err)
		}
		require.NotContains(t, err.Error(), "Reshape")
	}
}

// A matrix of 7 x 9 fits no sizes that might be guessed; and the branch for one row, which no run of several takes, cannot be built.
func TestSizesThatAreNotKnownAreNoReasonToRefuseAModel(t *testing.T) {
	t.Parallel()
	inner := func(n *model.Node) *model.Graph {
		return &model.Graph{Name: n.Outputs[0], Nodes: []*model.Node{n}, Outputs: []*model.Value{{Name: n.Outputs[0]}}}
	}
	m := read(t, &model.Graph{
		Initializers: []*model.Tensor{
			weight(t, "w", tensor.Must(tensor.New(tensor.Float32, 7, 9))), weight(t, "one", vector[int64](1)), weight(t, "zero", vector[int64](0)),
		},
		Inputs: []*model.Value{input("x", "n", "k")}, Outputs: []*model.Value{{Name: "y"}},
		Nodes: []*model.Node{
			node("MatMul", []string{"x", "w"}, "a"),
			node("Shape", []string{"x"}, "s"), node("Gather", []string{"s", "zero"}, "rows"), node("Equal", []string{"rows", "one"}, "single"),
			node("If", []string{"single"}, "y",
				graphAttr("then_branch", inner(node("Relu", []string{"a"}, "t", ints("frob", 1)))),
				graphAttr("else_branch", inner(node("Relu", []string{"a"}, "e")))),
		},
	})
	y := run(t, compile(t, m, nil), tensor.Must(tensor.New(tensor.Float32, 2, 7)))
	require.Equal(t, []int{2, 9}, y.Shape())
}
