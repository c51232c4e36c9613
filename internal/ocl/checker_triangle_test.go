package ocl

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// product/cpu_triangle.cl is no variant of a task: products launch it.
func TestCheckerFindsNothingInTriangles(t *testing.T) {
	k := useChecker(t)
	shapes := [][2]int{{17, 70}, {5, 3}, {1, 1}, {33, 20}}
	for i := range 32 {
		if testing.Short() && i%11 != 0 {
			continue
		}
		s := shapes[(i+i/4)%len(shapes)]
		c := triangleCaseOf(s[0], s[1], i)
		t.Run(fmt.Sprint("float32 ", c), func(t *testing.T) { checkTriangleUnder[float32](t, k, tensor.Float32, c, i%2) })
		if i%5 == 0 {
			t.Run(fmt.Sprint("float64 ", c), func(t *testing.T) { checkTriangleUnder[float64](t, k, tensor.Float64, c, i%2) })
		}
	}
}

// checkTriangleUnder runs one case as Products does, on operands that begin lead elements into
// their buffers.
func checkTriangleUnder[T float32 | float64](t *testing.T, k *checker, dt tensor.DType, of triangleCase, lead int) {
	c := newTriangleOperands[T](of)
	d := tinyCPU(func(d *facts.Device) { d.LocalMem = 64 << 10 })
	key := contract.ProductKey{Kind: contract.ProductMultiply, DType: dt, BTrans: c.bT}
	if c.solve {
		key.Kind = contract.ProductSolve
	}
	prog := contract.ProductProgram(d, key)
	require.NoError(t, prog.Err)
	p := contract.PlanProduct(d, contract.ProductShape{Key: key, M: c.order, N: c.columns, K: c.order})
	sizes := map[string]int64{
		"M": int64(c.order), "N": int64(c.columns), "A_ROW": int64(c.lda), "A_COLUMN": 1, "B_LD": int64(c.ldb),
		"LOWER": int64(codegen.OneIf(c.lower)), "UNIT": int64(codegen.OneIf(c.unit)),
	}
	if c.tT {
		sizes["A_ROW"], sizes["A_COLUMN"] = 1, int64(c.lda)
	}
	for i := range prog.Args {
		if prog.Args[i].Kind == codegen.ArgScalar {
			prog.Args[i].Scalar = T(triangleAlpha)
		}
	}
	a, b := engine.Operand{DType: dt, Len: int64(len(c.a))}, engine.Operand{DType: dt, Len: int64(len(c.b))}
	task := &engine.Task{Kind: engine.Custom, Ins: []engine.Operand{a, b}, Outs: []engine.Operand{b}, Alias: []int{1}}
	whole := &variant.Plan{Launches: []variant.Launch{{Program: prog, Kernel: "triangle", Global: p.Global, Local: [3]int{1, 1, 1}, Sizes: sizes}}}
	got := k.run(t, task, whole, [][]byte{cl.Bytes(c.a), cl.Bytes(c.b)}, lead, 0)
	k.clean(t)
	c.check(t, unsafe.Slice((*T)(unsafe.Pointer(&got[0][0])), len(c.b)))
}
