package onnx

import (
	"errors"
	"fmt"
	"slices"
)

// shapes completes shapes of inputs by the numbers of the model, and checks them.
func (m *Model) shapes(given map[string][]int) (map[string][]int, error) {
	var errs []error
	all, named := map[string][]int{}, map[string]int{}
	for _, in := range m.inputs {
		shape, ok := given[in.Name]
		if !ok {
			if shape = in.Shape; in.Shape == nil || slices.Contains(in.Shape, -1) {
				errs = append(errs, fmt.Errorf("the shape of input %q, %s, is open", in.Name, in.shapeText()))
				continue
			}
		}
		all[in.Name] = shape
		errs = append(errs, in.fits(shape, named))
	}
	for name := range given {
		if !slices.ContainsFunc(m.inputs, func(in Info) bool { return in.Name == name }) {
			errs = append(errs, fmt.Errorf("there is no input %q", name))
		}
	}
	return all, errors.Join(errs...)
}

// guessed are shapes of the inputs with extents in place of those that are open.
func (m *Model) guessed() map[string][]int {
	const first, other = 1, 64 // of a batch, and of anything else
	all := map[string][]int{}
	for _, in := range m.inputs {
		shape := slices.Clone(in.Shape)
		for axis, n := range shape {
			switch {
			case n < 0 && axis == 0:
				shape[axis] = first
			case n < 0:
				shape[axis] = other
			}
		}
		all[in.Name] = shape
	}
	return all
}

// fits reports a shape that is not that of the model; named are the extents of names.
func (in *Info) fits(shape []int, named map[string]int) error {
	if in.Shape == nil {
		return nil
	}
	if len(shape) != len(in.Shape) {
		return fmt.Errorf("input %q has shape %v, not %s", in.Name, shape, in.shapeText())
	}
	for i, d := range shape {
		want, name := in.Shape[i], in.Dims[i]
		if want < 0 && name != "" {
			if n, ok := named[name]; ok {
				want = n
			}
			named[name] = d
		}
		if want >= 0 && d != want || d < 0 {
			return fmt.Errorf("input %q has shape %v, not %s: axis %d is to be %d", in.Name, shape, in.shapeText(), i, want)
		}
	}
	return nil
}

func (in *Info) shapeText() string {
	if in.Shape == nil {
		return "of unknown rank"
	}
	text := "["
	for i, d := range in.Shape {
		if i > 0 {
			text += " "
		}
		switch {
		case d >= 0:
			text += fmt.Sprint(d)
		case in.Dims[i] != "":
			text += in.Dims[i]
		default:
			text += "?"
		}
	}
	return text + "]"
}
