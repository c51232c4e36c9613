package main

import (
	"cmp"
	"slices"
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
