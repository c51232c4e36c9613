package main

import (
	"math"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// host is the kernel in Go.
func host(outs, ins []*tensor.Tensor, kick, drift float32) {
	p, v := tensor.MustSlice[float32](ins[0]), tensor.MustSlice[float32](ins[1])
	q, w := tensor.MustSlice[float32](outs[0]), tensor.MustSlice[float32](outs[1])
	n := len(p) / 4
	xs, ys, zs, ms := p[:n], p[n:2*n], p[2*n:3*n], p[3*n:]
	fallback.Parallel(n, func(from, to int) {
		for i := from; i < to; i++ {
			var ax, ay, az, sum float32
			x, y, z := xs[i], ys[i], zs[i]
			for j, xj := range xs {
				dx, dy, dz := xj-x, ys[j]-y, zs[j]-z
				d2 := dx*dx + dy*dy + dz*dz + softening*softening
				m := ms[j] / float32(math.Sqrt(float64(d2)))
				s := m / d2
				ax, ay, az, sum = ax+dx*s, ay+dy*s, az+dz*s, sum-m
			}
			w[i], w[n+i], w[2*n+i], w[3*n+i] = v[i]+kick*ax, v[n+i]+kick*ay, v[2*n+i]+kick*az, sum
			q[i], q[n+i], q[2*n+i], q[3*n+i] = x+drift*w[i], y+drift*w[n+i], z+drift*w[2*n+i], ms[i]
		}
	})
}
