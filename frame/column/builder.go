package column

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Builder makes a column value by value. Strings whose bytes exceed offsets of 32 bits make it a LargeString.
type Builder struct {
	typ   Type
	n     int
	data  []byte
	offs  []int64
	bits  []byte // values of Bool
	valid []byte // nil until the first null
	nulls int
	codes map[string]int32 // of Dictionary
	dict  *Builder
}

// NewBuilder returns a builder with room for n values.
func NewBuilder(t Type, n int) *Builder {
	b := &Builder{typ: t}
	switch t.Kind {
	case Bool:
		b.bits = make([]byte, 0, (n+7)/8)
	case String, LargeString:
		b.offs = append(make([]int64, 0, n+1), 0)
	case Dictionary:
		b.codes, b.dict = map[string]int32{}, NewBuilder(String.Of(), 0)
		fallthrough
	default:
		b.data = make([]byte, 0, n*t.Width())
	}
	return b
}

// Len returns how many values were appended.
func (b *Builder) Len() int { return b.n }

func (b *Builder) next() {
	if b.valid != nil {
		setBit(&b.valid, b.n, true)
	}
	b.n++
}

func setBit(bits *[]byte, i int, v bool) {
	if i>>3 >= len(*bits) {
		*bits = append(*bits, 0)
	}
	if v {
		(*bits)[i>>3] |= 1 << (i & 7)
	}
}

// Null appends a null.
func (b *Builder) Null() {
	if b.valid == nil {
		b.valid = make([]byte, (b.n+7)/8, cap(b.bits)+b.n/8+8)
		for i := range b.n {
			b.valid[i>>3] |= 1 << (i & 7)
		}
	}
	setBit(&b.valid, b.n, false)
	switch b.typ.Kind {
	case Bool:
		setBit(&b.bits, b.n, false)
	case String, LargeString:
		b.offs = append(b.offs, int64(len(b.data)))
	default:
		b.data = append(b.data, make([]byte, b.typ.Width())...)
	}
	b.n++
	b.nulls++
}

// Bool appends a value of a bool column.
func (b *Builder) Bool(v bool) {
	setBit(&b.bits, b.n, v)
	b.next()
}

// Text appends a string.
func (b *Builder) Text(s string) {
	if b.dict != nil {
		code, ok := b.codes[s]
		if !ok {
			code = int32(b.dict.n)
			b.dict.Text(s)
			b.codes[s] = code
		}
		b.data = binary.NativeEndian.AppendUint32(b.data, uint32(code))
	} else {
		b.data = append(b.data, s...)
		b.offs = append(b.offs, int64(len(b.data)))
	}
	b.next()
}

// Int appends an integer, date, timestamp or duration: its low bits, for narrow types; or the number as a float or decimal's unscaled
// integer.
func (b *Builder) Int(v int64) {
	switch b.typ.Kind {
	case Float32:
		b.data = binary.NativeEndian.AppendUint32(b.data, math.Float32bits(float32(v)))
	case Float64:
		b.data = binary.NativeEndian.AppendUint64(b.data, math.Float64bits(float64(v)))
	case Decimal128:
		b.data = binary.NativeEndian.AppendUint64(b.data, uint64(v))
		b.data = binary.NativeEndian.AppendUint64(b.data, uint64(v>>63))
	default:
		switch b.typ.Width() {
		case 1:
			b.data = append(b.data, byte(v))
		case 2:
			b.data = binary.NativeEndian.AppendUint16(b.data, uint16(v))
		case 4:
			b.data = binary.NativeEndian.AppendUint32(b.data, uint32(v))
		default:
			b.data = binary.NativeEndian.AppendUint64(b.data, uint64(v))
		}
	}
	b.next()
}

// Float appends a number to a float column.
func (b *Builder) Float(v float64) {
	if b.typ.Kind == Float32 {
		b.data = binary.NativeEndian.AppendUint32(b.data, math.Float32bits(float32(v)))
	} else {
		b.data = binary.NativeEndian.AppendUint64(b.data, math.Float64bits(v))
	}
	b.next()
}

// Decimal appends a value to a decimal column.
func (b *Builder) Decimal(v Decimal) {
	b.data = binary.NativeEndian.AppendUint64(b.data, v.Lo)
	b.data = binary.NativeEndian.AppendUint64(b.data, uint64(v.Hi))
	b.next()
}

// Append appends value i of c, a column of the builder's type or, for strings, of any layout. It panics for another type.
func (b *Builder) Append(c *Column, i int) {
	switch {
	case c.IsNull(i):
		b.Null()
	case b.typ.IsString() && c.typ.IsString():
		b.Text(c.Text(i))
	case b.typ != c.typ:
		panic(fmt.Sprintf("column: a value of %s appended to %s", c.typ, b.typ))
	case b.typ.Kind == Bool:
		b.Bool(c.bits.Get(i))
	default:
		w := b.typ.Width()
		b.data = append(b.data, c.data[i*w:(i+1)*w]...)
		b.next()
	}
}

// Finish returns the column and leaves the builder empty.
func (b *Builder) Finish() *Column {
	c := &Column{typ: b.typ, n: b.n}
	switch b.typ.Kind {
	case Bool:
		c.bits = Bitmap{bits: nonNil(b.bits), n: b.n}
	case String, LargeString:
		c.text = b.data
		if len(b.data) > maxText32 || b.typ.Kind == LargeString {
			c.typ, c.offs64 = LargeString.Of(), b.offs
			break
		}
		c.offs32 = alloc[int32](len(b.offs))
		for i, o := range b.offs {
			c.offs32[i] = int32(o)
		}
	case Dictionary:
		c.dict = b.dict.Finish()
		fallthrough
	default:
		c.data = bytesOf(alloc[uint64]((len(b.data) + 7) / 8))[:len(b.data)]
		copy(c.data, b.data)
	}
	if b.valid != nil {
		c.valid, c.nulls = Bitmap{bits: b.valid, n: b.n}, b.nulls
	}
	*b = *NewBuilder(b.typ, 0)
	return c
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
