package sparse

import (
	_ "embed" // for sliced.cl
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed sliced.cl
var slicedSource string

const (
	slice     = 32      // rows of a slice: a wavefront of many GPUs, vectors of all CPUs
	window    = 1 << 12 // rows among which those of like length may go to one slice
	mostSpare = 0.25    // places without an element, as a share of elements, up to which slices pay
	fewRows   = 256     // below this rows stay compressed
	part      = 8       // slices whose part of a product of vectors is one number, PART in sliced.cl
	partRows  = part * slice
)

// layout is a matrix in slices of rows side by side, as sliced.cl has it.
type layout struct {
	ptr, full, lead, col []int32
	at                   []int32 // the element at each place, -1 for none
	row                  []int32 // where each row goes; nil: rows are in order
}

// sliced is the layout of p in slices, nil where that would waste too much.
func (p *Pattern) sliced() *layout {
	if p.rows < fewRows || p.Count() == 0 {
		return nil
	}
	order := make([]int32, p.rows)
	for r := range order {
		order[r] = int32(r)
	}
	l := new(layout)
	if p.places(order) > p.Count()+p.Count()/32 {
		for from := 0; from < p.rows; from += window {
			slices.SortStableFunc(order[from:min(from+window, p.rows)], func(a, b int32) int {
				return int(p.ptr[b+1] - p.ptr[b] - p.ptr[a+1] + p.ptr[a])
			})
		}
		l.row = order
	}
	if n := p.places(order); float64(n) > (1+mostSpare)*float64(p.Count()) || n > 1<<31-slice-1 {
		return nil
	}
	for from := 0; from < p.rows; from += slice {
		rows := order[from:min(from+slice, p.rows)]
		first, least, most := len(l.col), int32(1<<31-1), int32(0)
		for _, r := range rows {
			n := p.ptr[r+1] - p.ptr[r]
			least, most = min(least, n), max(most, n)
		}
		if len(rows) < slice {
			least = 0
		}
		l.ptr, l.full = append(l.ptr, int32(first)), append(l.full, int32(first)+least*slice)
		n := first + int(most)*slice
		l.col, l.at = slices.Grow(l.col, n-first)[:n], slices.Grow(l.at, n-first)[:n]
		for i := first; i < n; i++ {
			l.col[i], l.at[i] = -1, -1
		}
		for lane, r := range rows {
			for k := range int(p.ptr[r+1] - p.ptr[r]) {
				i, e := first+k*slice+lane, p.ptr[r]+int32(k)
				l.col[i], l.at[i] = p.col[e], e
			}
		}
	}
	l.ptr = append(l.ptr, int32(len(l.col)))
	for i := 0; i < len(l.col); i += slice {
		l.lead = append(l.lead, leading(l.col[i:][:slice]))
	}
	return l
}

// leading is the first of columns that follow each other, -1 where they do not.
func leading(columns []int32) int32 {
	for i, c := range columns {
		if c < 0 || c != columns[0]+int32(i) {
			return -1
		}
	}
	return columns[0]
}

// places is how many places slices of the rows in this order have.
func (p *Pattern) places(order []int32) (n int) {
	for from := 0; from < len(order); from += slice {
		most := int32(0)
		for _, r := range order[from:min(from+slice, len(order))] {
			most = max(most, p.ptr[r+1]-p.ptr[r])
		}
		n += int(most) * slice
	}
	return n
}

// multiply adds the product with a vector x to the graph.
func (l *layout) multiply(p *Pattern, values, x *ops.Node) *ops.Node {
	g := x.Graph()
	in := []*ops.Node{p.constant(g, l.ptr), p.constant(g, l.full), p.constant(g, l.lead), p.constant(g, l.col)}
	in = append(in, ops.Apply("sparse.kept", nil, ops.Gather(values, 0, p.constant(g, l.at))), x)
	if l.row != nil {
		in = append(in, p.constant(g, l.row))
	}
	return ops.Apply(slicedProduct.Name, slicedAttr{p.rows}, in...)
}

// sparse.kept is its operand in memory of its own: values are laid out anew once for all runs where they do not change.
var _ = ops.MustDefine(ops.Op{
	Name: "sparse.kept", Hidden: true, DTypes: dtypes.Wide, Operands: []ops.Operand{{Name: "values"}},
	Result: ops.SameResult, Traits: ops.TraitMaterialize | ops.TraitRepeats,
	View: func(_ ops.Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		return at, nil
	},
	Grad: func(b *ops.Back) { b.Add(0, b.Grad()) },
})

type slicedAttr struct {
	Rows int `doc:"of the matrix"`
}

var operandsSliced = []ops.Operand{
	{Name: "ptr", DTypes: ints32}, {Name: "full", DTypes: ints32}, {Name: "lead", DTypes: ints32}, {Name: "col", DTypes: ints32},
	{Name: "values"}, {Name: "x"},
	{Name: "row", DTypes: ints32, Optional: true},
}

var slicedProduct = ops.MustDefine(ops.Op{
	Name: "sparse.multiply_sliced", Hidden: true, DTypes: dtypes.Wide, Attributes: ops.AttributesOf[slicedAttr](), Operands: operandsSliced,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		return []int{c.Attr.(slicedAttr).Rows}, c.DType(5), nil
	},
	NoGrad: "sparse.Mul has it",
	Kernel: func(c *ops.Call) ops.KernelOptions { return slicedKernel(c, false) },
})

// The product of a square matrix with x, and parts of its product with x, which are to be added up: each element of the result is
// multiplied where it is computed, so that neither vector is read again.
var slicedProductDot = ops.MustDefine(ops.Op{
	Name: "sparse.multiply_sliced_dot", Hidden: true, DTypes: dtypes.Wide, Attributes: ops.AttributesOf[slicedAttr](),
	Operands: operandsSliced,
	Results: func(c *ops.Call) ([]ops.Result, error) {
		rows, dt := c.Attr.(slicedAttr).Rows, c.DType(5)
		return []ops.Result{{DType: dt, Shape: []int{rows}}, {DType: dt, Shape: []int{(rows + partRows - 1) / partRows}}}, nil
	},
	ResultNames: []string{"y", "parts"},
	NoGrad:      "solvers have none",
	Kernel:      func(c *ops.Call) ops.KernelOptions { return slicedKernel(c, true) },
})

// withDot is y = a·x, of an operator, and x·y, computed by one kernel where the operator is the product with a matrix in slices.
func withDot(y, x *ops.Node) (same, xy *ops.Node) {
	product := computedBy(y)
	if failed(product) || product.Op() != slicedProduct || product.Operands()[5] != x || y.Dim(0) != x.Dim(0) {
		return y, dot(x, y)
	}
	r := ops.ApplyAll(slicedProductDot.Name, product.Attr(), product.Operands()...)
	return r[0], ops.Sum(r[1])
}

// computedBy is the node of a primitive op that computes y, down through what others, such as custom gradients, are composed of.
func computedBy(y *ops.Node) *ops.Node {
	for !failed(y) {
		of, i := y, 0
		if p, ok := y.Attr().(ir.PickAttr); ok {
			of, i = y.Operands()[0], p.I
		}
		parts := of.Parts()
		if parts == nil {
			return y
		}
		y = parts[i]
	}
	return y
}

func slicedKernel(c *ops.Call, dot bool) ops.KernelOptions {
	rows, count := c.Attr.(slicedAttr).Rows, c.Shape(1)[0]
	name, lanes := "float", 16
	if c.DType(5) == tensor.Float64 {
		name, lanes = "double", 8
	}
	options := typed(c.DType(5))
	if len(c.In) > 6 {
		options += " -DSORTED"
	}
	each := max(1, min(256, 1<<14/(1+c.Shape(3)[0]/count)))
	o := ops.KernelOptions{
		Infallible: true, // the pattern is a constant that was looked at
		Source:     slicedSource, Entry: "sliced_rows", Global: [3]int{rows},
		Host: func(outs, ins []*tensor.Tensor) error {
			if outs[0].DType() == tensor.Float64 {
				multiplySlices[float64](outs, ins)
			} else {
				multiplySlices[float32](outs, ins)
			}
			return nil
		},
	}
	if dot {
		options += " -DDOT"
		each = (each + part - 1) / part * part
		o.Global, o.Local = [3]int{(rows + partRows - 1) / partRows * partRows}, [3]int{partRows}
	}
	o.Options, o.Args = options, []any{int32(rows), int32(count), int32(each)}
	o.CPU = &ops.KernelForm{
		Entry: "sliced_vectors", Global: [3]int{(count + each - 1) / each}, Local: [3]int{1},
		Options: fmt.Sprintf("%s -DLANES=%d -DV=%s%d", options, lanes, name, lanes),
	}
	return o
}

// multiplySlices computes the product and, where there is a second result, parts of its product with x.
func multiplySlices[T interface {
	Number
	tensor.Elem
}](outs, ins []*tensor.Tensor) {
	ptr, full := elements[int32](ins[0]), elements[int32](ins[1])
	lead, col := elements[int32](ins[2]), elements[int32](ins[3])
	value, x, y := elements[T](ins[4]), elements[T](ins[5]), elements[T](outs[0])
	var dots []T
	if len(outs) > 1 {
		dots = elements[T](outs[1])
	}
	var row []int32
	if len(ins) > 6 {
		row = elements[int32](ins[6])
	}
	each := max(1, 1<<13/(1+len(value)/len(full)))
	each = (each + part - 1) / part * part
	inParallel((len(full)+each-1)/each, func(next func() (int, bool)) {
		for p, ok := next(); ok; p, ok = next() {
			for s := p * each; s < min(len(full), (p+1)*each); s++ {
				var sums [slice]T
				i := int(ptr[s])
				for ; i < int(full[s]); i += slice {
					v := (*[slice]T)(value[i:])
					if begin := lead[i/slice]; begin >= 0 {
						for l, e := range (*[slice]T)(x[begin:]) {
							sums[l] += v[l] * e
						}
						continue
					}
					c := (*[slice]int32)(col[i:])
					for l := range sums {
						sums[l] += v[l] * x[c[l]]
					}
				}
				for ; i < int(ptr[s+1]); i++ {
					if c := col[i]; c >= 0 {
						sums[i%slice] += value[i] * x[c]
					}
				}
				end := min(len(y)-s*slice, slice)
				if row == nil {
					copy(y[s*slice:], sums[:end])
				} else {
					for l, r := range row[s*slice : s*slice+end] {
						y[r] = sums[l]
					}
				}
				if dots == nil {
					continue
				}
				if s%part == 0 {
					dots[s/part] = 0
				}
				if row == nil {
					for l, v := range x[s*slice : s*slice+end] {
						sums[l] *= v
					}
				} else {
					for l, r := range row[s*slice : s*slice+end] {
						sums[l] *= x[r]
					}
				}
				for w := slice / 2; w > 0; w /= 2 { // lanes without a row are 0
					for l := range w {
						sums[l] += sums[l+w]
					}
				}
				dots[s/part] += sums[0]
			}
		}
	})
}
