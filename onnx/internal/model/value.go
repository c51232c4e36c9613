package model

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

func decodeValue(m *message) (*Value, error) {
	v := &Value{}
	return v, m.fields("value", func(f field) error {
		switch f.num {
		case 1:
			return f.text(&v.Name)
		case 2:
			m, err := f.sub()
			if err != nil {
				return err
			}
			return m.fields("type", func(f field) error {
				switch f.num {
				case 1:
					v.Kind = "tensor"
					m, err := f.sub()
					if err != nil {
						return err
					}
					return v.tensorType(m)
				case 4:
					v.Kind = "sequence"
				case 5:
					v.Kind = "map"
				case 8:
					v.Kind = "sparse tensor"
				case 9:
					v.Kind = "optional"
				}
				return nil
			})
		}
		return nil
	})
}

func (v *Value) tensorType(m *message) error {
	return m.fields("tensor type", func(f field) error {
		switch f.num {
		case 1:
			var t int64
			err := f.int(&t)
			v.Type = DataType(t)
			return err
		case 2:
			v.Dims = []Dim{}
			m, err := f.sub()
			if err != nil {
				return err
			}
			return m.fields("shape", func(f field) error {
				if f.num != 1 {
					return nil
				}
				if len(v.Dims) == maxRank {
					return fmt.Errorf("more than %d axes", maxRank)
				}
				return messages(f, &v.Dims, decodeDim)
			})
		}
		return nil
	})
}

func decodeDim(m *message) (Dim, error) {
	d := Dim{Size: -1}
	err := m.fields("dim", func(f field) error {
		switch f.num {
		case 1:
			err := f.int(&d.Size)
			if err == nil && d.Size < 0 { // some exporters write an unknown extent so
				d.Size = -1
			}
			return err
		case 2:
			return f.text(&d.Name)
		}
		return nil
	})
	return d, err
}

// setRaw copies b.
func (t *Tensor) setRaw(b []byte) {
	t.HasRaw, t.Raw = true, tensor.AlignedBytes(len(b))
	copy(t.Raw, b)
}

func decodeTensor(m *message) (*Tensor, error) {
	t := &Tensor{}
	location := int64(0)
	var packed field // the only list of floats so far
	err := m.fields("tensor", func(f field) error {
		switch f.num {
		case 1:
			return varints(f, &t.Dims)
		case 2:
			var k int64
			err := f.int(&k)
			t.Type = DataType(k)
			return err
		case 3:
			return fmt.Errorf("%q is a segment of a tensor", t.Name)
		case 4:
			if f.wire == 2 && packed.b == nil && len(t.Floats) == 0 {
				packed = f
				return nil
			}
			if packed.b != nil {
				if err := fixed32(packed, &t.Floats); err != nil {
					return err
				}
				packed = field{}
			}
			return fixed32(f, &t.Floats)
		case 5:
			return varints(f, &t.Int32s)
		case 6:
			return f.blobs(&t.Strings)
		case 7:
			return varints(f, &t.Int64s)
		case 8:
			return f.text(&t.Name)
		case 9:
			t.setRaw(f.b)
			return f.expect(2)
		case 10:
			return fixed64(f, &t.Doubles)
		case 11:
			return varints(f, &t.Uint64s)
		case 13:
			if t.External == nil {
				t.External = map[string]string{}
			}
			return entry(f, t.External)
		case 14:
			return f.int(&location)
		}
		return nil
	})
	switch {
	case packed.b == nil || err != nil:
	case t.Type == Float32 && !t.HasRaw && len(packed.b)%4 == 0: // the bytes are those of raw data
		t.setRaw(packed.b)
	default:
		err = fixed32(packed, &t.Floats)
	}
	if location != 1 {
		t.External = nil
	} else if t.External == nil {
		t.External = map[string]string{}
	}
	if err == nil && len(t.Dims) > maxRank {
		err = fmt.Errorf("tensor %q has %d axes, more than %d", t.Name, len(t.Dims), maxRank)
	}
	return t, err
}
