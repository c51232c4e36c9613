package sample

import (
	"math/rand/v2"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/tensor"
)

// LU factorises a batch of m x n matrices.
func LU(dt tensor.DType, batch, m, n int) *engine.Task {
	a := engine.Operand{DType: dt, Len: int64(batch * m * n)}
	ints := func(n int) engine.Operand { return engine.Operand{DType: tensor.Int32, Len: int64(n)} }
	return Routine(&engine.LU{Batch: int64(batch), M: int64(m), N: int64(n)}, []engine.Operand{a}, a, ints(batch*min(m, n)), ints(batch*m), ints(batch))
}

// Uniform are n random float32 numbers between -0.5 and 0.5.
func Uniform(n int) []float64 {
	r, v := rand.New(rand.NewPCG(3, uint64(n))), make([]float64, n)
	for i := range v {
		v[i] = float64(float32(r.Float64() - 0.5))
	}
	return v
}

// BytesOf is v as elements of dt in memory.
func BytesOf(dt tensor.DType, v []float64) []byte {
	b := make([]byte, len(v)*dt.Size())
	for i, x := range v {
		ocltest.PutAt(dt, b, int64(i), x, 0)
	}
	return b
}
