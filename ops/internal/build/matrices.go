package build

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// HostMatrices is the kernel of an op that runs on the host, in float64, each matrix of a batch by itself. Its operands
// and results are batches: of matrices, vectors (columns) and numbers, as the ranks in and out of one of each say. f computes one
// element of the batch. It may change its operands, which are copies. Results are zeros at first; the values that f leaves in them are
// rounded to their dtypes.
func HostMatrices(why string, in, out []int, f func(c *ops.Call, out, in []dense.Matrix)) func(c *ops.Call) ops.KernelOptions {
	return func(c *ops.Call) ops.KernelOptions {
		return ops.KernelOptions{HostOnly: why, Host: func(outs, ins []*tensor.Tensor) error {
			return eachMatrix(outs, ins, out, in, func(out, in []dense.Matrix) { f(c, out, in) })
		}}
	}
}

// fewElements is the number of elements, of all tensors, from which a batch is worth goroutines.
const fewElements = 1 << 11

// eachMatrix calls f for each element of a batch, several at a time where that pays.
func eachMatrix(outs, ins []*tensor.Tensor, outRank, inRank []int, f func(out, in []dense.Matrix)) (err error) {
	batch, elements := 1, 0
	for i, t := range outs {
		if i == 0 {
			batch = ir.Product(t.Shape()[:t.Rank()-outRank[0]])
		}
		elements += t.Len()
	}
	for _, t := range ins {
		elements += t.Len()
	}
	workers := min(batch, runtime.GOMAXPROCS(0))
	if elements < fewElements {
		workers = min(workers, 1)
	}
	var next atomic.Int64
	var once sync.Once
	work := func() {
		defer func() {
			if r := recover(); r != nil {
				once.Do(func() { err = fmt.Errorf("LAPACK refused a matrix: %v", r) })
			}
		}()
		out, in := make([]dense.Matrix, len(outs)), make([]dense.Matrix, len(ins))
		for i, t := range outs {
			out[i] = coreOf(t, outRank[i])
		}
		for i, t := range ins {
			in[i] = coreOf(t, inRank[i])
		}
		for i := int(next.Add(1)) - 1; i < batch; i = int(next.Add(1)) - 1 {
			for k, t := range ins {
				loadMatrix(in[k].Data, t, i)
			}
			for k := range out {
				clear(out[k].Data)
			}
			f(out, in)
			for k, t := range outs {
				storeMatrix(t, i, out[k].Data)
			}
		}
	}
	if workers <= 1 {
		work()
		return err
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(work)
	}
	group.Wait()
	return err
}

// coreOf is room for one element of a batch, whose last rank axes are its own.
func coreOf(t *tensor.Tensor, rank int) dense.Matrix {
	shape := t.Shape()[t.Rank()-rank:]
	switch rank {
	case 0:
		return dense.New(1, 1)
	case 1:
		return dense.New(shape[0], 1)
	}
	return dense.New(shape[0], shape[1])
}

// loadMatrix reads element i of a batch.
func loadMatrix(to []float64, t *tensor.Tensor, i int) {
	from, until := i*len(to), (i+1)*len(to)
	switch t.DType() {
	case tensor.Float64:
		copy(to, elementsOf[float64](t)[from:until])
	case tensor.Float32:
		widenAll(to, elementsOf[float32](t)[from:until])
	case tensor.Int32:
		widenAll(to, elementsOf[int32](t)[from:until])
	}
}

// storeMatrix writes element i of a batch.
func storeMatrix(t *tensor.Tensor, i int, from []float64) {
	at := i * len(from)
	switch t.DType() {
	case tensor.Float64:
		copy(elementsOf[float64](t)[at:], from)
	case tensor.Float32:
		narrowAll(elementsOf[float32](t)[at:], from)
	case tensor.Int32:
		narrowAll(elementsOf[int32](t)[at:], from)
	}
}

func widenAll[T float32 | int32](to []float64, from []T) {
	for i, v := range from {
		to[i] = float64(v)
	}
}

func narrowAll[T float32 | int32](to []T, from []float64) {
	for i, v := range from {
		to[i] = T(v)
	}
}

// elementsOf are the elements of t, a buffer of a kernel, which has this dtype.
func elementsOf[T tensor.Elem](t *tensor.Tensor) []T {
	all, err := tensor.ToSlice[T](t)
	if err != nil {
		panic(err) // the caller has looked
	}
	return all
}
