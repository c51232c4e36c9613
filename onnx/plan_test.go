package onnx

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx/internal/importer"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// doubled is y = x + x, for two numbers or any number of them.
func doubled(t *testing.T, extent any) *Model {
	return read(t, &model.Graph{
		Name: "doubled", Nodes: []*model.Node{node("Add", []string{"x", "x"}, "y")},
		Inputs: []*model.Value{input("x", extent)}, Outputs: []*model.Value{input("y", extent)},
	})
}

func TestTheGraphThatLoadBuiltIsCompiledOnce(t *testing.T) {
	t.Parallel()
	m := doubled(t, 2)
	whole := m.tried.Load()
	require.NotNil(t, whole)
	narrow := compile(t, m, &Options{Precision: tensor.Float16})
	require.Same(t, whole, m.tried.Load(), "it is of another precision")
	first, second := compile(t, m, nil), compile(t, m, nil)
	require.Nil(t, m.tried.Load())
	graphs := map[*importer.Graph]bool{}
	for _, p := range []*Program{narrow, first, second} {
		for _, x := range p.plans {
			graphs[x.built] = true
		}
		require.Equal(t, []float32{2, 4}, tensor.MustSlice[float32](run(t, p, vector[float32](1, 2))))
	}
	require.Len(t, graphs, 3)
	require.True(t, graphs[whole])

	open := doubled(t, "n")
	require.Nil(t, open.tried.Load())
	p := compile(t, open, nil)
	for _, x := range [][]float32{{1}, {1, 2, 3}} {
		require.Equal(t, len(x), run(t, p, vector(x...)).Len())
	}
}

func TestProgramsOfAModelAreCompiledSideBySide(t *testing.T) {
	t.Parallel()
	m := doubled(t, 2)
	var wg sync.WaitGroup
	for range 4 {
		p := compile(t, doubled(t, 2), nil)
		wg.Go(func() {
			q, err := m.Compile(t.Context(), p.rt, nil)
			if err == nil {
				err = q.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestARunIsPredictedForItsShapes(t *testing.T) {
	t.Parallel()
	p := compile(t, doubled(t, "n"), nil)
	short, err := p.Predicted(t.Context(), map[string]*tensor.Tensor{"x": vector[float32](1, 2)})
	require.NoError(t, err)
	require.Positive(t, short)
	long, err := p.Predicted(t.Context(), map[string]*tensor.Tensor{"x": vector(make([]float32, 1<<20)...)})
	require.NoError(t, err)
	require.Greater(t, long, short)
	require.Len(t, p.plans, 2)
	_, err = p.Predicted(t.Context(), nil)
	require.ErrorIs(t, err, ErrInput)
}

func TestBindOnAClosedRuntimeIsErrClosed(t *testing.T) {
	t.Parallel()
	p := compile(t, doubled(t, "n"), nil)
	shapes := map[string][]int{"x": {3}}
	require.NoError(t, p.Bind(t.Context(), shapes))
	require.NoError(t, p.rt.Close())
	require.ErrorIs(t, p.Bind(t.Context(), shapes), ops.ErrClosed, "a plan that there is")
	require.ErrorIs(t, p.Bind(t.Context(), map[string][]int{"x": {4}}), ops.ErrClosed)
}
