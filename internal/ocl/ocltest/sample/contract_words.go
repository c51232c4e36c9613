package sample

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

func init() {
	// The instructions of x86 CPUs, with the same signs, on any device.
	unit := contract.DotUnits["any"]
	unit.Mixed = true
	contract.DotUnits["any mixed"] = unit
}

// WithDot is d with a way to sum products of bytes.
func WithDot(d *facts.Device, dot string) *facts.Device {
	d.DotUnit = dot
	return d
}

// Bytes is the product of bytes in 32 bits: batch x m x n x k, laid out as those of Matmul.
func Bytes(a, b tensor.DType, batch, m, n, k int, ta, tb bool) *engine.Task {
	t := Matmul(tensor.Int32, batch, m, n, k, ta, tb)
	for i, dt := range []tensor.DType{a, b} {
		t.Ins[i].DType = dt
	}
	t.A = engine.Apply(Cast, tensor.Int32, engine.Load(0, a, t.A.Addr, nil))
	t.B = engine.Apply(Cast, tensor.Int32, engine.Load(1, b, t.B.Addr, nil))
	return t
}

// ByteInputs are operands of all values, in which runs of the largest and smallest stand.
func ByteInputs(t *engine.Task) [][]byte {
	r := rand.New(rand.NewPCG(5, uint64(t.Axes.Size())))
	var ins [][]byte
	for _, o := range t.Ins {
		b := make([]byte, o.Bytes())
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		for i := 0; i+40 < len(b); i += 100 {
			for j := range 40 {
				b[i+j] = 0x80
			}
		}
		ins = append(ins, b)
	}
	return ins
}

// ExactProduct is the result of Bytes for operands ins, wrapped once at the end.
func ExactProduct(t *engine.Task, ins [][]byte) []byte {
	value := func(i int, e *engine.Expr, at []int64) int64 {
		addr := e.Args[0].Addr
		coef, _ := addr.Affine(len(at))
		p := addr.Const
		for a, c := range coef {
			p += c * at[a]
		}
		if t.Ins[i].DType == tensor.Int8 {
			return int64(int8(ins[i][p]))
		}
		return int64(ins[i][p])
	}
	var out []byte
	d := t.Axes
	for b := range int64(d[0]) {
		for m := range int64(d[1]) {
			for n := range int64(d[2]) {
				var sum int64
				for k := range int64(d[3]) {
					at := []int64{b, m, n, k}
					sum += value(0, t.A, at) * value(1, t.B, at)
				}
				out = binary.LittleEndian.AppendUint32(out, uint32(sum))
			}
		}
	}
	return out
}
