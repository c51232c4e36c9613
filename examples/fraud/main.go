// Fraud learns from a table of labelled rows which new ones to suspect: gradient-boosted trees, grown on the device from
// histograms by a kernel of its own (histogram.cl), beside logistic regression; then it scores many rows at once and single ones.
//
//	go run ./examples/fetch fraud                       # the table, 11 MB; without it there are 500 rows of it
//	go run ./examples/fraud [-device gpu] [-trees 100] [-depth 6] [-out fraud.png] [-peer]
//	go run ./examples/fraud -transactions 200000        # card transactions, drawn by a rule
//
// No registry that this repository takes data from has real transactions of cards. The real table is LightGBM's example of two
// classes: 7,000 collisions of protons with 28 measurements, in half of which there is a Higgs boson. It prints the area under the
// curve of both models on rows held out, draws their precision and recall, and tells where each kind of scoring runs.
package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct {
	trees, depth, steps, transactions int
	rate                              float64
}

func main() {
	var o options
	gallery.Int(&o.trees, "trees", 100, 1, 2000, "trees to grow")
	gallery.Int(&o.depth, "depth", 6, 1, 7, "depth of a tree")
	gallery.Int(&o.steps, "steps", 8, 1, 100, "steps of Newton's method for logistic regression")
	gallery.Float(&o.rate, "rate", 0.1, 0.01, 1, "learning rate: the part of its answer that a tree gives")
	gallery.Int(&o.transactions, "transactions", 0, 1000, 1e7, "draw so many card transactions instead of reading the table")
	gallery.Main("fraud", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
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
	g := ops.NewGraph("fraud")
	label, mask := g.Variable("label", tensor.Must(tensor.FromSlice(t.y))), g.Variable("mask", tensor.Must(tensor.FromSlice(t.mask())))

	byBin := g.Variable("bins", tensor.Must(tensor.FromSlice(binned, t.features, t.rows())))
	f, grown := boost(byBin, label, mask, o.trees, o.depth, o.rate, t.logOdds(), groupOf(rt))
	work := gallery.Work{Name: fmt.Sprintf("growing %d trees", o.trees), Amount: float64(t.learned*o.trees) / 1e6, Unit: "M rows x trees"}
	forests, err := gallery.Graph(ctx, p, rt, work, nil, grown, f.features, f.limits, f.leaves)
	if err != nil {
		return err
	}
	theirs := map[string]float64{} // areas under the curve
	if err := beside(ctx, p, "LightGBM", "trees", t, o, theirs); err != nil {
		return err
	}

	x := g.Variable("x", tensor.Must(tensor.FromSlice(t.standardised(), t.rows(), t.features)))
	work = gallery.Work{Name: fmt.Sprintf("logistic regression, %d steps", o.steps)}
	lines, err := gallery.Graph(ctx, p, rt, work, nil, logistic(x, label, mask, o.steps))
	if err != nil {
		return err
	}
	if err := beside(ctx, p, "scikit-learn", "logistic", t, o, theirs); err != nil {
		return err
	}
	if err := judge(p, t, o, forests, tensor.MustSlice[float32](lines[0].Value[0]), theirs); err != nil {
		return err
	}
	return score(ctx, p, rt, t, ensemble(forests[0].Value, edges, o.depth, t.logOdds()), tensor.MustSlice[float32](forests[0].Value[0]))
}

//go:embed histogram.cl
var source string

const (
	bins   = 64      // of each feature's values
	scale  = 1 << 14 // gradients are counted in parts of it
	chunk  = 1 << 14 // rows whose sums stay within 32 bits
	ridge  = 1.0     // added to the second derivatives of a leaf
	weight = 1.0     // of second derivatives that each side of a split needs
)

// histogram returns the sums of the gradients gh [n, 2] in each bin of each feature for each node, [nodes, features, bins, 2].
// Groups of one work-item need no atomics; GPUs take groups of 128.
func histogram(binned, node, gh *ops.Node, nodes, group int) *ops.Node {
	features, n := binned.Shape()[0], binned.Shape()[1]
	chunks := (n + chunk - 1) / chunk
	parts := ops.Kernel(binned.Graph(), ops.KernelOptions{
		Source: source, Entry: "histogram", Host: histogramHost,
		Options: fmt.Sprintf("-DN=%d -DFEATURES=%d -DNODES=%d -DBINS=%d -DCHUNK=%d -DWG=%d", n, features, nodes, bins, chunk, group),
		Results: []ops.Result{{DType: tensor.Int32, Shape: []int{chunks, nodes, features, bins, 2}}},
		Global:  [3]int{features * group, chunks},
	}, binned, node, gh)[0]
	return ops.Sum(ops.Cast(parts, tensor.Float32), 0)
}

// groupOf is the size of a work-group on the runtime's device.
func groupOf(rt *ops.Runtime) int {
	if rt.Device().Lanes() > 1 {
		return 1
	}
	return 128
}

// split finds for each node of a histogram the best of all splits: rows whose feature is in a bin above a limit go right. Its gain is
//
//	G_l²/(H_l + 1) + G_r²/(H_r + 1) - G²/(H + 1)
//
// (Chen and Guestrin, XGBoost: A Scalable Tree Boosting System, 2016, equation 7). A node without a gain keeps its rows on the left.
func split(sums *ops.Node) (feature, limit *ops.Node) {
	nodes, features := sums.Shape()[0], sums.Shape()[1]
	left := ops.CumSum(sums, 2, nil)
	all := ops.Slice(left, ops.Between(2, bins-1, bins))
	right := ops.Sub(all, left)
	part := func(x *ops.Node, i int) *ops.Node { return ops.Div(ops.Slice(x, ops.Between(3, i, i+1)), scale) }
	score := func(x *ops.Node) *ops.Node {
		return ops.Div(ops.Square(part(x, 0)), ops.Add(part(x, 1), ridge))
	}
	gain := ops.Sub(ops.Add(score(left), score(right)), score(all))
	enough := ops.And(ops.GreaterEqual(part(left, 1), weight), ops.GreaterEqual(part(right, 1), weight))
	gain = ops.Reshape(ops.Where(enough, gain, -1), nodes, features*bins)
	most, at := ops.MaxWithIndex(gain, 1)
	at = ops.Cast(at, tensor.Int32)
	feature = ops.FloorDivide(at, bins)
	limit = ops.Where(ops.Greater(most, 1e-6), ops.Sub(at, ops.Mul(feature, bins)), bins-1)
	return feature, limit
}

// forest is trees of the same depth: tree t has 2^depth - 1 splits, those of a level after those of the level above it, and 2^depth leaves.
type forest struct{ features, limits, leaves *ops.Node }

// boost grows trees, each to correct the sum of those before it. Rows of mask 0 are not learned from; their scores are computed all
// the same. It returns the trees and the score of each row, the logarithm of its odds.
func boost(binned, label, mask *ops.Node, trees, depth int, rate, base float64, group int) (forest, *ops.Node) {
	g := binned.Graph()
	features, n := binned.Shape()[0], binned.Shape()[1]
	flat, row := ops.Reshape(binned, features*n), g.Iota(tensor.Int32, 0, n)
	last, grown := ops.Scan([]*ops.Node{g.Full(tensor.Float32, base, n)}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		p := ops.Sigmoid(s[0]) // the loss is -log p of the right label; gh has its derivatives by the score, as integers
		gradient, curvature := ops.Mul(ops.Sub(p, label), mask), ops.Mul(ops.Mul(p, ops.Sub(1, p)), mask)
		gh := ops.Cast(ops.Round(ops.Mul(ops.Stack(1, gradient, curvature), scale)), tensor.Int32)
		node := g.Zeros(tensor.Int32, n)
		var splits, limits []*ops.Node
		var feature, limit, sums *ops.Node
		for level := range depth { // node is where each row is: in one of 2^level; then the rows go on to the left or the right
			sums = histogram(binned, node, gh, 1<<level, group)
			feature, limit = split(sums)
			splits, limits = append(splits, feature), append(limits, limit)
			bin := ops.Gather(flat, 0, ops.Add(ops.Mul(ops.Gather(feature, 0, node), n), row))
			right := ops.Greater(ops.Cast(bin, tensor.Int32), ops.Gather(limit, 0, node))
			node = ops.Add(ops.Mul(node, 2), ops.Cast(right, tensor.Int32))
		}
		total := func(i int) *ops.Node { // of the rows in each leaf, from both sides of the last splits
			level := ops.Reshape(ops.Slice(ops.CumSum(sums, 2, nil), ops.Between(3, i, i+1)), 1<<(depth-1), features*bins)
			left := ops.GatherElements(level, 1, ops.Reshape(ops.Add(ops.Mul(feature, bins), limit), 1<<(depth-1), 1), nil)
			all := ops.Slice(level, ops.Between(1, bins-1, bins))
			return ops.Div(ops.Reshape(ops.Concat(1, left, ops.Sub(all, left)), 1<<depth), scale)
		}
		leaf := ops.Mul(ops.Div(total(0), ops.Add(total(1), ridge)), -rate)
		return []*ops.Node{ops.Add(s[0], ops.Gather(leaf, 0, node))}, []*ops.Node{ops.Concat(0, splits...), ops.Concat(0, limits...), leaf}
	}, &ops.ScanOptions{Trips: trees})
	return forest{grown[0], grown[1], grown[2]}, last[0]
}
