package fft

import (
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// A row of 2h real numbers is, as it lies in memory, one of h complex numbers, and half of its transform follows from theirs.
// Source: Sorensen, Jones, Heideman and Burrus, Real-Valued Fast Fourier Transform Algorithms (1987).

// unpacked is half the transform of real numbers, [..., n/2 + 1, 2], from z, [..., n], the transform of their pairs of neighbours taken as
// complex numbers. With conjugate, it is the transform of the other sign; z is not.
func unpacked(z *ops.Node, conjugate bool) *ops.Node {
	return ops.Apply("fft.unpack", dftAttr{conjugate}, z, halfRoots(z, z.Dim(-1)/2))
}

// packedHalf inverts unpacked: it is the transform of pairs of neighbours, [..., n], from half the transform of the real numbers, y,
// [..., n/2 + 1, 2].
func packedHalf(y *ops.Node, conjugate bool) *ops.Node {
	return ops.Apply("fft.pack", dftAttr{conjugate}, y, halfRoots(y, y.Dim(-2)-1))
}

// halfRoots are the real parts of exp(-πi k/h), and the imaginary ones.
func halfRoots(like *ops.Node, h int) *ops.Node {
	table := make([]float64, 2*(h+1))
	for k := range h + 1 {
		w := root(k, 2*h)
		table[k], table[h+1+k] = real(w), imag(w)
	}
	return constant(like, table, 2, h+1)
}

func defineHalf(name, entry string, pack bool) {
	ops.MustDefine(ops.Op{
		Name: name, Hidden: true, DTypes: dtypes.Wide, Attributes: ops.AttributesOf[dftAttr](),
		Operands: []ops.Operand{{Name: "x"}, {Name: "roots"}},
		NoGrad:   "fft.RFFT has it",
		Result: func(c *ops.Call) ([]int, tensor.DType, error) {
			s, n := c.Shape(0), 2*(c.Shape(1)[1]-1)
			last := len(s) - 1
			if pack {
				return append(s[:last-1], n), c.DType(0), nil
			}
			return append(s[:last], n/2+1, 2), c.DType(0), nil
		},
		Kernel: func(c *ops.Call) ops.KernelOptions {
			h, conjugate := c.Shape(1)[1]-1, c.Attr.(dftAttr).Conjugate
			rows := ir.Product(c.Shape(0)) / (2 * h)
			if pack {
				rows = ir.Product(c.Shape(0)) / (2 * (h + 1))
			}
			width, flag := h+1, int32(0)
			if pack {
				width = h
			}
			if conjugate {
				flag = 1
			}
			k := rowsOf(c.DType(0), entry, width, rows, min(h/256, stepItems))
			k.Args = []any{int32(rows), int32(h), flag, int32(k.CPU.Global[0])}
			k.Host = func(outs, ins []*tensor.Tensor) error {
				if outs[0].DType() == tensor.Float64 {
					halfHost[float64](rows, h, conjugate, pack, outs[0], ins)
				} else {
					halfHost[float32](rows, h, conjugate, pack, outs[0], ins)
				}
				return nil
			}
			return k
		},
	})
}

func init() {
	defineHalf("fft.unpack", "unpack", false)
	defineHalf("fft.pack", "pack", true)
}
