package main

import (
	"math/rand/v2"

	"github.com/anycl/anycl/examples/digits/data"
	"github.com/anycl/anycl/tensor"
)

const side = data.Side

// set is images [N, 1, 8, 8] with values from 0 to 1, and their digits [N].
type set struct {
	images, labels *tensor.Tensor
}

func (s set) len() int { return s.labels.Len() }

// label is the digit that image i shows.
func (s set) label(i int) int64 { return int64(s.labels.Float64At(i)) }

// right counts the predictions that are.
func (s set) right(predictions []int64) int {
	n := 0
	for i, p := range predictions {
		if p == s.label(i) {
			n++
		}
	}
	return n
}

// load reads the digits and splits them: of each digit, a random fifth is for
// the test. The split is the same whatever the seed of the training is.
func load() (train, test set, err error) {
	byDigit, err := data.Digits()
	if err != nil {
		return set{}, set{}, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var pixels [2][]float32
	var labels [2][]int32
	for digit, images := range byDigit {
		rng.Shuffle(len(images), func(i, j int) { images[i], images[j] = images[j], images[i] })
		for i, image := range images {
			part := 0
			if i < (len(images)+2)/5 {
				part = 1
			}
			pixels[part] = append(pixels[part], image...)
			labels[part] = append(labels[part], int32(digit))
		}
	}
	var sets [2]set
	for i := range sets {
		n := len(labels[i])
		sets[i] = set{tensor.Must(tensor.FromSlice(pixels[i], n, 1, side, side)), tensor.Must(tensor.FromSlice(labels[i]))}
	}
	return sets[0], sets[1], nil
}
