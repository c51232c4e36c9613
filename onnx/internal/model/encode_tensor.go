package model

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// kinds are the fields of a TypeProto for types other than tensors.
var kinds = map[string]int{"sequence": 4, "map": 5, "sparse tensor": 8, "optional": 9}

func (b *buffer) value(v *Value) {
	b.text(1, v.Name)
	if v.Kind == "" {
		return
	}
	b.message(2, func(b *buffer) {
		if num := kinds[v.Kind]; num != 0 {
			b.bytes(num, nil)
			return
		}
		b.message(1, func(b *buffer) {
			b.int(1, int64(v.Type))
			if v.Dims == nil {
				return
			}
			b.message(2, func(b *buffer) {
				for _, d := range v.Dims {
					b.message(1, func(b *buffer) {
						if d.Size >= 0 {
							b.tag(1, 0)
							*b = binary.AppendUvarint(*b, uint64(d.Size))
						}
						b.text(2, d.Name)
					})
				}
			})
		})
	})
}

func (b *buffer) tensor(t *Tensor) {
	packed(b, 1, t.Dims)
	b.int(2, int64(t.Type))
	b.floats(4, t.Floats)
	packed(b, 5, t.Int32s)
	for _, s := range t.Strings {
		b.bytes(6, s)
	}
	packed(b, 7, t.Int64s)
	b.text(8, t.Name)
	if t.HasRaw {
		b.bytes(9, t.Raw)
	}
	var doubles buffer
	for _, v := range t.Doubles {
		doubles = binary.LittleEndian.AppendUint64(doubles, math.Float64bits(v))
	}
	if len(doubles) > 0 {
		b.bytes(10, doubles)
	}
	packed(b, 11, t.Uint64s)
	if t.External != nil {
		b.entries(13, t.External)
		b.int(14, 1)
	}
}

// FromTensor is t with a name, its data raw.
func FromTensor(name string, t *tensor.Tensor) (*Tensor, error) {
	x := &Tensor{Name: name, Type: TypeOf(t.DType()), HasRaw: true}
	if x.Type == 0 {
		return nil, fmt.Errorf("tensor %q: ONNX has no element type for %v", name, t.DType())
	}
	for _, d := range t.Shape() {
		x.Dims = append(x.Dims, int64(d))
	}
	x.Raw, _ = t.Contiguous().Bytes()
	return x, nil
}
