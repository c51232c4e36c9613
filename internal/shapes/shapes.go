// Package shapes resolves the axes that calls of ops name, which may count from the end, and orders axes and shapes.
package shapes

import (
	"fmt"
	"slices"
)

// Axis resolves an axis that may count from the end.
func Axis(axis, rank int) (int, error) {
	a := axis
	if a < 0 {
		a += rank
	}
	if a < 0 || a >= rank {
		return 0, fmt.Errorf("axis %d is outside a tensor of rank %d", axis, rank)
	}
	return a, nil
}

// Axes resolves a set of axes; nil means all, a list that is empty none. A tensor of rank 0 takes the axes 0 and -1,
// of which it has none. The result is sorted, and not nil.
func Axes(axes []int, rank int) ([]int, error) {
	chosen := make([]bool, max(rank, 1))
	for _, axis := range axes {
		a, err := Axis(axis, max(rank, 1))
		if err != nil {
			return nil, err
		}
		if chosen[a] {
			return nil, fmt.Errorf("axis %d is named twice", axis)
		}
		chosen[a] = true
	}
	out := []int{}
	for a := range rank {
		if chosen[a] || axes == nil {
			out = append(out, a)
		}
	}
	return out, nil
}

// ToEnd is the order of all axes of a rank that has some of them, which may count from the end, at its own end.
func ToEnd(axes []int, rank int) ([]int, error) {
	var end []int
	for _, axis := range axes {
		a, err := Axis(axis, rank)
		if err == nil && slices.Contains(end, a) {
			err = fmt.Errorf("axis %d is named twice", axis)
		}
		if err != nil {
			return nil, err
		}
		end = append(end, a)
	}
	return append(Except(rank, end), end...), nil
}

// Except are the axes of a rank that are not among these.
func Except(rank int, axes []int) []int {
	var rest []int
	for a := range rank {
		if !slices.Contains(axes, a) {
			rest = append(rest, a)
		}
	}
	return rest
}

// With is a shape with more extents after its own, in a new slice.
func With(shape []int, more ...int) []int { return slices.Concat(shape, more) }
