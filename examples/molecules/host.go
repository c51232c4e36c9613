package main

import (
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// listsHost is the kernel lists in Go.
func (l *liquid) listsHost(outs, ins []*tensor.Tensor) error {
	p, starts := tensor.MustSlice[float32](ins[0]), tensor.MustSlice[int64](ins[1])
	near, count := tensor.MustSlice[int32](outs[0]), tensor.MustSlice[int32](outs[1])
	n, side, box := l.n, l.side, float32(l.box)
	scale := float32(side) / box
	fallback.Parallel(n, func(from, to int) {
		for i := from; i < to; i++ {
			x, y, z := p[i], p[n+i], p[2*n+i]
			cx, cy, cz := min(int(x*scale), side-1), min(int(y*scale), side-1), min(int(z*scale), side-1)
			found := 0
			for c := range 27 {
				cell := ((cz+side+c/9-1)%side*side+(cy+side+c/3%3-1)%side)*side + (cx+side+c%3-1)%side
				for j := int(starts[cell]); j < int(starts[cell+1]); j++ {
					dx, dy, dz := max(x-p[j], p[j]-x), max(y-p[n+j], p[n+j]-y), max(z-p[2*n+j], p[2*n+j]-z)
					dx, dy, dz = min(dx, box-dx), min(dy, box-dy), min(dz, box-dz)
					if dx*dx+dy*dy+dz*dz < (cut+skin)*(cut+skin) && j != i {
						if found < capacity {
							near[found*n+i] = int32(j)
						}
						found++
					}
				}
			}
			count[i] = int32(found)
			for ; found < capacity; found++ {
				near[found*n+i] = int32(i)
			}
		}
	})
	return nil
}

// leapHost is the kernel leap in Go, with sums.
func (l *liquid) leapHost(outs, ins []*tensor.Tensor, kick, drift float32) error {
	p, v := tensor.MustSlice[float32](ins[0]), tensor.MustSlice[float32](ins[1])
	near, count := tensor.MustSlice[int32](ins[2]), tensor.MustSlice[int32](ins[3])
	q, w := tensor.MustSlice[float32](outs[0]), tensor.MustSlice[float32](outs[1])
	n, box, u0 := l.n, float32(l.box), float32(shift)
	nearest := func(d float32) float32 { // of all repetitions
		for d > box/2 {
			d -= box
		}
		for d < -box/2 {
			d += box
		}
		return d
	}
	fallback.Parallel(n, func(from, to int) {
		for i := from; i < to; i++ {
			x, y, z := p[i], p[n+i], p[2*n+i]
			var fx, fy, fz, potential, virial, within float32
			for k := range min(int(count[i]), capacity) {
				j := int(near[k*n+i])
				dx, dy, dz := nearest(x-p[j]), nearest(y-p[n+j]), nearest(z-p[2*n+j])
				r2 := dx*dx + dy*dy + dz*dz
				if r2 >= cut*cut {
					continue
				}
				inv := 1 / r2
				r6 := inv * inv * inv
				f := (48*r6 - 24) * r6 * inv
				fx, fy, fz = fx+f*dx, fy+f*dy, fz+f*dz
				virial, within, potential = virial+f*r2, within+1, potential+4*(r6-1)*r6-u0
			}
			w[i], w[n+i], w[2*n+i], w[3*n+i], w[4*n+i] = v[i]+kick*fx, v[n+i]+kick*fy, v[2*n+i]+kick*fz, potential/2, within/2
			q[i], q[n+i], q[2*n+i], q[3*n+i] = x+drift*w[i], y+drift*w[n+i], z+drift*w[2*n+i], virial/2
		}
	})
	return nil
}
