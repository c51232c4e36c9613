package schema

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

type inner struct {
	Axis int
	Size int `default:"3"`
}

type base struct {
	Depth int `doc:"how deep"`
}

type sample struct {
	base
	Eps    float64      `default:"1e-5"`
	DType  tensor.DType `attr:"dtype" default:"float32"`
	IoU    *float64     `attr:"iou" default:""`
	Pads   [2]int       `default:"[1, 2]"`
	Axes   []int        `default:""`
	In     []inner      `default:""`
	Exact  bool         `default:"true"`
	Mode   string       `default:"edge"`
	Low    float64      `default:"\"-Inf\""`
	Byte   uint8        `default:"7"`
	Hidden int          `attr:"-"`
	own    int
}

func TestFieldsAreTheExportedOnes(t *testing.T) {
	var got []string
	for _, f := range Of(reflect.TypeFor[sample]()) {
		got = append(got, f.Name+" "+f.Type)
	}
	require.Equal(t, []string{
		"depth int", "eps float", "dtype dtype", "iou float", "pads [2]int", "axes []int", "in []{axis int, size int}", "exact bool", "mode string", "low float", "byte int",
	}, got)
	require.True(t, Of(reflect.TypeFor[sample]())[0].Given)
	require.Equal(t, "how deep", Of(reflect.TypeFor[sample]())[0].Doc)
	require.Empty(t, Of(nil))
	require.Empty(t, Of(reflect.TypeFor[*sample]()))
	require.Equal(t, opaque, Of(reflect.TypeFor[struct{ F func() }]())[0].Type)
}

func TestDefaults(t *testing.T) {
	x, err := Decode(reflect.TypeFor[sample](), map[string]any{"depth": 2})
	require.NoError(t, err)
	require.Equal(t, sample{base: base{2}, Eps: 1e-5, DType: tensor.Float32, Pads: [2]int{1, 2}, Exact: true, Mode: "edge", Low: math.Inf(-1), Byte: 7}, x)
}

func TestValuesComeBackThroughJSON(t *testing.T) {
	half := 0.5
	for _, x := range []sample{
		{},
		{base: base{math.MaxInt32}, Eps: math.Inf(1), DType: tensor.BFloat16, IoU: &half, Pads: [2]int{-1, 4}, Axes: []int{}, In: []inner{{1, 2}, {3, 4}}, Mode: "wrap", Byte: 255},
		{Eps: math.Copysign(0, -1), DType: tensor.Int8, Axes: []int{0, -1}},
	} {
		if !x.DType.Valid() {
			x.DType = tensor.Bool
		}
		values, err := Encode(x)
		require.NoError(t, err)
		text, err := json.Marshal(values)
		require.NoError(t, err)
		var read map[string]any
		require.NoError(t, json.Unmarshal(text, &read))
		for name, v := range read {
			if v == nil { // left out
				delete(read, name)
			}
		}
		again, err := Decode(reflect.TypeFor[sample](), read)
		require.NoError(t, err)
		require.Equal(t, AppendKey(nil, x.Axes), AppendKey(nil, again.(sample).Axes))
		again2, err := Encode(again)
		require.NoError(t, err)
		require.Equal(t, values, again2)
		require.Equal(t, math.Signbit(x.Eps), math.Signbit(again.(sample).Eps))
	}
}

func TestMistakes(t *testing.T) {
	for says, values := range map[string]map[string]any{
		"must be given":              {},
		`no attribute "depht"`:       {"depth": 1, "depht": 2},
		"attribute depth":            {"depth": "deep"},
		"1.5 is not int":             {"depth": 1.5},
		"attribute byte":             {"depth": 1, "byte": 256},
		"attribute pads":             {"depth": 1, "pads": []int{1, 2, 3}},
		"attribute exact":            {"depth": 1, "exact": 1},
		"attribute dtype":            {"depth": 1, "dtype": "float31"},
		"attribute in: attribute ":   {"depth": 1, "in": []any{map[string]any{"axis": "x"}}},
		"attribute in: the attribut": {"depth": 1, "in": []any{map[string]any{}}},
		"attribute mode":             {"depth": 1, "mode": 3},
		"attribute eps":              {"depth": 1, "eps": []int{1}},
	} {
		_, err := Decode(reflect.TypeFor[sample](), values)
		require.ErrorContains(t, err, says)
	}
	_, err := Decode(reflect.TypeFor[int](), nil)
	require.Error(t, err)
	_, err = Decode(nil, map[string]any{"a": 1})
	require.Error(t, err)
	_, err = Encode(struct{ F func() }{})
	require.Error(t, err)
	require.Panics(t, func() {
		Of(reflect.TypeFor[struct {
			A int `default:"x"`
		}]())
	})
}

func TestKeysAreEqualWhereValuesAre(t *testing.T) {
	a, b := 0.5, 0.5
	require.Equal(t, AppendKey(nil, sample{IoU: &a}), AppendKey(nil, sample{IoU: &b}))
	seen := map[string]int{}
	for i, x := range []any{
		sample{}, sample{own: 1}, sample{Eps: math.Copysign(0, -1)}, sample{Eps: math.NaN()}, sample{Axes: []int{1}}, sample{Axes: []int{1, 0}},
		sample{Axes: []int{0, 1}}, sample{Mode: "a"}, sample{IoU: &a}, sample{Pads: [2]int{0, 1}}, sample{In: []inner{{1, 2}}}, sample{In: []inner{{1, 3}}}, sample{Exact: true}, sample{Byte: 1},
	} {
		key := string(AppendKey(nil, x))
		require.NotContains(t, seen, key, "%d", i)
		seen[key] = i
	}
	require.Equal(t, AppendKey(nil, sample{Eps: math.NaN()}), AppendKey(nil, sample{Eps: math.NaN()}))
	require.Empty(t, AppendKey(nil, nil))
}

type tree struct {
	Kids []tree `default:""`
}

type chain struct {
	Next *chain `default:""`
}

// A type that contains itself has no text form, and does not recurse for ever.
func TestWhatContainsItself(t *testing.T) {
	require.Equal(t, opaque, Of(reflect.TypeFor[tree]())[0].Type)
	require.Equal(t, opaque, Of(reflect.TypeFor[chain]())[0].Type)
	cycle := []any{1}
	cycle[0] = cycle
	var p any
	p = &p
	for _, x := range []any{struct{ A []any }{cycle}, struct{ A any }{p}} {
		require.Equal(t, AppendKey(nil, x), AppendKey(nil, x))
	}
}

func TestClonesShareNoSlices(t *testing.T) {
	x := sample{Axes: []int{1, 2}, In: []inner{{1, 2}}}
	y := Clone(x).(sample)
	x.Axes[0], x.In[0].Axis = 7, 7
	require.Equal(t, []int{1, 2}, y.Axes)
	require.Equal(t, []inner{{1, 2}}, y.In)
	require.Nil(t, Clone(nil))
	require.Equal(t, map[string]any{"a": 1}, Clone(map[string]any{"a": 1}))
}

func TestNumbersLoseNothing(t *testing.T) {
	type numbers struct {
		F float32 `default:"1"`
		D float64 `default:"2"`
	}
	for _, values := range []map[string]any{{"f": 1e300}, {"d": 1<<53 + 1}, {"d": uint64(math.MaxUint64)}} {
		_, err := Decode(reflect.TypeFor[numbers](), values)
		require.ErrorContains(t, err, "does not fit")
	}
	x, err := Decode(reflect.TypeFor[numbers](), map[string]any{"f": nil, "d": math.MinInt64})
	require.NoError(t, err)
	require.Equal(t, numbers{1, math.MinInt64}, x)
	_, err = Decode(reflect.TypeFor[sample](), map[string]any{"depth": 1, "dtype": 3})
	require.ErrorContains(t, err, "dtype")
}
