package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// ProductOptions are the factors of a sum with a product. nil is both 1.
type ProductOptions struct {
	// Alpha multiplies the product, Beta the other term, which is not read where Beta is 0. For integers they are truncated.
	Alpha, Beta float64
}

type productAttr struct {
	Alpha float64 `default:"1" doc:"factor of the product"`
	Beta  float64 `default:"1" doc:"factor of the other term, which is not read where it is 0"`
}

func sumWithProduct(name string, o *ProductOptions, in ...*Node) *Node {
	a := productAttr{1, 1}
	if o != nil {
		a = productAttr(*o)
	}
	return apply(name, a, in...)
}

// Addmm returns x with a product of matrices added, in one task:
//
//	y = beta · x + alpha · a b
//
// a is [n, k], b [k, m], and x stretches to [n, m]. All have the same dtype, any number. Errors: dtypes; shapes.
func Addmm(x, a, b *Node, o *ProductOptions) *Node { return sumWithProduct("addmm", o, x, a, b) }

// Baddbmm is [Addmm] for each matrix of a batch: a is [batch, n, k], b [batch, k, m], and x stretches to [batch, n, m].
func Baddbmm(x, a, b *Node, o *ProductOptions) *Node { return sumWithProduct("baddbmm", o, x, a, b) }

// Addbmm is [Addmm] with the sum of the products of a batch: a is [batch, n, k], b [batch, k, m], and x stretches to [n, m].
func Addbmm(x, a, b *Node, o *ProductOptions) *Node { return sumWithProduct("addbmm", o, x, a, b) }

// Addmv is [Addmm] with the product of a matrix and a vector: a is [n, k], b [k], and x stretches to [n].
func Addmv(x, a, b *Node, o *ProductOptions) *Node { return sumWithProduct("addmv", o, x, a, b) }

// Addr is [Addmm] with the product of a column and a row: a is [n], b [m], and x stretches to [n, m].
func Addr(x, a, b *Node, o *ProductOptions) *Node { return sumWithProduct("addr", o, x, a, b) }

var (
	_ = defineProduct("addmm", 2, 2, MatMul)
	_ = defineProduct("baddbmm", 3, 3, MatMul)
	_ = defineProduct("addbmm", 3, 3, func(a, b *Node) *Node { // the batch is one more inner axis
		return contracted(a, b, []int{0, 2}, []int{0, 1})
	})
	_ = defineProduct("addmv", 2, 1, MatMul)
	_ = defineProduct("addr", 1, 1, Outer)
)

// defineProduct enters x plus a product of operands of these ranks.
func defineProduct(name string, a, b int, product func(a, b *Node) *Node) *Op {
	return define(Op{
		Name: name, Category: "linear algebra", Complex: composed,
		Attributes: AttributesOf[productAttr](),
		Operands:   []Operand{{Name: "x"}, {Name: "a"}, {Name: "b"}}, DTypes: numbers,
		Result: func(c *Call) ([]int, tensor.DType, error) {
			shape, err := productShape(name, c.shape(1), c.shape(2), a, b)
			if err != nil {
				return nil, 0, err
			}
			if full, err := tensor.Broadcast(c.shape(0), shape); err != nil || !slices.Equal(full, shape) {
				return nil, 0, fmt.Errorf("x is %v, which does not stretch to %v", c.shape(0), shape)
			}
			return shape, c.dt(0), nil
		},
		Compose: func(c *Call) *Node {
			p := c.Attr.(productAttr)
			y, x := product(c.In[1], c.In[2]), c.In[0]
			if p.Alpha != 1 {
				y = Mul(y, ScalarLike(y, p.Alpha))
			}
			if p.Beta == 0 {
				return y
			}
			if p.Beta != 1 {
				x = Mul(x, ScalarLike(x, p.Beta))
			}
			return Add(x, y)
		},
	})
}

// productShape is the shape of that product.
func productShape(name string, a, b []int, ranks ...int) ([]int, error) {
	if len(a) != ranks[0] || len(b) != ranks[1] {
		return nil, fmt.Errorf("a is %v and b %v, not of %d and %d axes", a, b, ranks[0], ranks[1])
	}
	if name == "addr" {
		return shapes.With(a, b...), nil
	}
	if len(a) == 3 && a[0] != b[0] {
		return nil, fmt.Errorf("batches differ: %v and %v", a, b)
	}
	k := b[0]
	if len(b) > 1 {
		k = b[len(b)-2]
	}
	if a[len(a)-1] != k {
		return nil, fmt.Errorf("inner sizes differ: %v x %v", a, b)
	}
	shape := slices.Clone(a[:len(a)-1])
	if name == "addbmm" {
		shape = shape[1:]
	}
	if len(b) > 1 {
		shape = append(shape, b[len(b)-1])
	}
	return shape, nil
}
