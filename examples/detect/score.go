package main

import (
	"cmp"
	"slices"
)

// findings are the detections in scenes, each with whether it is right: there is a digit of the
// same kind that no detection of a higher score has found, and whose box overlaps by half.
type findings struct {
	scores [10][]finding // of each digit
	there  [10]int       // how many there are
}

type finding struct {
	score float64
	right bool
}

// add compares the detections in a scene with its digits.
func (f *findings) add(truth, boxes []box, scores []float64) {
	for _, b := range truth {
		f.there[b.digit]++
	}
	order := make([]int, len(boxes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	taken := make([]bool, len(truth))
	for _, i := range order {
		best := -1
		for j, b := range truth {
			if !taken[j] && b.digit == boxes[i].digit && boxes[i].overlap(b) >= 0.5 &&
				(best < 0 || boxes[i].overlap(b) > boxes[i].overlap(truth[best])) {
				best = j
			}
		}
		if best >= 0 {
			taken[best] = true
		}
		f.scores[boxes[i].digit] = append(f.scores[boxes[i].digit], finding{scores[i], best >= 0})
	}
}

// at is precision and recall of the detections of at least a score.
func (f *findings) at(score float64) (precision, recall float64) {
	right, all, there := 0, 0, 0
	for d := range f.scores {
		there += f.there[d]
		for _, x := range f.scores[d] {
			if x.score >= score {
				if all++; x.right {
					right++
				}
			}
		}
	}
	return float64(right) / float64(max(all, 1)), float64(right) / float64(max(there, 1))
}

// mean is the mean over the digits of the average precision: the area under precision by
// recall, where precision is the best that any larger recall has. Source: Everingham et al., The
// PASCAL visual object classes challenge (2010), with all points.
func (f *findings) mean() float64 {
	sum, kinds := 0.0, 0
	for d, all := range f.scores {
		if f.there[d] == 0 {
			continue
		}
		kinds++
		slices.SortStableFunc(all, func(a, b finding) int { return cmp.Compare(b.score, a.score) })
		var precision []float64 // at each that is right
		right := 0
		for i, x := range all {
			if x.right {
				right++
				precision = append(precision, float64(right)/float64(i+1))
			}
		}
		best := 0.0
		for _, p := range slices.Backward(precision) {
			best = max(best, p)
			sum += best / float64(f.there[d])
		}
	}
	return sum / float64(max(kinds, 1))
}
