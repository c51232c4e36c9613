package main

import (
	"image"
	"image/color"
	"math"

	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// picture has figures in rows of at most six: sand, light on a dark plate, where it moves least.
func (w plate) picture(e *sparse.Eigen, figures int) (image.Image, error) {
	all, err := tensor.ToSlice[float64](e.Vectors)
	if err != nil {
		return nil, err
	}
	const side, gap, across = 150, 8, 6
	columns, rows := min(figures, across), (figures+across-1)/across
	im := image.NewRGBA(image.Rect(0, 0, columns*(side+gap)-gap, rows*(side+gap)-gap))
	for k := range figures {
		u := w.deflection(all[(rigid+k)*w.n*w.n : (rigid+k+1)*w.n*w.n])
		largest := 0.0
		for _, v := range u {
			largest = max(largest, math.Abs(v))
		}
		for y := range side {
			for x := range side {
				v := math.Abs(w.between(u, float64(x)/(side-1), float64(y)/(side-1))) / largest
				sand := math.Exp(-v * v / 0.003)
				im.SetRGBA(k%across*(side+gap)+x, k/across*(side+gap)+y, color.RGBA{
					uint8(40 + 210*sand), uint8(30 + 190*sand), uint8(45 + 110*sand), 255,
				})
			}
		}
	}
	return im, nil
}

// deflection is an eigenvector divided by the root of the mass.
func (w plate) deflection(v []float64) []float64 {
	u := make([]float64, len(v))
	for i := range u {
		u[i] = v[i] / math.Sqrt(w.mass(i/w.n, i%w.n))
	}
	return u
}

// between is the deflection at a place, from that of the four points around it.
func (w plate) between(u []float64, x, y float64) float64 {
	x, y = x*float64(w.n-1), y*float64(w.n-1)
	j, i := min(int(x), w.n-2), min(int(y), w.n-2)
	x, y = x-float64(j), y-float64(i)
	at := u[i*w.n+j:]
	return (1-y)*((1-x)*at[0]+x*at[1]) + y*((1-x)*at[w.n]+x*at[w.n+1])
}

// mass is the share of a point in the plate: edges have half of it, corners a quarter.
func (w plate) mass(i, j int) float64 {
	h := 1 / float64(w.n-1)
	m := h * h
	for _, k := range []int{i, j} {
		if k == 0 || k == w.n-1 {
			m /= 2
		}
	}
	return m
}
