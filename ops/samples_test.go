package ops_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
)

// eachSample builds every sample of every op in every dtype that it is for.
func eachSample(t *testing.T, f func(name string, op *Op, in []*Node, out *Node)) {
	t.Helper()
	for op := range Table() {
		if strings.HasPrefix(op.Name, "example.") || strings.HasPrefix(op.Name, "test.") { // of a test
			continue
		}
		for _, dt := range optest.DTypes(op) {
			some := false
			for _, s := range optest.Samples(op.Name) {
				if s.Only != nil && !slices.Contains(s.Only, dt) {
					continue
				}
				some = true
				name := fmt.Sprintf("%s/%s/%v", op.Name, s.Label, dt)
				g := NewGraph(name)
				var in []*Node
				for i, o := range s.Operands {
					d := dt
					if o.DType.Valid() {
						d = o.DType
					}
					in = append(in, g.Input(fmt.Sprintf("x%d", i), d, o.Shape...))
				}
				_, out := s.Call(g, dt, in)
				require.NoError(t, g.Err(), name)
				f(name, op, in, out)
				require.NoError(t, g.Err(), name)
			}
			require.True(t, some, "%s in %v has no sample", op.Name, dt)
		}
	}
}

// requireLike demands the shape and dtype of want.
func requireLike(t *testing.T, want, got *Node, name string) {
	t.Helper()
	require.Equal(t, fmt.Sprint(want.DType(), want.Shape()), fmt.Sprint(got.DType(), got.Shape()), name)
}

func TestEverySampleBuildsAndSoDoesItsComposition(t *testing.T) {
	t.Parallel()
	eachSample(t, func(name string, op *Op, _ []*Node, out *Node) {
		if c := Composition(op, out); c != nil {
			requireLike(t, out, c, name)
		}
	})
}

func TestEverySampleOfADifferentiableOpHasADerivative(t *testing.T) {
	t.Parallel()
	eachSample(t, func(name string, op *Op, in []*Node, out *Node) {
		if !op.Differentiable() || !out.DType().IsFloat() || strings.HasPrefix(name, "linalg.qr/complete, tall") { // which says that it has none
			return
		}
		in = slices.DeleteFunc(in, func(x *Node) bool { return !x.DType().IsFloat() })
		for i, d := range Gradients(Sum(out), in...) {
			requireLike(t, in[i], d, name)
		}
	})
}
