package data

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Standard brings each column of a matrix to mean 0 and deviation 1:
//
//	z = (x - Mean) / Deviation
//
// It is fitted on the training set and applied to every other: it can be saved as JSON, or in a checkpoint's Extra.
type Standard struct {
	Mean      []float64 `json:"mean"`
	Deviation []float64 `json:"deviation"` // of the population; 1 for a column that is constant
}

// FitStandard finds the means and deviations of the columns of x, [rows, columns]. Errors: x is no matrix or has no rows; a number is not
// finite.
func FitStandard(x *tensor.Tensor) (*Standard, error) {
	if x == nil || x.Rank() != 2 || x.Shape()[0] == 0 {
		return nil, errors.New("data: standard: it takes a matrix with rows")
	}
	rows, columns := x.Shape()[0], x.Shape()[1]
	s := &Standard{Mean: make([]float64, columns), Deviation: make([]float64, columns)}
	for j := range columns {
		mean, squares := 0.0, 0.0 // by the method of Welford (1962)
		for i := range rows {
			v := x.Float64At(i*columns + j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("data: standard: row %d of column %d is %v", i, j, v)
			}
			d := v - mean
			mean += d / float64(i+1)
			squares += d * (v - mean)
		}
		s.Mean[j], s.Deviation[j] = mean, math.Sqrt(squares/float64(rows))
		if s.Deviation[j] == 0 {
			s.Deviation[j] = 1
		}
	}
	return s, nil
}

// Apply is x, [rows, columns] or [columns], brought to the scale of the matrix that s was fitted on, in the dtype of x, to which
// results are rounded. Errors: x has another number of columns.
func (s *Standard) Apply(x *tensor.Tensor) (*tensor.Tensor, error) {
	return s.each(x, func(v, mean, deviation float64) float64 { return (v - mean) / deviation })
}

// Undo is the x of which Apply makes z. Errors: as those of Apply.
func (s *Standard) Undo(z *tensor.Tensor) (*tensor.Tensor, error) {
	return s.each(z, func(v, mean, deviation float64) float64 { return v*deviation + mean })
}

func (s *Standard) each(x *tensor.Tensor, f func(v, mean, deviation float64) float64) (*tensor.Tensor, error) {
	columns := len(s.Mean)
	if x == nil || x.Rank() == 0 || x.Rank() > 2 || x.Shape()[x.Rank()-1] != columns || len(s.Deviation) != columns {
		return nil, fmt.Errorf("data: standard: it was fitted on %d columns, and x is %v", columns, shapeOf(x))
	}
	y, err := tensor.New(x.DType(), slices.Clone(x.Shape())...)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	for i := range x.Len() {
		y.SetFloat64(i, f(x.Float64At(i), s.Mean[i%columns], s.Deviation[i%columns]))
	}
	return y, nil
}

func shapeOf(x *tensor.Tensor) any {
	if x == nil {
		return "nil"
	}
	return x.Shape()
}
