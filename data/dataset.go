package data

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Field is one part of every example, an image or a label.
type Field struct {
	DType tensor.DType
	Shape []int // of one example
}

// Dataset is examples that can be read by number. Implementations must be safe for concurrent use.
type Dataset interface {
	// Len is how many examples there are.
	Len() int
	// Fields are what each example consists of.
	Fields() []Field
	// Read writes the examples of the given numbers to the rows of into, which has a contiguous tensor for each field, of the shape of
	// the field with len(numbers) before it.
	Read(numbers []int, into []*tensor.Tensor) error
}

// inMemory are examples along the first axis of tensors.
type inMemory struct {
	fields []Field
	bytes  [][]byte
	sizes  []int // bytes of an example
	rows   int
}

// Tensors is a data set whose example i is index i of the first axis of each of the tensors, which it reads where they
// lie. Errors: no tensors; one that is nil or a scalar; numbers of rows that differ.
func Tensors(all ...*tensor.Tensor) (Dataset, error) {
	if len(all) == 0 {
		return nil, errors.New("data: a data set of no tensors")
	}
	d := &inMemory{}
	for i, t := range all {
		if t == nil || t.Rank() == 0 {
			return nil, fmt.Errorf("data: tensor %d has no rows", i)
		}
		rows := t.Shape()[0]
		if i > 0 && rows != d.rows {
			return nil, fmt.Errorf("data: tensor %d has %d rows, and the first has %d", i, rows, d.rows)
		}
		d.rows = rows
		f := Field{t.DType(), slices.Clone(t.Shape()[1:])}
		n, err := tensor.NumElems(f.Shape)
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		b, _ := t.Contiguous().Bytes()
		d.fields, d.bytes, d.sizes = append(d.fields, f), append(d.bytes, b), append(d.sizes, n*t.DType().Size())
	}
	return d, nil
}

func (d *inMemory) Len() int        { return d.rows }
func (d *inMemory) Fields() []Field { return d.fields }

func (d *inMemory) Read(numbers []int, into []*tensor.Tensor) error {
	return d.read(numbers, nil, into)
}

// read is Read of the examples of the numbers that of has at numbers; nil: of numbers themselves.
func (d *inMemory) read(numbers, of []int, into []*tensor.Tensor) error {
	for f, t := range into {
		dst, _ := t.Bytes()
		src, size := d.bytes[f], d.sizes[f]
		for row, i := range numbers {
			if of != nil {
				i = of[i]
			}
			copy(dst[row*size:(row+1)*size], src[i*size:(i+1)*size])
		}
	}
	return nil
}

// subset are some examples of another data set.
type subset struct {
	Dataset
	numbers []int
}

// Subset is the examples of d with the given numbers, in that order. Errors: a number that d does not have.
func Subset(d Dataset, numbers []int) (Dataset, error) {
	for _, i := range numbers {
		if i < 0 || i >= d.Len() {
			return nil, fmt.Errorf("data: example %d of a subset of %d", i, d.Len())
		}
	}
	return &subset{d, slices.Clone(numbers)}, nil
}

func (s *subset) Len() int { return len(s.numbers) }

func (s *subset) Read(numbers []int, into []*tensor.Tensor) error {
	if d, ok := s.Dataset.(*inMemory); ok {
		return d.read(numbers, s.numbers, into)
	}
	own := make([]int, len(numbers))
	for k, i := range numbers {
		own[k] = s.numbers[i]
	}
	return s.Dataset.Read(own, into)
}

// Split divides d at random: rest has the given fraction of the examples, rounded, and first the others. The order is that of
// epoch 0 of a loader with that seed, see the package comment. Errors: fraction is not within [0, 1].
func Split(d Dataset, fraction float64, seed uint64) (first, rest Dataset, err error) {
	firstNumbers, restNumbers, err := SplitNumbers(d.Len(), fraction, seed)
	if err != nil {
		return nil, nil, err
	}
	return &subset{d, firstNumbers}, &subset{d, restNumbers}, nil
}

// SplitNumbers is [Split] of the numbers 0 to n - 1. Errors: fraction is not within [0, 1]; n is negative.
func SplitNumbers(n int, fraction float64, seed uint64) (first, rest []int, err error) {
	switch {
	case n < 0:
		return nil, nil, fmt.Errorf("data: a split of %d examples", n)
	case !(fraction >= 0 && fraction <= 1):
		return nil, nil, fmt.Errorf("data: a split by the fraction %v, which is not within [0, 1]", fraction)
	}
	order := make([]int, n)
	permute(order, seed, 0)
	at := n - int(fraction*float64(n)+0.5)
	return order[:at:at], order[at:], nil
}

// Rows are the rows of x with the given numbers, along its first axis, in memory of their own. Errors: x is nil or a scalar; a number
// that it does not have.
func Rows(x *tensor.Tensor, numbers []int) (*tensor.Tensor, error) {
	d, err := Tensors(x)
	if err != nil {
		return nil, err
	}
	for _, i := range numbers {
		if i < 0 || i >= d.Len() {
			return nil, fmt.Errorf("data: row %d of %d", i, d.Len())
		}
	}
	y, err := tensor.New(x.DType(), append([]int{len(numbers)}, x.Shape()[1:]...)...)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	return y, d.Read(numbers, []*tensor.Tensor{y})
}

// SplitTensors is [Split] of the rows of tensors, which are copied.
func SplitTensors(fraction float64, seed uint64, all ...*tensor.Tensor) (first, rest []*tensor.Tensor, err error) {
	d, err := Tensors(all...)
	if err != nil {
		return nil, nil, err
	}
	a, b, err := SplitNumbers(d.Len(), fraction, seed)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range all {
		x, err := Rows(t, a)
		if err != nil {
			return nil, nil, err
		}
		y, err := Rows(t, b)
		if err != nil {
			return nil, nil, err
		}
		first, rest = append(first, x), append(rest, y)
	}
	return first, rest, nil
}

// TensorLoader is a [Loader] of the rows of tensors: see [Tensors] and [NewLoader].
func TensorLoader(o LoaderOptions, all ...*tensor.Tensor) (*Loader, error) {
	d, err := Tensors(all...)
	if err != nil {
		return nil, err
	}
	return NewLoader(d, o)
}
