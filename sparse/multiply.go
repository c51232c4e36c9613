package sparse

import (
	_ "embed" // for multiply.cl
	"fmt"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed multiply.cl
var multiplySource string

var ints32 = []tensor.DType{tensor.Int32}

// The operands of products: the parts of a matrix in compressed rows, and x.
var operandsMultiply = []ops.Operand{{Name: "ptr", DTypes: ints32}, {Name: "col", DTypes: ints32}, {Name: "values"}, {Name: "x"}}

// Multiply returns the product of a matrix in compressed rows with x, of its parts as nodes, for programs that make
// these in the graph; others use [Mul], which knows more of the matrix:
//
//	y[r, j] = Σ_{i = ptr[r]}^{ptr[r+1]-1} values[i] · x[col[i], j]
//
// ptr is int32 [rows + 1], col int32 [n], values [n] and x [cols] or [cols, k], float32 or float64; the result is [rows] or [rows, k].
// ptr must begin with 0, ascend, and end with n. A column that x does not have adds nothing.
// Gradients flow to values and x; that of x adds at columns, which on GPUs is good for thousands of elements.
// Errors: dtypes; shapes; 2^31 - 1 rows, columns or elements, or more.
func Multiply(ptr, col, values, x *ops.Node) *ops.Node {
	return ops.Apply("sparse.multiply", nil, ptr, col, values, x)
}

// multiplyResult is the rule for the result of a product.
func multiplyResult(c *ops.Call) ([]int, tensor.DType, error) {
	ptr, col, values, x := c.Shape(0), c.Shape(1), c.Shape(2), c.Shape(3)
	switch {
	case len(ptr) != 1 || ptr[0] < 1:
		return nil, 0, fmt.Errorf("ptr is %v, not [rows + 1]", ptr)
	case len(col) != 1 || len(values) != 1 || col[0] != values[0]:
		return nil, 0, fmt.Errorf("col is %v and values %v, not of one length", col, values)
	case len(x) != 1 && len(x) != 2:
		return nil, 0, fmt.Errorf("x is %v, not [cols] or [cols, k]", x)
	case checkExtents(ptr[0]-1, x[0], col[0]) != nil:
		return nil, 0, errTooLarge
	}
	x[0] = ptr[0] - 1
	return x, c.DType(3), nil
}

var _ = ops.MustDefine(ops.Op{
	Name: "sparse.multiply", Category: "sparse", Operands: operandsMultiply, DTypes: dtypes.Wide,
	Result: multiplyResult, Kernel: multiplyKernel,
	Grad: func(b *ops.Back) {
		ptr, col, values, x, g := b.In(0), b.In(1), b.In(2), b.In(3), b.Grad()
		rows := ops.Apply("sparse.rows", rowsAttr{col.Dim(0)}, ptr)
		b.Add(2, sampled(rows, col, g, x))
		at := ops.Gather(g, 0, rows)
		if x.Rank() == 2 {
			values = ops.ExpandDims(values, 1)
		}
		b.Add(3, ops.ScatterAdd(ops.ZerosLike(x), 0, col, ops.Mul(values, at)))
	},
})

// sampled are the elements (rows[i], cols[i]) of a · bᵀ, for vectors or matrices a and b.
func sampled(rows, cols, a, b *ops.Node) *ops.Node {
	p := ops.Mul(ops.Gather(a, 0, rows), ops.Gather(b, 0, cols))
	if p.Rank() == 2 {
		p = ops.Sum(p, 1)
	}
	return p
}

// The product of a matrix whose rows differ in length, with parts of equal work, which end with the last row, as a further operand.
var _ = ops.MustDefine(ops.Op{
	Name: "sparse.multiply_parts", Hidden: true, DTypes: dtypes.Wide,
	Operands: append(operandsMultiply[:4:4], ops.Operand{Name: "parts", DTypes: ints32}),
	Result:   multiplyResult, Kernel: multiplyKernel,
	NoGrad: "sparse.Mul has it",
})

// typed are the compiler's options for a dtype.
func typed(dt tensor.DType) string {
	if dt == tensor.Float64 {
		return "-DT=double -DT16=double16 -DDOUBLE"
	}
	return "-DT=float -DT16=float16"
}

func multiplyKernel(c *ops.Call) ops.KernelOptions {
	rows, nnz, x := c.Shape(0)[0]-1, c.Shape(1)[0], c.Shape(3)
	k := 1
	if len(x) == 2 {
		k = x[1]
	}
	// On a CPU an item has work enough to be worth a launch, and there are several items for each core.
	each := max(1, min(1<<14/(1+nnz*k/max(rows, 1)), rows/64))
	o := ops.KernelOptions{
		Source: multiplySource, Entry: "multiply_each", Options: typed(c.DType(3)),
		Args:   []any{int32(rows), int32(x[0]), int32(nnz), int32(k), int32(each)},
		Global: [3]int{rows * k},
		CPU:    &ops.KernelForm{Entry: "multiply_wide", Local: [3]int{1}},
		Host:   multiplyHost,
	}
	o.CPU.Options = o.Options + " -DCPU"
	o.CPU.Global = [3]int{(rows + each - 1) / each}
	if len(c.In) > 4 {
		o.Options += " -DPARTS"
		o.CPU.Options += " -DPARTS"
		o.CPU.Global = [3]int{c.Shape(4)[0] - 1}
	}
	lanes := 1
	if k == 1 { // about two elements for each lane
		o.CPU.Entry = "multiply_rows"
		o.Entry, o.Local = "multiply_lanes", [3]int{256}
		for lanes < 32 && 4*lanes*rows < 2*nnz {
			lanes *= 2
		}
		o.Global = [3]int{(rows*lanes + 255) / 256 * 256}
	}
	o.Options += fmt.Sprintf(" -DLANES=%d", lanes)
	return o
}

func multiplyHost(outs, ins []*tensor.Tensor) error {
	cols := 1
	if x := ins[3]; x.Rank() == 2 {
		cols = x.Shape()[1]
	}
	ptr, col := elements[int32](ins[0]), elements[int32](ins[1])
	if outs[0].DType() == tensor.Float64 {
		multiplyRows(ptr, col, elements[float64](ins[2]), elements[float64](ins[3]), elements[float64](outs[0]), cols)
	} else {
		multiplyRows(ptr, col, elements[float32](ins[2]), elements[float32](ins[3]), elements[float32](outs[0]), cols)
	}
	return nil
}

// elements are the elements of t, a buffer of a kernel, which has this dtype.
func elements[T tensor.Elem](t *tensor.Tensor) []T {
	all, err := tensor.ToSlice[T](t)
	if err != nil {
		panic(err) // the caller has looked
	}
	return all
}

// rowsAttr is how many elements there are.
type rowsAttr struct {
	Count int `doc:"of elements"`
}

const rowsSource = `// The row of each element of a matrix in compressed rows: the last one that begins at or before it.
kernel void rows_of(global const int *ptr, global int *row, const int rows, const int count, const int each) {
    const int first = get_global_id(0) * each, end = first + min(each, count - first);
    int r = 0, after = rows; // in r ... after-1
    while (after - r > 1) {
        const int m = r + (after - r) / 2;
        if (ptr[m] <= first) r = m; else after = m;
    }
    for (int i = first; i < end; i++) {
        while (r + 1 < rows && ptr[r + 1] <= i) r++;
        row[i] = r;
    }
}`

var _ = ops.MustDefine(ops.Op{
	Name: "sparse.rows", Hidden: true, DTypes: ints32, Operands: operandsMultiply[:1],
	Attributes: ops.AttributesOf[rowsAttr](), Flat: true,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		n := c.Attr.(rowsAttr).Count
		if s := c.Shape(0); len(s) != 1 || s[0] < 1 || n < 0 || s[0] == 1 && n > 0 {
			return nil, 0, fmt.Errorf("%d elements in rows with the bounds %v", n, s)
		}
		return []int{n}, tensor.Int32, nil
	},
	Kernel: func(c *ops.Call) ops.KernelOptions {
		rows, count := c.Shape(0)[0]-1, c.Attr.(rowsAttr).Count
		const each = 64
		return ops.KernelOptions{
			Source: rowsSource, Entry: "rows_of", Args: []any{int32(rows), int32(count), int32(each)},
			Global: [3]int{(count + each - 1) / each},
			Host: func(outs, ins []*tensor.Tensor) error {
				ptr, row := elements[int32](ins[0]), elements[int32](outs[0])
				r := int32(0)
				for i := range row {
					for int(r)+1 < rows && ptr[r+1] <= int32(i) {
						r++
					}
					row[i] = r
				}
				return nil
			},
		}
	},
})
