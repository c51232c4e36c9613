package optest

import (
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Ops of neural networks.

func init() {
	reference("softmax", func(c Case) Result {
		return alongAxis(c.In[0], attr[int](c), func(s slice) {
			for i, e := range s.exps {
				s.y[i] = e / s.sum
				// The argument of exp is rounded; the sum has n terms of one sign.
				s.terms[i] = s.y[i] * (2*math.Abs(s.shifted[i]) + s.n + 8)
			}
		})
	})
	reference("log_softmax", func(c Case) Result {
		return alongAxis(c.In[0], attr[int](c), func(s slice) {
			for i, z := range s.shifted {
				s.y[i] = z - math.Log(s.sum)
				s.terms[i] = 2*math.Abs(z) + 4*math.Log(s.sum) + s.n + 8
			}
		})
	})
	reference("cross_entropy", func(c Case) Result {
		logits, labels := c.In[0], c.In[1]
		rows, classes := logits.Shape[0], logits.Shape[1]
		y := NewArray(logits.DType)
		terms := []float64{0}
		for r := range rows {
			label := labels.index(r)
			if label < 0 || label >= classes {
				continue
			}
			s := newSlice(logits.F[r*classes : (r+1)*classes])
			y.F[0] += (math.Log(s.sum) - s.shifted[label]) / float64(rows)
			terms[0] += (2*math.Abs(s.shifted[label]) + 4*math.Log(s.sum) + s.n + 8) / float64(rows)
		}
		terms[0] += float64(rows) * math.Abs(y.F[0])
		return Result{Array: y, Terms: terms, N: 1}
	})
	reference("one_hot", func(c Case) Result {
		ids, depth := c.In[0], attr[int](c)
		y := NewArray(c.DType, append(slices.Clone(ids.Shape), depth)...)
		for p := range y.Len() {
			if ids.index(p/depth) != p%depth {
				continue
			}
			switch {
			case y.F != nil:
				y.F[p] = 1
			case y.I != nil:
				y.I[p] = 1
			default:
				y.U[p] = 1
			}
		}
		return exactly(y)
	})
	reference("embedding", func(c Case) Result {
		table, ids := c.In[0], c.In[1]
		width := table.Shape[1]
		y := NewArray(table.DType, append(slices.Clone(ids.Shape), width)...)
		for p := range y.Len() {
			if row := ids.index(p / width); row >= 0 && row < table.Shape[0] {
				y.copy(p, table, row*width+p%width)
			}
		}
		return exactly(y)
	})
	reference("dropout", func(c Case) Result {
		x, rate := c.In[0], attr[float64](c)
		y := NewArray(x.DType, x.Shape...)
		for p, v := range x.F {
			u := fraction(uint64(philox(uint64(p), c.Stream)[0]), 32, formatOf(tensor.Float32).precision)
			if u >= rate {
				y.F[p] = v / (1 - rate)
			}
		}
		return exactly(y)
	})
}

// slice is one run of a tensor along an axis, with what softmax needs of it.
type slice struct {
	shifted []float64 // x - max x
	exps    []float64 // e^shifted
	sum     float64   // Σ exps
	n       float64
	y       []float64 // to be filled
	terms   []float64
}

func newSlice(x []float64) slice {
	n := len(x)
	s := slice{
		shifted: make([]float64, n), exps: make([]float64, n), n: float64(n),
		y: make([]float64, n), terms: make([]float64, n),
	}
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	for i, v := range x {
		s.shifted[i] = v - top
		s.exps[i] = math.Exp(v - top)
		s.sum += s.exps[i]
	}
	return s
}

// alongAxis fills y and terms of every slice along an axis.
func alongAxis(x Array, axis int, fill func(s slice)) Result {
	axis = wrapAxis(axis, len(x.Shape))
	y := NewArray(x.DType, x.Shape...)
	terms := make([]float64, y.Len())
	n, inner := x.Shape[axis], count(x.Shape[axis+1:])
	for first := range x.Len() {
		if n == 0 || first/inner%n != 0 {
			continue // not the first element of a slice
		}
		run := make([]float64, n)
		for i := range run {
			run[i] = x.F[first+i*inner]
		}
		s := newSlice(run)
		fill(s)
		for i := range run {
			y.F[first+i*inner], terms[first+i*inner] = s.y[i], s.terms[i]
		}
	}
	return Result{Array: y, Terms: terms, N: 1}
}
