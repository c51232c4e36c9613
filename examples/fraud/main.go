// Fraud learns from a table of labelled rows which new ones to suspect: gradient-boosted trees, grown on the device from
// histograms by a kernel of its own (histogram.cl), beside logistic regression; then it scores many rows at once and single ones.
//
//	go run ./examples/fetch fraud                       # the table, 11 MB; without it there are 500 rows of it
//	go run ./examples/fraud [-device gpu] [-trees 100] [-depth 6] [-out fraud.png] [-peer]
//	go run ./examples/fraud -transactions 200000        # card transactions, drawn by a rule
//
// No registry that this repository takes data from has real transactions of cards. The real table is LightGBM's example of two classes: 7,000
// collisions of protons with 28 measurements, in half of which there is a Higgs boson. It prints the area under the curve of both
// models on rows held out, draws their precision and recall, and tells where each kind of scoring runs.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"

	"github.com/anycl/anycl/examples/internal/curves"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are what the command line says.
type options struct {
	trees, depth, steps, transactions int
	rate                              float64
}

func main() {
	o := options{}
	flag.IntVar(&o.trees, "trees", 100, "trees to grow")
	flag.IntVar(&o.depth, "depth", 6, "depth of a tree")
	flag.IntVar(&o.steps, "steps", 8, "steps of Newton's method for logistic regression")
	flag.Float64Var(&o.rate, "rate", 0.1, "learning rate: the part of its answer that a tree gives, up to 1")
	flag.IntVar(&o.transactions, "transactions", 0, "draw so many card transactions instead of reading the table")
	gallery.Main("fraud", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

//go:embed peer.py
var peer string

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := errors.Join(
		gallery.Within("trees", o.trees, 1, 2000),
		gallery.Within("depth", o.depth, 1, 7),
		gallery.Within("steps", o.steps, 1, 100),
		gallery.Within("rate", o.rate, 0.01, 1),
		gallery.Within("transactions", cmp.Or(o.transactions, 1000), 1000, 1e7),
	); err != nil {
		return err
	}
	t, err := load(p, o.transactions)
	if err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	p.Printf("%d rows of %d features to learn from, %d to be tested on\n", t.learned, t.features, t.rows()-t.learned)
	edges, binned := t.bin()
	var ones float64
	for _, v := range t.y[:t.learned] {
		ones += float64(v)
	}
	base := math.Log(ones / (float64(t.learned) - ones)) // the log odds of all rows

	g := ops.NewGraph("fraud")
	label, mask := g.Variable("label", tensor.Must(tensor.FromSlice(t.y))), g.Variable("mask", tensor.Must(tensor.FromSlice(t.mask())))
	bins := g.Variable("bins", tensor.Must(tensor.FromSlice(binned, t.features, t.rows())))
	f, grown := boost(bins, label, mask, o.trees, o.depth, o.rate, base, groupOf(rt.Device()))
	forests, err := gallery.Graph(ctx, p, rt, gallery.Work{
		Name: fmt.Sprintf("growing %d trees", o.trees), Amount: float64(t.learned*o.trees) / 1e6, Unit: "M rows x trees",
	}, nil, grown, f.features, f.limits, f.leaves)
	if err != nil {
		return err
	}
	best := tensor.MustSlice[float32](forests[0].Value[0])
	theirs := map[string]float64{}
	files := map[string]any{"x.f32": t.x, "y.f32": t.y}
	args := func(what string) []any { return []any{what, t.features, t.learned, o.trees, o.depth, o.rate} }
	besideTrees, err := p.Beside(ctx, gallery.Peer{Name: "LightGBM", Python: peer, Args: args("trees"), Files: files}, &theirs)
	if err != nil {
		return err
	}

	x := g.Variable("x", tensor.Must(tensor.FromSlice(t.standardised(), t.rows(), t.features)))
	lines, err := gallery.Graph(ctx, p, rt, gallery.Work{Name: fmt.Sprintf("logistic regression, %d steps", o.steps)}, nil, logistic(x, label, mask, o.steps))
	if err != nil {
		return err
	}
	byLine := tensor.MustSlice[float32](lines[0].Value[0])
	besideLines, err := p.Beside(ctx, gallery.Peer{Name: "scikit-learn", Python: peer, Args: args("logistic"), Files: files}, &theirs)
	if err != nil {
		return err
	}

	truth := t.y[t.learned:]
	byTrees, byLines := auc(best[t.learned:], truth), auc(byLine[t.learned:], truth)
	p.Printf("area under the curve of rows held out: %.4f by trees, %.4f by logistic regression\n", byTrees, byLines)
	many, least := o.trees*o.depth >= 20, 0.5 // guessing reaches 0.5
	if many {
		least = 0.6
	}
	p.Check(byTrees > least, "trees tell what is suspect: %.4f is more than %.1f", byTrees, least)
	if rows := cmp.Or(o.transactions, 28*t.learned); many && rows >= 140000 && float64(o.trees)*o.rate >= 5 { // few transactions are frauds
		p.Check(byTrees > byLines, "where rows and trees are many they do so better than logistic regression")
	}
	if len(forests) == 2 {
		other := auc(tensor.MustSlice[float32](forests[1].Value[0])[t.learned:], truth)
		p.Check(math.Abs(other-byTrees) < 0.01, "the trees of %s and of the CPU path are as good: %.4f and %.4f", forests[0].Where, byTrees, other)
	}
	if besideTrees {
		p.Check(byTrees > theirs["trees"]-0.02, "they are as good as those of others, whose area is %.4f", theirs["trees"])
	}
	if besideLines {
		p.Check(math.Abs(byLines-theirs["logistic"]) < 0.01, "so is logistic regression: %.4f", theirs["logistic"])
	}
	a, b := curves.Line{Name: "trees"}, curves.Line{Name: "logistic regression"}
	a.Y, a.X = precisionRecall(best[t.learned:], truth)
	b.Y, b.X = precisionRecall(byLine[t.learned:], truth)
	if err := p.WriteCurves(curves.Axes{Title: "Rows held out", X: "recall: part of the suspects that is found", Y: "precision: part of the found that is right"}, true, a, b); err != nil {
		return err
	}
	forest := forests[0].Value
	e := ensemble(tensor.MustSlice[int32](forest[1]), tensor.MustSlice[int32](forest[2]), tensor.MustSlice[float32](forest[3]), edges, o.depth, base)
	return score(ctx, p, rt, t, e, best)
}
