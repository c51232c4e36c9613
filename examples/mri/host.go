package main

import (
	"math"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// The kernel in Go, operation by operation. Conversions round products, which Go may contract with sums otherwise.

type vec [3]float32

// along is p + t d.
func (p vec) along(t float32, d vec) vec {
	return vec{p[0] + float32(t*d[0]), p[1] + float32(t*d[1]), p[2] + float32(t*d[2])}
}

func (a vec) dot(b vec) float32 { return float32(a[0]*b[0]) + float32(a[1]*b[1]) + float32(a[2]*b[2]) }

type grid struct {
	at         []float32
	nx, ny, nz int
}

func (g *grid) value(p vec) float32 {
	place := func(x float32, n int) (int, float32) {
		x = min(max(x, 0), float32(n)-1.001)
		return int(x), x - float32(int(x))
	}
	mix := func(a, b, f float32) float32 { return a + float32(f*(b-a)) }
	i, fx := place(p[0], g.nx)
	j, fy := place(p[1], g.ny)
	k, fz := place(p[2], g.nz)
	a := g.at[(k*g.ny+j)*g.nx+i:]
	b := a[g.ny*g.nx:]
	lower := mix(mix(a[0], a[1], fx), mix(a[g.nx], a[g.nx+1], fx), fy)
	upper := mix(mix(b[0], b[1], fx), mix(b[g.nx], b[g.nx+1], fx), fy)
	return mix(lower, upper, fz)
}

func (g *grid) cut(p vec) bool {
	return p[0] > 0.5*float32(g.nx) && p[1] > float32(0.55*float32(g.ny)) && p[2] > 0.5*float32(g.nz)
}

func clip(p, d float32, n int, from, to *float32) {
	last := float32(n - 1)
	if math.Abs(float64(d)) < 1e-6 {
		if p < 0 || p > last {
			*to = *from - 1
		}
		return
	}
	a, b := -p/d, (last-p)/d
	*from, *to = max(*from, min(a, b)), min(*to, max(a, b))
}

// row computes a row of a view.
func (g *grid) row(limits, view, shaded, projected []float32, size, row int, scale float32) {
	d, right, up := vec(view[:3]), vec(view[3:6]), vec(view[6:9])
	above := float32((float32(0.5*float32(size)) - float32(row)) * scale)
	for column := range size {
		across := float32((float32(column) - float32(0.5*float32(size))) * scale)
		p := vec{0.5 * float32(g.nx), 0.5 * float32(g.ny), 0.5 * float32(g.nz)}.along(across, right).along(above, up)
		from, to := float32(-1000), float32(1000)
		clip(p[0], d[0], g.nx, &from, &to)
		clip(p[1], d[1], g.ny, &from, &to)
		clip(p[2], d[2], g.nz, &from, &to)
		var most float32
		var colour vec
		found := false
		for k := 0; k < int(to-from)+1 && to >= from; k++ {
			t := from + float32(k)
			here := g.value(p.along(t, d))
			most = max(most, here)
			if !found && here > limits[0] && !g.cut(p.along(t, d)) {
				found = true
				colour = g.surface(p, d, right, up, limits, t, here, k == 0)
			}
		}
		projected[column] = most
		copy(shaded[3*column:], colour[:])
	}
}

// surface is the colour of the surface that a ray meets between t-1 and t.
func (g *grid) surface(p, d, right, up vec, limits []float32, t, here float32, first bool) vec {
	if !first && g.cut(p.along(t-1, d)) {
		colour := vec{0.25, 0.40, 0.75}
		if here > limits[3] {
			colour = vec{0.95, 0.75, 0.30}
		} else if here > limits[2] {
			colour = vec{0.95, 0.92, 0.85}
		} else if here > limits[1] {
			colour = vec{0.85, 0.45, 0.40}
		}
		return vec{}.along(0.4+float32(0.6*min(float32(here*0.008), 1)), colour)
	}
	out, in := t-1, t
	for range 5 {
		if first {
			break
		}
		if middle := float32(0.5 * (out + in)); g.value(p.along(middle, d)) > limits[0] {
			in = middle
		} else {
			out = middle
		}
	}
	at := p.along(in, d)
	var n, light vec
	for i := range 3 {
		before, after := at, at
		before[i], after[i] = at[i]-1, at[i]+1
		n[i] = g.value(before) - g.value(after)
		light[i] = float32(0.4*right[i]) + float32(0.5*up[i]) - float32(0.77*d[i])
	}
	bright := float32(0.15)
	if cosine := n.dot(light); cosine > 0 {
		bright = 0.15 + float32(0.85*(float32(cosine*cosine)/max(n.dot(n), 1e-6)))
	}
	return vec{}.along(bright, vec{0.93, 0.76, 0.65})
}

func viewHost(outs, ins []*tensor.Tensor, scale float32) error {
	shape, n, size := ins[0].Shape(), outs[1].Shape()[0], outs[1].Shape()[1]
	g := grid{tensor.MustSlice[float32](ins[0]), shape[2], shape[1], shape[0]}
	limits, views := tensor.MustSlice[float32](ins[1]), tensor.MustSlice[float32](ins[2])
	shaded, projected := tensor.MustSlice[float32](outs[0]), tensor.MustSlice[float32](outs[1])
	fallback.Parallel(n*size, func(from, to int) {
		for i := from; i < to; i++ {
			g.row(limits, views[i/size*9:], shaded[i*size*3:], projected[i*size:], size, i%size, scale)
		}
	})
	return nil
}
