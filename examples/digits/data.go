package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/anycl/anycl/tensor"
)

// The images are 8 x 8 grey values from 0 to 16.
const (
	side  = 8
	white = 16
)

// digitsCSV holds a line for each image: 64 grey values and the digit. See data/LICENSE.
//
//go:embed data/digits.csv.gz
var digitsCSV []byte

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
	zip, err := gzip.NewReader(bytes.NewReader(digitsCSV))
	if err != nil {
		return set{}, set{}, err
	}
	records, err := csv.NewReader(zip).ReadAll()
	if err != nil {
		return set{}, set{}, err
	}
	var byDigit [10][][]float32
	for i, record := range records {
		v := make([]float32, len(record))
		for j, field := range record {
			n, err := strconv.ParseUint(field, 10, 8)
			if err != nil {
				return set{}, set{}, fmt.Errorf("digits: line %d: %w", i+1, err)
			}
			v[j] = float32(n) / white
		}
		if len(v) != side*side+1 || v[side*side] > 9./white {
			return set{}, set{}, fmt.Errorf("digits: line %d is not an image", i+1)
		}
		digit := int(v[side*side] * white)
		byDigit[digit] = append(byDigit[digit], v[:side*side])
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
