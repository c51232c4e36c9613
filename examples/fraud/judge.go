package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/anycl/anycl/examples/internal/curves"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/tensor"
)

// auc is the area under the curve of true over false positives: how often a row of label 1 scores higher than one of label 0, ties
// counted half (Hanley and McNeil, The Meaning and Use of the Area under a ROC Curve, 1982).
func auc(score, label []float32) float64 {
	order := descending(score)
	var above, pairs, zeros float64 // zeros that were met so far
	for i := 0; i < len(order); {
		var ones, ties float64
		for v := score[order[i]]; i < len(order) && score[order[i]] == v; i++ {
			if label[order[i]] == 1 {
				ones++
			} else {
				ties++
			}
		}
		pairs += ones
		above += ones * (zeros + ties/2)
		zeros += ties
	}
	return 1 - above/(pairs*zeros)
}

// precisionRecall is the precision and the recall of who calls the first rows frauds, for ever more of them.
func precisionRecall(score, label []float32) (precision, recall []float64) {
	var hits, total float64
	for _, v := range label {
		total += float64(v)
	}
	for n, i := range descending(score) {
		hits += float64(label[i])
		precision, recall = append(precision, hits/float64(n+1)), append(recall, hits/total)
	}
	return precision, recall
}

func descending(score []float32) []int {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order
}

// judge compares both models on the rows held out, with each other and with those of others, and draws their precision and recall.
func judge(p *gallery.Program, t *table, o options, forests gallery.Tensors, byLine []float32, theirs map[string]float64) error {
	truth, best := t.y[t.learned:], tensor.MustSlice[float32](forests[0].Value[0])
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
		p.Check(math.Abs(other-byTrees) < 0.01, "the trees of %s and of the CPU path are as good: %.4f and %.4f", forests[0].Where, byTrees,
			other)
	}
	if area, ok := theirs["trees"]; ok {
		p.Check(byTrees > area-0.02, "they are as good as those of others, whose area is %.4f", area)
	}
	if area, ok := theirs["logistic"]; ok {
		p.Check(math.Abs(byLines-area) < 0.01, "so is logistic regression: %.4f", area)
	}
	a, b := curves.Line{Name: "trees"}, curves.Line{Name: "logistic regression"}
	a.Y, a.X = precisionRecall(best[t.learned:], truth)
	b.Y, b.X = precisionRecall(byLine[t.learned:], truth)
	return p.WriteCurves(curves.Axes{Title: "Rows held out", X: "recall: part of the suspects that is found",
		Y: "precision: part of the found that is right"}, true, a, b)
}
