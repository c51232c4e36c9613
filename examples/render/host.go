package main

import (
	"math"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// The kernel in Go, operation by operation, so that the pictures are equal. Conversions round products: without them Go may
// contract a product and a sum, as the kernel must not either.

type vec struct{ x, y, z float32 }

func (a vec) add(b vec) vec { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }

func (a vec) sub(b vec) vec { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }

func (a vec) mul(b vec) vec { return vec{float32(a.x * b.x), float32(a.y * b.y), float32(a.z * b.z)} }

func (a vec) scale(s float32) vec { return vec{float32(a.x * s), float32(a.y * s), float32(a.z * s)} }

func (a vec) dot(b vec) float32 { return float32(a.x*b.x) + float32(a.y*b.y) + float32(a.z*b.z) }

func (a vec) unit() vec { return a.scale(rsqrt(a.dot(a))) }

func rsqrt(x float32) float32 {
	y := math.Float32frombits(0x5f375a86 - math.Float32bits(x)>>1)
	for range 3 {
		y = float32(y * (1.5 - float32(float32(float32(0.5*x)*y)*y)))
	}
	return y
}

func inverse(x float32) float32 {
	r := rsqrt(float32(math.Abs(float64(x))))
	if x < 0 {
		return -float32(r * r)
	}
	return float32(r * r)
}

func random(state *uint32) float32 {
	old := *state
	*state = old*747796405 + 2891336453
	word := (old>>(old>>28+4) ^ old) * 277803737
	return float32((word>>22^word)>>8) * 0x1p-24
}

func direction(state *uint32) vec {
	for {
		v := vec{float32(2*random(state)) - 1, float32(2*random(state)) - 1, float32(2*random(state)) - 1}
		if square := v.dot(v); square <= 1 && square > 1e-3 {
			return v.scale(rsqrt(square))
		}
	}
}

// nearest is the first thing that a ray meets: a sphere, their number for the floor, or -1.
func (s *scene) nearest(o, d vec) (found int, t float32) {
	found, t = -1, 1e30
	for i, c := range s.spheres {
		a := c.centre.sub(o)
		along := a.dot(d)
		a = a.sub(d.scale(along))
		half := c.square - a.dot(a)
		if half <= 0 {
			continue
		}
		root := float32(half * rsqrt(max(half, 1e-12)))
		at := along - root
		if !(at > near) {
			at = along + root
		}
		if at > near && at < t {
			found, t = i, at
		}
	}
	if d.y < 0 {
		if down := float32(-o.y * inverse(d.y)); down > near && down < t {
			return len(s.spheres), down
		}
	}
	return found, t
}

const near = 1e-3

func (s *scene) trace(o, d vec, state *uint32) vec {
	sum, weight, mirror := vec{}, vec{1, 1, 1}, true
	for depth := range 64 {
		hit, t := s.nearest(o, d)
		if hit < 0 {
			up := float32(0.5 * (d.y + 1))
			sky := vec{0.30 - float32(0.22*up), 0.32 - float32(0.18*up), 0.36 - float32(0.06*up)}
			if s.white > 0 {
				sky = vec{s.white, s.white, s.white}
			}
			return sum.add(weight.mul(sky))
		}
		if hit == s.light {
			if mirror {
				sum = sum.add(weight.scale(s.emitted))
			}
			return sum
		}
		p, n, colour, kind := o.add(d.scale(t)), vec{0, 1, 0}, vec{0.55, 0.55, 0.55}, matt
		if hit < len(s.spheres) {
			n = p.sub(s.spheres[hit].centre).unit()
			kind, colour = s.spheres[hit].kind, s.spheres[hit].colour
		} else if (int(math.Floor(float64(p.x)))+int(math.Floor(float64(p.z))))&1 != 0 {
			colour = vec{0.25, 0.25, 0.25}
		}
		if s.white > 0 {
			colour = vec{1, 1, 1}
		}
		weight = weight.mul(colour)
		if kind == matt {
			if s.light >= 0 {
				sum = sum.add(weight.scale(s.sample(p, n, state)))
			}
			d = n.add(direction(state))
			if square := d.dot(d); square > 1e-6 {
				d = d.scale(rsqrt(square))
			} else {
				d = n
			}
			mirror = false
		} else {
			d = bend(d, n, kind, state)
			mirror = true
		}
		o = p
		if depth > 3 {
			stay := max(weight.x, weight.y, weight.z)
			if stay < 1 {
				if stay <= 1e-6 || random(state) >= stay {
					return sum
				}
				weight = weight.scale(inverse(stay))
			}
		}
	}
	return sum
}

// sample is the light that comes from a point of the lamp to p, where n is the normal.
func (s *scene) sample(p, n vec, state *uint32) float32 {
	c, square, u := s.spheres[s.light].centre, s.spheres[s.light].square, direction(state)
	if u.dot(p.sub(c)) < 0 {
		u = vec{-u.x, -u.y, -u.z}
	}
	w := c.add(u.scale(float32(square * rsqrt(square)))).sub(p)
	far := w.dot(w)
	w = w.scale(rsqrt(far))
	cosine, there := n.dot(w), -u.dot(w)
	if !(cosine > 0 && there > 0) {
		return 0
	}
	if hit, _ := s.nearest(p, w); hit != s.light {
		return 0
	}
	return float32(float32(float32(float32(float32(s.emitted*cosine)*there)*2)*square) * inverse(far))
}

// bend is the direction in which light goes on from metal or glass.
func bend(d, n vec, kind int, state *uint32) vec {
	along, ratio := d.dot(n), float32(1.5)
	if along > 0 {
		n = vec{-n.x, -n.y, -n.z}
	} else {
		along, ratio = -along, inverse(1.5)
	}
	out := d.add(n.scale(2 * along))
	inside := 1 - float32(float32(ratio*ratio)*(1-float32(along*along)))
	if kind == glass && inside > 1e-6 {
		root, c := float32(inside*rsqrt(inside)), float32(0)
		if c = 1 - along; ratio > 1 {
			c = 1 - root
		}
		c2 := float32(c * c)
		if chance := 0.04 + float32(0.96*float32(float32(c2*c2)*c)); random(state) >= chance {
			out = d.scale(ratio).add(n.scale(float32(ratio*along) - root))
		}
	}
	return out.unit()
}

// pixel is the mean of samples paths through a pixel.
func (s *scene) pixel(x, y, width, height, first, samples int) vec {
	pixel := float32(2 * inverse(float32(height)))
	eye, forward, right := vec{0, 2.2, 9}, vec{0, -0.18, -1}.unit(), vec{1, 0, 0}
	up := vec{
		float32(right.y*forward.z) - float32(right.z*forward.y), float32(right.z*forward.x) - float32(right.x*forward.z),
		float32(right.x*forward.y) - float32(right.y*forward.x),
	}
	var sum vec
	for k := first; k < first+samples; k++ {
		state := uint32(y*width+x)*0x9e3779b9 + uint32(k)*0x85ebca6b
		state = (state ^ state>>16) * 0x7feb352d
		state = (state ^ state>>15) * 0x846ca68b
		a := float32((float32(x) + random(&state) - float32(0.5*float32(width))) * pixel)
		b := float32((float32(y) + random(&state) - float32(0.5*float32(height))) * pixel)
		d := forward.add(right.scale(float32(0.42 * a))).sub(up.scale(float32(0.42 * b)))
		sum = sum.add(s.trace(eye, d.unit(), &state))
	}
	return sum.scale(inverse(float32(samples)))
}

func (s *scene) renderHost(picture *tensor.Tensor, first, samples int) error {
	out, height, width := tensor.MustSlice[float32](picture), picture.Shape()[0], picture.Shape()[1]
	fallback.Parallel(width*height, func(from, to int) {
		for i := from; i < to; i++ {
			c := s.pixel(i%width, i/width, width, height, first, samples)
			out[3*i], out[3*i+1], out[3*i+2] = c.x, c.y, c.z
		}
	})
	return nil
}
