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
		p.Printf("%7d %9s %10s  %s\n", rows, gallery.Seconds(fastest.Seconds()), gallery.Seconds(fastest.Seconds()/float64(rows)), exe.Report().Places())
	}
	return nil
}
