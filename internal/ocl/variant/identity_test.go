package variant_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

func load(input int, addr int64) *engine.Expr {
	return engine.Load(input, tensor.Float32, engine.ConstIndex(addr), nil)
}

// whole is a task in which every field is set that expressions describe tasks by.
func whole() *engine.Task {
	return &engine.Task{
		Kind: engine.Contract, Name: "matmul", Axes: engine.Domain{1, 2, 3}, Groups: []int{1, 2},
		Ins: []engine.Operand{{DType: tensor.Float32, Len: 6}}, Outs: []engine.Operand{{DType: tensor.Float32, Len: 3}}, Alias: []int{-1},
		Values: []*engine.Expr{load(0, 1)}, Folds: []engine.Fold{{Value: load(0, 2), Acc: tensor.Float32}},
		A: load(0, 3), B: load(0, 4), Acc: tensor.Float32, At: load(0, 5), Update: load(0, 6),
	}
}

// Two tasks that differ in any field which says what is computed or how have different plans. A field that is new belongs into the table.
func TestTasksAreAlikeOnlyInAllFields(t *testing.T) {
	t.Parallel()
	changes := map[string][]func(*engine.Task){
		"Kind": {func(x *engine.Task) { x.Kind = engine.Map }}, "Name": {func(x *engine.Task) { x.Name += "+add" }},
		"Axes":   {func(x *engine.Task) { x.Axes[1]++ }, func(x *engine.Task) { x.Axes = engine.Domain{12, 3} }},
		"Groups": {func(x *engine.Task) { x.Groups = []int{2, 1} }},
		"Ins": {
			func(x *engine.Task) { x.Ins[0].Steady = true }, func(x *engine.Task) { x.Ins[0].Len++ },
			func(x *engine.Task) { x.Ins[0].DType = tensor.Int32 }, func(x *engine.Task) { x.Ins, x.Outs = append(x.Ins, x.Outs...), nil },
		},
		"Outs":   {func(x *engine.Task) { x.Outs[0].Len++ }},
		"Alias":  {func(x *engine.Task) { x.Alias = nil }, func(x *engine.Task) { x.Alias[0] = 0 }, func(x *engine.Task) { x.Alias = []int{} }},
		"Values": {func(x *engine.Task) { x.Values[0] = load(0, 2) }, func(x *engine.Task) { x.Values = nil }},
		"Folds": {
			func(x *engine.Task) { x.Folds[0].Monoid = engine.Max }, func(x *engine.Task) { x.Folds[0].Acc = tensor.Float64 },
			func(x *engine.Task) { x.Folds[0].Value = x.A },
		},
		"A": {func(x *engine.Task) { x.A, x.B = x.B, x.A }, func(x *engine.Task) { x.A = nil }}, "B": {func(x *engine.Task) { x.B = x.A }},
		"Acc": {func(x *engine.Task) { x.Acc = tensor.Float64 }}, "At": {func(x *engine.Task) { x.At = nil }},
		"Update": {func(x *engine.Task) { x.Update = x.At }}, "Put": {func(x *engine.Task) { x.Put++ }},
		"Each": {func(x *engine.Task) { x.Each = true }}, "Distinct": {func(x *engine.Task) { x.Distinct = true }},
		"FastMath": {func(x *engine.Task) { x.FastMath = true }}, "Reproducible": {func(x *engine.Task) { x.Reproducible = true }},
	}
	seen := map[any]string{variant.Identity(whole()): "nothing"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[engine.Task]()) {
		if f.Name == "Caller" {
			continue // it is told in errors
		}
		if f.Name == "Custom" || f.Name == "Attention" || f.Name == "Algorithm" {
			continue // of kinds that are alike to themselves alone
		}
		require.NotEmpty(t, changes[f.Name], f.Name)
		for _, change := range changes[f.Name] {
			x := whole()
			change(x)
			id := variant.Identity(x)
			require.Empty(t, seen[id], f.Name)
			seen[id] = f.Name
		}
	}
	other := whole()
	other.Caller = "elsewhere.go:7"
	require.Equal(t, variant.Identity(whole()), variant.Identity(other))
	for _, kind := range []engine.Kind{engine.Custom, engine.Attention, engine.Routine} {
		x, y := whole(), whole()
		x.Kind, y.Kind = kind, kind
		require.True(t, variant.Identity(x) == variant.Identity(x))
		require.False(t, variant.Identity(x) == variant.Identity(y), kind)
	}
}
