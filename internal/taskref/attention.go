package taskref

import (
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// attention computes any pass with whole rows of scores, in float64.
func (r *runner) attention(outs [][]byte) {
	t, a := r.task, r.task.Attention
	m, n, d, e := t.Size(2), t.Size(3), t.Size(4), t.Size(5)
	rows := t.Size(1) * m
	for b := range t.Size(0) {
		r.seek(0, b)
		k, v := r.matrix(a.K, n, d, 3, 4), r.matrix(a.V, n, e, 3, 5)
		dk, dv := make([]float64, n*d), make([]float64, n*e)
		for row := range rows {
			r.seek(1, row/m)
			r.seek(2, row%m)
			q := r.matrix(a.Q, 1, d, 4, 4)
			p, top, share := r.weights(row%m, q, k)
			at := b*rows + row
			if a.Pass == engine.AttentionForward {
				o := make([]float64, e)
				for j := range n {
					axpy(o, p[j]*share, v[j*e:])
				}
				put(t.Outs[0].DType, outs[0], at*e, o)
				if len(outs) > 1 {
					put(t.Outs[1].DType, outs[1], at, []float64{engine.RoundedDown(t.Acc, top)})
					put(t.Outs[2].DType, outs[2], at, []float64{share})
				}
				continue
			}
			do, dq := r.matrix(a.DO, 1, e, 5, 5), make([]float64, d)
			kept, delta := r.eval(a.Top).f, r.eval(a.D).f
			share, shift := r.eval(a.Share).f, math.Exp2(top-kept)
			if math.Abs(top-kept) <= math.Abs(kept)*roughly(t.Acc) { // the same, rounded
				shift = 1
			}
			for j := range n {
				p := p[j] * shift * share
				if share == 0 { // no key
					p = 0
				}
				slope := a.Scale * p * (dot(do, v[j*e:]) - delta)
				axpy(dq, slope, k[j*d:])
				axpy(dk[j*d:][:d], slope, q)
				axpy(dv[j*e:][:e], p, do)
			}
			if a.Pass == engine.AttentionGradQ {
				put(t.Outs[0].DType, outs[0], at*d, dq)
			}
		}
		if a.Pass == engine.AttentionGradKV {
			put(t.Outs[0].DType, outs[0], b*n*d, dk)
			put(t.Outs[1].DType, outs[1], b*n*e, dv)
		}
	}
}

// seek sets the point to position i of the axes of group g.
func (r *runner) seek(g int, i int64) {
	from, to := r.task.Group(g)
	for a := to - 1; a >= from; a-- {
		n := int64(r.task.Axes[a])
		r.at[a], i = i%n, i/n
	}
}

// matrix is e over groups g and h, of the given number of points; one row where they are one.
func (r *runner) matrix(x *engine.Expr, rows, columns int64, g, h int) []float64 {
	out := make([]float64, rows*columns)
	for i := range out {
		if g != h {
			r.seek(g, int64(i)/columns)
		}
		r.seek(h, int64(i)%columns)
		out[i] = r.eval(x).f
	}
	return out
}

// roughly is how much the largest score of a row may differ from what another engine found with sums of a dtype, relative to it.
func roughly(dt tensor.DType) float64 {
	if dt == tensor.Float64 {
		return 0x1p-48
	}
	return 0x1p-19
}

// weights are those of the keys of query i relative to the largest, which is 2^top, and one over their sum.
func (r *runner) weights(i int64, q, k []float64) (p []float64, top, share float64) {
	t, a := r.task, r.task.Attention
	n, d := t.Size(3), t.Size(4)
	p = make([]float64, n)
	top = math.Inf(-1)
	for j := range n {
		p[j] = a.Scale * dot(q, k[j*d:])
		if a.Mask != nil {
			r.seek(3, j)
			v := r.eval(a.Mask)
			if a.Mask.DType != tensor.Bool {
				p[j] += v.f
			} else if v.i == 0 {
				p[j] = math.Inf(-1)
			}
		}
		if j < i+a.Low || j > i+a.High {
			p[j] = math.Inf(-1)
		}
		top = math.Max(top, p[j])
	}
	if math.IsInf(top, -1) {
		return make([]float64, n), math.Inf(1), 0
	}
	var sum float64
	for j := range p {
		p[j] = math.Exp(p[j] - top)
		sum += p[j]
	}
	return p, top * math.Log2E, 1 / sum
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// axpy adds f times the head of x to y.
func axpy(y []float64, f float64, x []float64) {
	for i := range y {
		y[i] += f * x[i]
	}
}

func put(dt tensor.DType, out []byte, at int64, v []float64) {
	for i, f := range v {
		store(dt, out, at+int64(i), value{f: f})
	}
}
