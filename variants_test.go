package anycl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// A device runs the variant that suits it, so one machine sees few of them. Here
// every one is forced in turn, wherever it can run a task. A graph of the suite runs
// once for each set of kernels and arguments that the variants make of it. Where it is not the
// whole matrix, each variant meets some samples of each op.
//
//	make variants                                     the whole matrix with each
//	ANYCL_MATRIX=full go test -v -timeout 60m -run 'EveryVariantAgrees/./contract=tile' .

// variantOps come down to tasks of every family in all their forms.
var variantOps = []string{
	"attention", "avg_pool2d", "conv2d", "embedding", "gather", "argmax", "matmul", "max_pool2d", "pad", "scatter_add", "softmax", "sum", "transpose",
	"cumsum", "sort", "top_k", "tree_ensemble", "unique", "non_max_suppression", "concat",
	"linalg.cholesky", "linalg.lu_factor", "linalg.qr", "linalg.solve_triangular", "linalg.svd", "linalg.svdvals", "linalg.eigh", "linalg.eigvalsh",
}

func TestEveryVariantAgreesWithReference(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles kernels for minutes")
	}
	few := func(dt tensor.DType, names ...string) *optest.Options {
		return &optest.Options{Ops: names, DTypes: []tensor.DType{dt}, Every: 8}
	}
	parts := []*optest.Options{
		few(tensor.Float32, variantOps...),
		few(tensor.Float16, "matmul"),                                                  // some have no other dtype
		{Ops: []string{"cumprod", "scatter"}, DTypes: []tensor.DType{tensor.Float32}},  // a single sample of each has some
		{Ops: []string{"attention"}, DTypes: []tensor.DType{tensor.Float32}, Every: 5}, // heads that are wide enough for blocks
		{Ops: []string{"add"}, DTypes: []tensor.DType{tensor.Float32}, Every: 12},      // a transposed operand beside one that is not
	}
	gradients, graphs := few(tensor.Float32, "conv2d", "max_pool2d"), 0
	also := ",thread=workers," + testdevices.Unoptimized()
	gradients.Bundle = true
	if testdevices.Full() {
		parts, graphs = []*optest.Options{{Bundle: true}}, 64
		gradients = parts[0]
	}
	for _, d := range devices(t) {
		t.Run(d.ID, func(t *testing.T) {
			base := lasting(t, func(t testing.TB) engine.Engine { return onDevice(t, d) }).(*ocl.Engine)
			var seen ledger
			ran := 0
			for _, v := range slices.Insert(variant.Variants(), 0, unforced) {
				t.Run(v, func(t *testing.T) {
					ran++
					e := lasting(t, func(testing.TB) engine.Engine { return base.Forced(v+also, seen.watch) })
					for _, o := range parts {
						t.Run("ops", func(t *testing.T) { optest.TestOps(t, e, o) })
					}
					t.Run("gradients", func(t *testing.T) { optest.TestGradientsAgree(t, e, lasting(t, onCPUPath), gradients) })
					t.Run("graphs", func(t *testing.T) { optest.TestGraphs(t, e, graphs) })
					t.Log(seen.counts())
				})
			}
			if all := 1 + len(variant.Variants()); ran == all { // and not some, by -run
				idle := slices.DeleteFunc(seen.idle(), func(v string) bool { return lacks(base, d, v) != nil })
				require.Empty(t, idle, "nothing ran as these")
			}
		})
	}
}

// onCPUs are the variants that are offered to CPU drivers alone. The others that are written for these are
// offered to GPUs behind their own.
var onCPUs = []string{"rank=few", "rank=first", "rank=lanes"}

// lacks says why a device has no way to do what v is a variant of, or not as v: some take subnormal numbers for zero.
func lacks(e engine.Engine, d *platform.Device, v string) error {
	if slices.Contains(onCPUs, v) && d.Class != platform.CPU {
		return fmt.Errorf("%s is for CPU drivers: %w", v, engine.ErrUnsupported)
	}
	if !strings.HasPrefix(v, "suppress=") {
		return nil
	}
	return e.Check(&engine.Task{
		Kind: engine.Routine, Algorithm: &engine.Suppress{Batches: 1, Classes: 1, Boxes: 1, PerClass: 1, Capacity: 1},
		Ins:  []engine.Operand{{DType: tensor.Float32, Len: 4}, {DType: tensor.Float32, Len: 1}},
		Outs: []engine.Operand{{DType: tensor.Int64, Len: 3}, {DType: tensor.Int64, Len: 1}},
	})
}

// unforced stands for no variant at all, which comes first: what the others make is compared
// with it.
const unforced = "none"

// A name that nothing has would be forced on nothing, and no one would know.
func TestEveryVariantIsForcedOnSomething(t *testing.T) {
	t.Parallel()
	// By family, so that no variant compiles what those of others are forced on.
	build := func(g *ops.Graph) map[string][]*ops.Node {
		x := g.Input("x", tensor.Float32, 1, 2, 70, 64)
		m := g.Input("m", tensor.Float32, 64, 48)
		h := g.Input("h", tensor.Float16, 64, 48)
		u := g.Input("u", tensor.Float32, 64, 48)
		at := g.Input("at", tensor.Int32, 5)
		named := g.Input("named", tensor.Int32, 4096)
		w := g.Input("w", tensor.Float32, 16, 2, 3, 3)
		image := g.Input("image", tensor.Float32, 1, 32, 16, 16)
		wide := g.Input("wide", tensor.Float32, 32, 32, 3, 3)
		square := g.Input("square", tensor.Float32, 48, 48)
		colours := g.Input("colours", tensor.Float32, 3, 40, 32)
		padded := ops.Conv2D(x, w, ops.Conv2DOptions{Pad: [2]int{1, 1}})
		suppressed, _ := ops.NonMaxSuppression(ops.Reshape(m, 1, 768, 4), ops.Reshape(u, 1, 4, 768), nil)
		factors, _, _ := linalg.LUFactor(square)
		_, r := linalg.QR(m, linalg.QRReduced)
		eigenvalues, _ := linalg.Eigh(square, false)
		return map[string][]*ops.Node{
			"cholesky": {linalg.Cholesky(square, false)},
			"lu":       {factors},
			"qr":       {r},
			"svd":      {linalg.SVDVals(m)},
			"eigh":     {eigenvalues},
			"triangle": {linalg.SolveTriangular(square, ops.Transpose(m), &linalg.TriangularOptions{})},
			"map":      {ops.Tanh(m), ops.Transpose(u), ops.Gather(u, 0, named), ops.Transpose(colours, 1, 2, 0), padded, ops.Add(ops.Transpose(m), ops.Reshape(u, 48, 64))},
			"reduce": {
				ops.Sum(x, -1), ops.Sum(x, 0, 1, 2),
				ops.AvgPool2D(x, ops.PoolOptions{Size: [2]int{2, 2}, Stride: [2]int{2, 2}}),
			},
			"row": {ops.Softmax(x, -1)},
			"contract": {
				ops.MatMul(x, m), ops.MatMul(ops.Reshape(x, -1, 64), m), ops.MatMul(m, ops.Transpose(m)), ops.MatMul(h, ops.Transpose(h)),
				padded, ops.Conv2D(image, wide, ops.Conv2DOptions{Pad: [2]int{1, 1}}),
			},
			"scatter": {
				ops.ScatterAdd(m, 0, at, ops.Slice(m, ops.Range{Axis: 0, Start: 0, Stop: 5, Step: 1})),
				ops.ScatterReduce(m, 0, at, ops.Slice(m, ops.Range{Axis: 0, Start: 0, Stop: 5, Step: 1}), "set", &ops.ScatterOptions{Distinct: true}),
			},
			"running":   {ops.CumProd(m, 1, nil)},
			"attention": {ops.Attention(x, x, x, nil)},
			"scan":      {ops.CumSum(m, 1, nil), ops.CumSum(m, 0, nil)},
			"trees": {ops.TreeRegress(m, &ops.TreeEnsemble{Trees: [][]ops.TreeNode{{
				{Value: 0.5, True: 1, False: 2}, {Mode: ops.TreeLeaf, Weights: []ops.TreeWeight{{Value: 1}}}, {Mode: ops.TreeLeaf},
			}}})},
			"rank":     {ops.ArgSort(m, 1, nil), positionsOf(ops.TopK(m, 2, 1, nil))},
			"suppress": {suppressed},
			"join":     {ops.Concat(0, slices.Repeat([]*ops.Node{m, u}, 8)...)},
			"unique":   {ops.Unique(m, nil).Values, ops.Unique(at, nil).Values, ops.Unique(u, &ops.UniqueOptions{Along: true}).Values},
		}
	}
	for _, d := range devices(t) {
		for _, v := range variant.Variants() {
			t.Run(d.ID+"/"+v, func(t *testing.T) {
				base := lasting(t, func(t testing.TB) engine.Engine { return onDevice(t, d) }).(*ocl.Engine)
				if err := lacks(base, d, v); err != nil {
					t.Skip(err)
				}
				// Planned is enough: what is planned is compiled and run by the test above.
				var planned []string
				e := lasting(t, func(testing.TB) engine.Engine {
					return base.Forced(v+",thread=workers", func(_ context.Context, p ocl.Prepared) error {
						planned = append(planned, p.Variants...)
						return optest.ErrKnown
					})
				})
				g := ops.NewGraph("forced")
				family, _, _ := strings.Cut(v, "=")
				_, err := g.Compile(t.Context(), ops.NewRuntime(e), ops.Target{Outputs: build(g)[family]})
				require.ErrorIs(t, err, optest.ErrKnown)
				require.Contains(t, planned, v)
			})
		}
	}
}

// positionsOf is the second result of a sort.
func positionsOf(_, positions *ops.Node) *ops.Node { return positions }
