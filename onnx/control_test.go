package onnx

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

func attrInt(name string, v int64) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrInt, Int: v}
}

func TestResultsOfUnknownSizeAreCutWhenARunEnds(t *testing.T) {
	t.Parallel()
	m := read(t, &model.Graph{
		Inputs: []*model.Value{input("x", 4)}, Outputs: []*model.Value{typed("y", model.Int64, 1, "n")},
		Nodes: []*model.Node{node("NonZero", []string{"x"}, "y")},
	})
	p := compile(t, m, nil)
	require.Equal(t, []int{1, 2}, run(t, p, vector[float32](0, 1, 0, 2)).Shape())
	require.Equal(t, []int{1, 0}, run(t, p, vector[float32](0, 0, 0, 0)).Shape())
	require.Len(t, p.plans, 1)
}

func TestWhatReadsAResultOfUnknownSizeSeesItsRealSize(t *testing.T) {
	t.Parallel()
	m := read(t, &model.Graph{
		Inputs: []*model.Value{input("x", 4)}, Outputs: []*model.Value{typed("y", model.Int64, 2)},
		Nodes: []*model.Node{node("NonZero", []string{"x"}, "at"), node("Shape", []string{"at"}, "y")},
	})
	p := compile(t, m, nil)
	for want, x := range map[float64]*tensor.Tensor{2: vector[float32](0, 1, 0, 2), 3: vector[float32](1, 1, 0, 2)} {
		require.Equal(t, want, run(t, p, x).Float64At(1))
	}
}

// counting is a loop that doubles its value as often as trips say, and collects the values before.
func counting(rows bool) *model.Graph {
	body := &model.Graph{
		Name: "body", Inputs: []*model.Value{typed("i", model.Int64), typed("c", model.Bool), input("v", 1)},
		Outputs: []*model.Value{typed("c", model.Bool), input("w", 1)},
		Nodes:   []*model.Node{node("Add", []string{"v", "v"}, "w")},
	}
	n := &model.Node{Op: "Loop", Inputs: []string{"trips", "", "x"}, Outputs: []string{"y"}, Attrs: []*model.Attr{graphAttr("body", body)}}
	g := &model.Graph{Inputs: []*model.Value{input("x", 1), typed("trips", model.Int64)}, Outputs: []*model.Value{input("y", 1)}, Nodes: []*model.Node{n}}
	if rows {
		body.Outputs = append(body.Outputs, input("v", 1))
		n.Outputs = append(n.Outputs, "all")
		g.Outputs = append(g.Outputs, input("all", "n", 1))
	}
	return g
}

func TestLoopsRunAsOftenAsAnInputSays(t *testing.T) {
	t.Parallel()
	for _, rows := range []bool{false, true} {
		p := compile(t, read(t, counting(rows)), nil)
		for _, trips := range []int64{3, 0, 20} {
			out, err := p.Run(t.Context(), map[string]*tensor.Tensor{"x": vector[float32](1), "trips": tensor.Scalar(trips)})
			require.NoError(t, err)
			require.Equal(t, math.Ldexp(1, int(trips)), out["y"].Float64At(0))
			if rows {
				require.Equal(t, []int{int(trips), 1}, out["all"].Shape())
			}
		}
		if !rows {
			require.Len(t, p.plans, 1, "the loop is one of the graph")
		}
	}
}

func TestBranchesOfOtherShapesAreTakenByTheContentsOfInputs(t *testing.T) {
	t.Parallel()
	same := &model.Graph{Name: "same", Outputs: []*model.Value{input("z", 2)}, Nodes: []*model.Node{node("Neg", []string{"x"}, "z")}}
	twice := &model.Graph{Name: "twice", Outputs: []*model.Value{input("z", 4)}, Nodes: []*model.Node{
		{Op: "Concat", Inputs: []string{"x", "x"}, Outputs: []string{"z"}, Attrs: []*model.Attr{attrInt("axis", 0)}},
	}}
	m := read(t, &model.Graph{
		Inputs: []*model.Value{input("x", 2), typed("c", model.Bool)}, Outputs: []*model.Value{input("y", "n")},
		Nodes: []*model.Node{node("If", []string{"c"}, "y", graphAttr("then_branch", same), graphAttr("else_branch", twice))},
	})
	p := compile(t, m, nil)
	for c, want := range map[bool]int{true: 2, false: 4} {
		out, err := p.Run(t.Context(), map[string]*tensor.Tensor{"x": vector[float32](1, 2), "c": tensor.Scalar(c)})
		require.NoError(t, err)
		require.Equal(t, want, out["y"].Len())
	}
}

func TestIntegersOfFourBitsAreDequantised(t *testing.T) {
	t.Parallel()
	m := read(t, &model.Graph{
		Inputs: []*model.Value{input("x", 3)}, Outputs: []*model.Value{input("y", 3)},
		Initializers: []*model.Tensor{
			{Name: "w", Type: 22, Dims: []int64{3}, HasRaw: true, Raw: []byte{0x8f, 0x07}}, // -1, -8, 7
			{Name: "s", Type: model.Float32, Floats: []float32{0.5}},
		},
		Nodes: []*model.Node{node("DequantizeLinear", []string{"w", "s"}, "d"), node("Add", []string{"x", "d"}, "y")},
	})
	y := run(t, compile(t, m, nil), vector[float32](0, 0, 0))
	require.Equal(t, []float64{-0.5, -4, 3.5}, []float64{y.Float64At(0), y.Float64At(1), y.Float64At(2)})
}

func TestALoopOfLessThanNoIterationsHasNone(t *testing.T) {
	t.Parallel()
	g := counting(true)
	g.Inputs, g.Initializers = g.Inputs[:1], []*model.Tensor{weight(t, "trips", tensor.Scalar(int64(-3)))}
	out, err := compile(t, read(t, g), nil).Run(t.Context(), map[string]*tensor.Tensor{"x": vector[float32](1)})
	require.NoError(t, err)
	require.Equal(t, 1.0, out["y"].Float64At(0))
	require.Equal(t, []int{0, 1}, out["all"].Shape())
}

func TestDirectionsOfScansAreForwardOrReverse(t *testing.T) {
	t.Parallel()
	body := &model.Graph{Name: "body", Inputs: []*model.Value{input("e")}, Outputs: []*model.Value{input("o")}, Nodes: []*model.Node{node("Neg", []string{"e"}, "o")}}
	for direction, right := range map[int64]bool{0: true, 1: true, 2: false, -1: false} {
		scan := node("Scan", []string{"x"}, "y", graphAttr("body", body), attrInt("num_scan_inputs", 1), ints("scan_input_directions", direction))
		_, err := Read(bytes.NewReader(encoded(&model.Graph{Inputs: []*model.Value{input("x", 2)}, Outputs: []*model.Value{input("y", 2)}, Nodes: []*model.Node{scan}})))
		require.Equal(t, right, err == nil, "%v", err)
	}
}
