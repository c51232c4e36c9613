package graphs_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// TestManySizesNeedFewMorePrograms: sizes are arguments of kernels. Which kernels a size takes depends on some classes of sizes, such as the
// height of a matrix product's blocks that leaves the least over, of which ten sizes meet most. With
// ANYCL_DRILLS=full it makes 1,000 runs.
func TestManySizesNeedFewMorePrograms(t *testing.T) {
	opstest.NumbersOnly(t)
	rt := opstest.Device(t)
	runs := 60
	if os.Getenv("ANYCL_DRILLS") == "full" {
		runs = 1000
	}
	g := NewGraph("many sizes")
	x, labels, loss, updates := perceptron(g, Dim("batch"))
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{loss}, Updates: updates, Place: OnDevice})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(3, 4))
	xs, ls := drawn(r, 512, 12), tensor.Must(tensor.New(tensor.Int32, 512))
	run := func(n int) {
		_, err := exe.Run(t.Context(), Feeds{x: tensor.Must(xs.Slice(0, 0, n, 1)), labels: tensor.Must(ls.Slice(0, 0, n, 1))})
		require.NoError(t, err)
	}
	for _, n := range []int{1, 2, 3, 18, 32, 49, 65, 128, 333, 512} {
		run(n)
	}
	programs := func() int64 { s := inside.Opened(rt).Stats(); return s.ProgramsBuilt + s.ProgramsLoaded }
	few := programs()
	for range runs {
		run(1 + r.IntN(512))
	}
	t.Logf("%d programs after ten sizes, %d after %d random ones, %d plans", few, programs(), runs, inside.Plans(exe))
	require.Less(t, programs(), 2*few)
}

// TestACacheThatGrowsNeedsNoProgramsOfItsOwn: a query is compared with all keys so far, of which every run has one more. Their number is
// the length of rows, and of masks a number to compare with.
func TestACacheThatGrowsNeedsNoProgramsOfItsOwn(t *testing.T) {
	opstest.NumbersOnly(t)
	rt := opstest.Device(t)
	g := NewGraph("cache")
	query := g.Input("query", tensor.Float32, 4, 1, 8)
	keys := g.Input("keys", tensor.Float32, 4, Dim("keys"), 8)
	scores := MatMul(query, Transpose(keys, 0, 2, 1))
	position := Sub(Size(keys, 1), 1)
	at := g.Iota(tensor.Int64, 2, 4, 1, Dim("keys"))
	weights := Softmax(Where(Less(at, position), scores, Mul(scores, 0.5)), -1)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{weights}, Place: OnDevice})
	require.NoError(t, err)
	programs := func() int64 { s := inside.Opened(rt).Stats(); return s.ProgramsBuilt + s.ProgramsLoaded }
	var few int64
	for n := 17; n < 32; n++ {
		if n == 19 {
			few = programs()
		}
		_, err := exe.Run(t.Context(), Feeds{query: tensor.Must(tensor.New(tensor.Float32, 4, 1, 8)), keys: tensor.Must(tensor.New(tensor.Float32, 4, n, 8))})
		require.NoError(t, err)
	}
	require.Equal(t, few, programs())
}
