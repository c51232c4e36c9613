package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/tensor"
)

// alphabet is the characters that a text has, in order. The place of a character is its number.
type alphabet []rune

func alphabetOf(text string) alphabet {
	all := []rune(text)
	slices.Sort(all)
	return slices.Compact(all)
}

// numbers are those of the characters of a text.
func (a alphabet) numbers(text string) ([]int32, error) {
	var numbers []int32
	for _, r := range text {
		i, ok := slices.BinarySearch(a, r)
		if !ok {
			return nil, fmt.Errorf("the network does not know the character %q: it knows %q", r, string(a))
		}
		numbers = append(numbers, int32(i))
	}
	return numbers, nil
}

// pieces is a data set of the parts of a text that have the given length and begin a fixed number of characters apart. The target
// is the same part one character later.
type pieces struct {
	text          []int32
	length, every int
}

func (p pieces) Len() int { return max(0, len(p.text)-p.length+p.every-1) / p.every }

func (p pieces) Fields() []data.Field {
	f := data.Field{DType: tensor.Int32, Shape: []int{p.length}}
	return []data.Field{f, f}
}

func (p pieces) Read(numbers []int, into []*tensor.Tensor) error {
	for later, t := range into {
		rows, err := tensor.ToSlice[int32](t)
		if err != nil {
			return err
		}
		for row, i := range numbers {
			copy(rows[row*p.length:(row+1)*p.length], p.text[i*p.every+later:])
		}
	}
	return nil
}

// bigramLoss is the mean of -ln P(character | the one before) over valid, where P counts pairs in learned, each once more than it was seen.
func bigramLoss(learned, valid []int32, characters int) float64 {
	pairs, firsts := make([]float64, characters*characters), make([]float64, characters)
	for i, next := range learned[1:] {
		pairs[int(learned[i])*characters+int(next)]++
		firsts[learned[i]]++
	}
	sum := 0.0
	for i, next := range valid[1:] {
		sum -= math.Log((pairs[int(valid[i])*characters+int(next)] + 1) / (firsts[valid[i]] + float64(characters)))
	}
	return sum / float64(len(valid)-1)
}
