package ops

import (
	"bytes"
	"fmt"
	"math"
	"reflect"

	"github.com/anycl/anycl/tensor"
)

// NodeOrNumber is an operand of an element-wise op: a node, or a Go number, which stands for a scalar of the dtype
// that the other operands have:
//
//	y := ops.Add(ops.Mul(x, 0.5), 1)
//
// A number never changes the dtype of the result. Errors: no operand is a node; the number is not one of that dtype, as 0.5
// is not an int32, -1 not a uint8, 1 not a bool, and a complex number only one of a complex dtype. Floats are rounded to the dtype;
// beyond its largest they are infinite.
type NodeOrNumber interface {
	*Node | ~bool | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// applyNumbers is apply for operands, each a node or a number, of one dtype.
func applyNumbers(name string, attr any, operands ...any) *Node {
	return apply(name, attr, nodesOf(name, nil, operands...)...)
}

// nodesOf makes nodes of operands, each a node or a number. Numbers have the dtype of like, or of the first node where
// like is nil.
func nodesOf(name string, like *Node, operands ...any) []*Node {
	nodes := make([]*Node, len(operands))
	for i, v := range operands {
		if n, ok := v.(*Node); ok {
			if nodes[i] = n; like == nil {
				like = n
			}
		}
	}
	for i, v := range operands {
		if _, ok := v.(*Node); !ok {
			nodes[i] = numberLike(name, like, v)
		}
	}
	return nodes
}

// numberLike is the number v as a scalar of the dtype of like.
func numberLike(name string, like *Node, v any) *Node {
	switch {
	case like == nil:
		return (*Graph)(nil).fail(name, nil, fmt.Errorf("no operand is a node that gives the number %v its dtype", v))
	case like.bad:
		return like
	}
	if d, open := like.graph.openNumber(v); open {
		return like.graph.sizeNode(like.dtype, d)
	}
	t, err := numberAs(v, like.dtype)
	if err != nil {
		return like.graph.fail(name, []*Node{like}, err)
	}
	return like.graph.Const(t)
}

// numberAs is the number v as a scalar tensor. Errors: v is not one of dt.
func numberAs(v any, dt tensor.DType) (*tensor.Tensor, error) {
	refuse := func(what string) (*tensor.Tensor, error) {
		return nil, fmt.Errorf("the number %v is not %s %v", v, what, dt)
	}
	r := reflect.ValueOf(v)
	if (r.Kind() == reflect.Bool) != (dt == tensor.Bool) {
		return refuse("a")
	}
	var t *tensor.Tensor
	switch f := 0.0; {
	case r.Kind() == reflect.Bool:
		return tensor.Scalar(r.Bool()), nil
	case r.CanInt():
		t = tensor.Scalar(r.Int())
	case r.CanUint():
		t = tensor.Scalar(r.Uint())
	case r.CanComplex() && dt.IsComplex():
		return tensor.Cast(tensor.Scalar(r.Complex()), dt)
	case r.CanComplex():
		return refuse("a real number, as of")
	case hasDerivative(dt):
		return tensor.Cast(tensor.Scalar(r.Float()), dt)
	default:
		switch f = r.Float(); {
		case f != math.Trunc(f): // NaN too
			return refuse("a whole number for")
		case f >= 1<<64 || f < -1<<63:
			return refuse("within the range of")
		case f >= 1<<63:
			t = tensor.Scalar(uint64(f))
		default:
			t = tensor.Scalar(int64(f))
		}
	}
	c, err := tensor.Cast(t, dt)
	if err != nil || hasDerivative(dt) {
		return c, err
	}
	back, err := tensor.Cast(c, t.DType()) // a cast of a value that does not fit wraps
	if err == nil && (!sameScalar(back, t) || (c.Float64At(0) < 0) != (t.Float64At(0) < 0)) {
		return refuse("within the range of")
	}
	return c, err
}

// sameScalar reports whether two scalars of one dtype have the same bits.
func sameScalar(a, b *tensor.Tensor) bool {
	x, _ := a.Bytes()
	y, _ := b.Bytes()
	return bytes.Equal(x, y)
}
