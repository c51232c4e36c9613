package numerics_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestLookupsAgreeWithAMap(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 8))
	table := map[int64]int64{}
	words := map[string]int64{}
	var keys, values, numbers []int64
	var names []string
	for i := range int64(5000) {
		k := int64(rng.Uint64() >> rng.IntN(60))
		if _, ok := table[k]; ok {
			continue
		}
		table[k] = i
		keys, values = append(keys, k), append(values, i)
		name := fmt.Sprintf("%x", k*k)
		if _, ok := words[name]; !ok {
			words[name] = i
			names, numbers = append(names, name), append(numbers, i)
		}
	}
	ask, asked := make([]int64, 4000), make([]string, 4000)
	for i := range ask {
		ask[i], asked[i] = keys[rng.IntN(len(keys))], names[rng.IntN(len(names))]
		if rng.IntN(3) == 0 {
			ask[i]++
			asked[i] += "x"
		}
	}
	g := NewGraph("lookups")
	x, s := g.Input("x", tensor.Int64, len(ask)), g.Input("s", tensor.Uint8, len(ask), 20)
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Lookup(x, keys, values, -7), LookupStrings(s, names, numbers, -7)}})
	require.NoError(t, err)
	packed, err := PackStrings(20, asked...)
	require.NoError(t, err)
	got, err := exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.FromSlice(ask)), s: packed})
	require.NoError(t, err)
	ints, _ := tensor.ToSlice[int64](got[0])
	strings, _ := tensor.ToSlice[int64](got[1])
	for i := range ask {
		want, ok := table[ask[i]]
		if !ok {
			want = -7
		}
		require.Equal(t, want, ints[i])
		if want, ok = words[asked[i]]; !ok {
			want = -7
		}
		require.Equal(t, want, strings[i], asked[i])
	}
}

func TestMistakesInRoutinesAreErrors(t *testing.T) {
	t.Parallel()
	for want, build := range map[string]func(g *Graph, x, m *Node) *Node{
		"9 of 8 elements":         func(_ *Graph, _, m *Node) *Node { v, _ := TopK(m, 9, 1, nil); return v },
		"axis 2 is outside":       func(_ *Graph, _, m *Node) *Node { return ArgSort(m, 2, nil) },
		"axis 0 is outside":       func(g *Graph, _, m *Node) *Node { return ArgSort(Sum(m), 0, nil) },
		"are not [batches, N, 4]": func(_ *Graph, x, m *Node) *Node { s, _ := NonMaxSuppression(m, m, nil); return s },
		"axis 5 is outside":       func(_ *Graph, _, m *Node) *Node { return Unique(m, &UniqueOptions{Along: true, Axis: 5}).Values },
		"the ensemble is nil":     func(_ *Graph, _, m *Node) *Node { return TreeRegress(m, nil) },
		"node 0 has child 7 of 1": func(_ *Graph, _, m *Node) *Node {
			return TreeRegress(m, &TreeEnsemble{Trees: [][]TreeNode{{{True: 7}}}})
		},
		"tree 0: node 0 is the root or the child of two": func(_ *Graph, _, m *Node) *Node {
			return TreeRegress(m, &TreeEnsemble{Trees: [][]TreeNode{{{}}}})
		},
		"looks at feature 8 of 8": func(_ *Graph, _, m *Node) *Node {
			return TreeRegress(m, &TreeEnsemble{Trees: [][]TreeNode{{{Feature: 8}}}})
		},
		"3 labels for 2 classes": func(_ *Graph, _, m *Node) *Node {
			l, _ := TreeClassify(m, &TreeEnsemble{Trees: [][]TreeNode{{{Mode: TreeLeaf}}}, Labels: []int64{1, 2, 3}})
			return l
		},
		"the key 4 is there twice": func(_ *Graph, x, _ *Node) *Node { return Lookup(x, []int64{4, 4}, []int64{1, 2}, 0) },
		"2 keys and 1 values":      func(_ *Graph, x, _ *Node) *Node { return Lookup(x, []int64{4, 5}, []int64{1}, 0) },
		"is not uint8":             func(_ *Graph, x, _ *Node) *Node { return LookupStrings(x, []string{"a"}, []int64{1}, 0) },
	} {
		g := NewGraph("wrong")
		x, m := g.Input("x", tensor.Int32, 5), g.Input("m", tensor.Float32, 3, 8)
		build(g, x, m)
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "lookup_test.go")
	}
	require.Nil(t, NewGraph("").Err())
	v, _ := TopK(nil, 1, 0, nil)
	require.True(t, opstest.Failed(v))
	// What has no derivative says so.
	g := NewGraph("unique")
	x := g.Input("x", tensor.Float32, 4)
	Gradients(Sum(Unique(x, nil).Values), x)
	require.ErrorContains(t, g.Err(), "unique has no derivative")
}
