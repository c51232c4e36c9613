package onnx

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

func floatsAttr(name string, v ...float32) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrFloats, Floats: v}
}

func names(values []*model.Value) []string {
	var all []string
	for _, v := range values {
		all = append(all, v.Name)
	}
	return all
}

func stringsAttr(name string, v ...string) *model.Attr {
	a := &model.Attr{Name: name, Type: model.AttrStrings}
	for _, s := range v {
		a.Strings = append(a.Strings, []byte(s))
	}
	return a
}

// classical is a model of one operator of ai.onnx.ml.
func classical(t *testing.T, op string, outputs []*model.Value, attrs ...*model.Attr) *Model {
	m, err := classicalOf(3, op, input("x", "n", 2), outputs, attrs...)
	require.NoError(t, err)
	return m
}

// classicalOf is the same in a version of ai.onnx.ml, with an input of its own.
func classicalOf(version int64, op string, in *model.Value, outputs []*model.Value, attrs ...*model.Attr) (*Model, error) {
	return Read(bytes.NewReader(model.Encode(&model.Model{
		Opsets: map[string]int64{"": 18, "ai.onnx.ml": version},
		Graph: &model.Graph{Name: op, Inputs: []*model.Value{in}, Outputs: outputs, Nodes: []*model.Node{
			{Op: op, Domain: "ai.onnx.ml", Inputs: []string{"x"}, Outputs: names(outputs), Attrs: attrs},
		}},
	})))
}

func TestTreesGoLeftWhereTheFeatureIsAtMostTheValue(t *testing.T) {
	t.Parallel()
	tree := []*model.Attr{
		ints("nodes_treeids", 0, 0, 0), ints("nodes_nodeids", 0, 1, 2), ints("nodes_featureids", 1, 0, 0), floatsAttr("nodes_values", 0.5, 0, 0),
		stringsAttr("nodes_modes", "BRANCH_LEQ", "LEAF", "LEAF"), ints("nodes_truenodeids", 1, 0, 0), ints("nodes_falsenodeids", 2, 0, 0),
	}
	x := tensor.Must(tensor.FromSlice([]float32{9, 0.5, 9, 0.6}, 2, 2))
	m := classical(t, "TreeEnsembleRegressor", []*model.Value{input("y", "n", 1)}, append(tree,
		ints("target_treeids", 0, 0), ints("target_nodeids", 1, 2), ints("target_ids", 0, 0), floatsAttr("target_weights", 10, 20), floatsAttr("base_values", 1))...)
	y := run(t, compile(t, m, nil), x)
	require.Equal(t, []float64{11, 21}, []float64{y.Float64At(0), y.Float64At(1)})
	m = classical(t, "TreeEnsembleClassifier", []*model.Value{typed("y", model.Int64, "n"), input("z", "n", 3)}, append(tree,
		ints("class_treeids", 0, 0), ints("class_nodeids", 1, 2), ints("class_ids", 2, 1), floatsAttr("class_weights", 1, 1), ints("classlabels_int64s", 7, 8, 9))...)
	y = run(t, compile(t, m, nil), x)
	require.Equal(t, []float64{9, 8}, []float64{y.Float64At(0), y.Float64At(1)})
}

func TestLinearModelsAreProducts(t *testing.T) {
	t.Parallel()
	m := classical(t, "LinearClassifier", []*model.Value{typed("y", model.Int64, "n"), input("z", "n", 2)},
		floatsAttr("coefficients", 1, 0, 0, 1), floatsAttr("intercepts", 0, 0.5), ints("classlabels_ints", 3, 4))
	y := run(t, compile(t, m, nil), tensor.Must(tensor.FromSlice([]float32{1, 0, 1, 0.6}, 2, 2)))
	require.Equal(t, []float64{3, 4}, []float64{y.Float64At(0), y.Float64At(1)})
	m = classical(t, "Scaler", []*model.Value{input("y", "n", 2)}, floatsAttr("offset", 1, 2), floatsAttr("scale", 2, 0.5))
	y = run(t, compile(t, m, nil), tensor.Must(tensor.FromSlice([]float32{3, 4}, 1, 2)))
	require.Equal(t, []float64{4, 1}, []float64{y.Float64At(0), y.Float64At(1)})
}

// The maps that end classifiers of scikit-learn's converter are a tensor, with a row for each.
func TestMapsOfClassesAreATensor(t *testing.T) {
	t.Parallel()
	maps := &model.Value{Name: "z", Kind: "sequence"}
	m := classical(t, "ZipMap", []*model.Value{maps}, ints("classlabels_int64s", 7, 8))
	require.Equal(t, Info{Name: "z", DType: tensor.Float32, Type: "float32", Shape: []int{-1, -1}, Dims: []string{"", ""}}, m.Outputs()[0])
	x := tensor.Must(tensor.FromSlice([]float32{0.25, 0.75, 1, 0}, 2, 2))
	out, err := compile(t, m, nil).Run(t.Context(), map[string]*tensor.Tensor{"x": x})
	require.NoError(t, err)
	require.True(t, tensor.Equal(out["z"], x))
	m = classical(t, "ZipMap", []*model.Value{maps}, stringsAttr("classlabels_strings", "a", "b", "c"))
	_, err = m.Graph(&GraphOptions{Shapes: map[string][]int{"x": {1, 2}}})
	require.ErrorContains(t, err, "3 labels")
}

func TestLabelsAreExactAndNaNIsOneSinceVersion4(t *testing.T) {
	t.Parallel()
	big := int64(1<<53 + 1)
	m, err := classicalOf(3, "LabelEncoder", typed("x", model.Int64, 3), []*model.Value{typed("y", model.Int64, 3)},
		ints("keys_int64s", 1, big), ints("values_int64s", big, 10), attrInt("default_int64", -big))
	require.NoError(t, err)
	y := run(t, compile(t, m, nil), vector(1, big, big-1))
	require.True(t, tensor.Equal(vector(big, 10, -big), y), "%v", y)
	nan := float32(math.NaN())
	for version, want := range map[int64]float64{2: 9, 4: 1} {
		m, err := classicalOf(version, "LabelEncoder", input("x", 3), []*model.Value{input("y", 3)},
			floatsAttr("keys_floats", 5, nan), floatsAttr("values_floats", 2, 1), &model.Attr{Name: "default_float", Type: model.AttrFloat, Float: 9})
		require.NoError(t, err)
		y := run(t, compile(t, m, nil), vector(nan, 5, 6))
		require.Equal(t, []float64{want, 2, 9}, []float64{y.Float64At(0), y.Float64At(1), y.Float64At(2)})
	}
}

// Boosted trees of a converter have the score of one class, which is no probability before the transform, whatever its weights.
func TestALogisticScoreIsTransformedWhereWeightsArePositive(t *testing.T) {
	t.Parallel()
	tree := func(class int64) []*model.Attr {
		return []*model.Attr{
			ints("nodes_treeids", 0, 0, 0), ints("nodes_nodeids", 0, 1, 2), ints("nodes_featureids", 1, 0, 0), floatsAttr("nodes_values", 0.5, 0, 0),
			stringsAttr("nodes_modes", "BRANCH_LEQ", "LEAF", "LEAF"), ints("nodes_truenodeids", 1, 0, 0), ints("nodes_falsenodeids", 2, 0, 0),
			ints("class_treeids", 0, 0), ints("class_nodeids", 1, 2), ints("class_ids", class, class), floatsAttr("class_weights", 0.2, 0.7),
			ints("classlabels_int64s", 7, 8), {Name: "post_transform", Type: model.AttrString, String: []byte("LOGISTIC")},
		}
	}
	outputs := []*model.Value{typed("y", model.Int64, 2), input("z", 2, 2)}
	m, err := classicalOf(3, "TreeEnsembleClassifier", input("x", 2, 2), outputs, tree(0)...)
	require.NoError(t, err)
	out, err := compile(t, m, nil).Run(t.Context(), map[string]*tensor.Tensor{"x": tensor.Must(tensor.FromSlice([]float32{0, 0, 1, 1}, 2, 2))})
	require.NoError(t, err)
	for i, want := range []float64{0.45016601, 0.54983399, 0.33181223, 0.66818777} { // as onnxruntime
		require.InDelta(t, want, out["z"].Float64At(i), 1e-6)
	}
	require.Equal(t, []float64{7, 8}, []float64{out["y"].Float64At(0), out["y"].Float64At(1)})
	_, err = classicalOf(3, "TreeEnsembleClassifier", input("x", 2, 2), outputs, tree(1)...)
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, "class 1")
}

func TestFeaturesAreAsManyAsTheirVectorizerSays(t *testing.T) {
	t.Parallel()
	for n, right := range map[int64]bool{2: true, 3: false} {
		_, err := classicalOf(3, "FeatureVectorizer", input("x", 4, 2), []*model.Value{input("y", 4, n)}, ints("inputdimensions", n))
		require.Equal(t, right, err == nil, "%v", err)
	}
}
