package fft

import (
	"sync"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

const (
	rowVector = 32      // bytes of a vector, in which parts of one row are side by side
	rowBytes  = 1 << 17 // of a row at most: two of them fit the caches of a thread
)

// rowLanes is how many parts of a row a vector holds.
func rowLanes(dt tensor.DType) int { return rowVector / dt.Size() }

// rowMost is how many elements a row has at most.
func rowMost(dt tensor.DType) int { return rowBytes / (2 * dt.Size()) }

// rowByRow reports whether CPUs transform rows one by one, as rows.cl does: powers of two, with at least a vector of results of each part.
func (a *stepAttr) rowByRow(dt tensor.DType) bool {
	lanes := rowLanes(dt)
	return a.Lines == 1 && a.From == 0 && a.To == 0 && a.M&(a.M-1) == 0 && a.M >= lanes*lanes && a.M <= rowMost(dt)
}

// setRows sets what is other about a kernel of rows that are transformed one by one.
func (a *stepAttr) setRows(dt tensor.DType, k *ops.KernelOptions) {
	most := stepMost
	if a.M > stepMost {
		most = rowMost(dt)
		k.CPU.Global = [3]int{min(a.Batch, stepItems)}
		k.Entry, k.Options, k.Global = "row_group", k.Options+" -DLONG_ROWS", [3]int{a.Batch * stepGroup}
		k.Args[len(k.Args)-1] = int32(factors(a.M, factor)[0])
	}
	k.CPU.Options = vectorOptions(dt, rowLanes(dt), most) + " -DROWS"
	if a.M <= stepMost && dt == tensor.Float32 {
		k.CPU.Options += " -DSIDE_BY_SIDE"
	}
}

// hostRows is the function that transforms rows longer than a step on the host.
func hostRows(s *stepAttr, dt tensor.DType) func(outs, ins []*tensor.Tensor) error {
	m := factors(s.M, factor)
	first := hostStepOf(&stepAttr{Batch: s.Batch, M: m[0], Lines: m[1], Inner: 1, Turned: true, Conjugate: s.Conjugate}, dt)
	second := hostStepOf(&stepAttr{Batch: s.Batch, M: m[1], Lines: m[0], Inner: m[0], Conjugate: s.Conjugate}, dt)
	turns := sync.OnceValue(func() *tensor.Tensor {
		numbers := planeNumbers(turnsOf(m[0], m[1]))
		table := tensor.Must(tensor.New(dt, len(numbers)))
		for i, v := range numbers {
			table.SetFloat64(i, v)
		}
		return table
	})
	var between sync.Pool
	return func(outs, ins []*tensor.Tensor) error {
		z, ok := between.Get().(*tensor.Tensor)
		if !ok {
			z = tensor.Must(tensor.New(dt, outs[0].Shape()...))
		}
		defer between.Put(z)
		if err := first([]*tensor.Tensor{z}, []*tensor.Tensor{ins[0], ins[1], turns(), turns()}); err != nil {
			return err
		}
		return second(outs, []*tensor.Tensor{z, ins[1], turns(), turns()})
	}
}

// rowTurns are the roots by which the results of passes over parts of a row are multiplied, in the order in which rows.cl takes them.
func rowTurns(m, lanes int) (table []float64) {
	order := []int{0, 1, 4, 5, 2, 3, 6, 7}
	if lanes == 4 {
		order = []int{0, 2, 1, 3}
	}
	for k := 0; k < m/lanes; k += lanes {
		from := min(k, m/lanes-lanes)
		for j := 1; j < lanes; j++ {
			re, im := make([]float64, lanes), make([]float64, lanes)
			for lane, of := range order {
				w := root((from+of)*j, m)
				re[lane], im[lane] = real(w), imag(w)
			}
			table = append(append(table, re...), im...)
		}
	}
	return table
}
