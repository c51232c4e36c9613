package main

import (
	"context"
	"math"
	"time"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// score gives the trees rows as they come, in batches of several sizes, and prints how long each takes and where it runs.
func score(ctx context.Context, p *gallery.Program, rt *ops.Runtime, t *table, e *ops.TreeEnsemble, learned []float32) error {
	p.Printf("\nscoring, placed where it is fastest\n   rows      time    per row  where\n")
	for _, rows := range []int{1, 64, 4096, 65536} {
		if p.Quick && rows > 64 {
			break
		}
		g := ops.NewGraph("score")
		x := g.Input("x", tensor.Float32, rows, t.features)
		exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.TreeRegress(x, e)}})
		if err != nil {
			return err
		}
		batch := make([]float32, 0, rows*t.features)
		for r := range rows {
			at := r % t.rows() * t.features
			batch = append(batch, t.x[at:at+t.features]...)
		}
		feeds := ops.Feeds{x: tensor.Must(tensor.FromSlice(batch, rows, t.features))}
		var outs []*tensor.Tensor
		fastest := time.Hour
		for range 20 { // placement takes a few runs to be sure
			start := time.Now()
			if outs, err = exe.Run(ctx, feeds); err != nil {
				return err
			}
			fastest = min(fastest, time.Since(start))
		}
		worst := 0.0
		for r := range rows {
			worst = max(worst, math.Abs(outs[0].Float64At(r)-float64(learned[r%t.rows()])))
		}
		if rows == 64 {
			p.Check(worst < 1e-4, "rows score as while the trees were grown: %.1e apart", worst)
		}
		p.Printf("%7d %9s %10s  %s\n", rows, gallery.Seconds(fastest.Seconds()), gallery.Seconds(fastest.Seconds()/float64(rows)),
			exe.Report().Places())
	}
	return nil
}

// ensemble is the trees of a forest for ops.TreeRegress: a row with a value above the edge of a limit goes right.
func ensemble(forest []*tensor.Tensor, edges [][]float32, depth int, base float64) *ops.TreeEnsemble {
	features, limits, leaves := tensor.MustSlice[int32](forest[1]), tensor.MustSlice[int32](forest[2]), tensor.MustSlice[float32](forest[3])
	e := &ops.TreeEnsemble{Base: []float64{base}}
	splits := 1<<depth - 1
	for t := 0; t < len(leaves)>>depth; t++ {
		var tree []ops.TreeNode
		for i := range splits {
			f, limit := features[t*splits+i], limits[t*splits+i]
			edge := math.Inf(1)
			if int(limit) < len(edges[f]) {
				edge = float64(edges[f][limit])
			}
			tree = append(tree, ops.TreeNode{Mode: ops.TreeLessEqual, Feature: int(f), Value: edge, True: 2*i + 1, False: 2*i + 2})
		}
		for i := range 1 << depth {
			tree = append(tree, ops.TreeNode{Mode: ops.TreeLeaf, Weights: []ops.TreeWeight{{Value: float64(leaves[t<<depth+i])}}})
		}
		e.Trees = append(e.Trees, tree)
	}
	return e
}
