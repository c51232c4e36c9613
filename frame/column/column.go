package column

import (
	"fmt"
	"math"
	"unsafe"
)

// Column is a sequence of values of one type, any of which may be null.
type Column struct {
	typ    Type
	n      int
	valid  Bitmap // none: no nulls
	nulls  int
	bits   Bitmap // of Bool
	data   []byte // of fixed width, from value 0
	offs32 []int32
	offs64 []int64
	text   []byte
	dict   *Column
}

// Native lists the Go types of values of fixed width.
type Native interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | Decimal
}

// Decimal is the integer of a decimal128: its value times 10 to the power of the scale.
type Decimal struct {
	Lo uint64
	Hi int64
}

// Len returns the number of values.
func (c *Column) Len() int { return c.n }

// Type returns the type of the values.
func (c *Column) Type() Type { return c.typ }

// Nulls returns how many values are null.
func (c *Column) Nulls() int { return c.nulls }

// Validity returns the bitmap with a 1 for each value that is not null, none if nothing is null.
func (c *Column) Validity() Bitmap {
	if c.nulls == 0 {
		return Bitmap{}
	}
	return c.valid
}

// IsNull reports whether value i is null.
func (c *Column) IsNull(i int) bool { return c.nulls > 0 && !c.valid.Get(i) }

// Bits returns the values of a bool column.
func (c *Column) Bits() Bitmap { return c.bits }

// Values returns the values of a column of fixed width, which T must have: int32 for dates and codes of a dictionary,
// int64 for timestamps and durations. It panics if the width differs.
func Values[T Native](c *Column) []T {
	var z T
	if c.typ.Width() != int(unsafe.Sizeof(z)) {
		panic(fmt.Sprintf("column: values of %s are not %T", c.typ, z))
	}
	return cast[T](c.data)
}

func cast[T any](b []byte) []T {
	var z T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(z)))
}

func bytesOf[T any](v []T) []byte {
	var z T
	if len(v) == 0 {
		return nil
	}
	w := int(unsafe.Sizeof(z))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), cap(v)*w)[:len(v)*w]
}

// Data returns the bytes of the values of a column of fixed width, and the bytes that offsets of strings point into.
func (c *Column) Data() []byte {
	if c.typ.Kind == String || c.typ.Kind == LargeString {
		return c.text
	}
	return c.data
}

// Offsets32 returns the n+1 offsets of a column of kind String. The first is not 0 in a slice.
func (c *Column) Offsets32() []int32 { return c.offs32 }

// Offsets64 returns the n+1 offsets of a column of kind LargeString.
func (c *Column) Offsets64() []int64 { return c.offs64 }

// Dictionary returns the distinct strings of a dictionary column, else nil.
func (c *Column) Dictionary() *Column { return c.dict }

// Text returns string i of a column of strings, of any of the three layouts. It copies nothing; of a null it returns any string.
func (c *Column) Text(i int) string {
	if c.dict != nil {
		i = int(cast[int32](c.data)[i])
		if c = c.dict; uint(i) >= uint(c.n) {
			return ""
		}
	}
	var b []byte
	if c.offs64 != nil {
		b = c.text[c.offs64[i]:c.offs64[i+1]]
	} else {
		b = c.text[c.offs32[i]:c.offs32[i+1]]
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Slice returns values i to j-1. It copies nothing. It panics when they are not in the column, as the slice of a Go slice does.
func (c *Column) Slice(i, j int) *Column {
	if i < 0 || j < i || j > c.n {
		panic(fmt.Sprintf("column: slice [%d:%d] of %d values", i, j, c.n))
	}
	if i == 0 && j == c.n {
		return c
	}
	s := *c
	s.n = j - i
	s.bits = c.bits.Slice(i, j)
	if w := c.typ.Width(); w > 0 {
		s.data = c.data[i*w : j*w]
	}
	if c.offs32 != nil {
		s.offs32 = c.offs32[i : j+1]
	}
	if c.offs64 != nil {
		s.offs64 = c.offs64[i : j+1]
	}
	if c.nulls > 0 {
		s.valid = c.valid.Slice(i, j)
		s.nulls = s.n - s.valid.Count()
	}
	return &s
}

// WithType returns the same memory as another type of the same layout: an int64 column as a timestamp, one decimal
// scale as another. Errors: a layout that differs.
func (c *Column) WithType(t Type) (*Column, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.Kind != c.typ.Kind && (t.Width() == 0 || t.Width() != c.typ.Width() || t.Kind == Dictionary || c.typ.Kind == Dictionary) {
		return nil, fmt.Errorf("column: %s and %s differ in layout", c.typ, t)
	}
	d := *c
	d.typ = t
	return &d, nil
}

// WithValidity returns the same values with other nulls. Errors: a bitmap of another length.
func (c *Column) WithValidity(valid Bitmap) (*Column, error) {
	if !valid.IsNone() && valid.n != c.n {
		return nil, fmt.Errorf("column: %d bits say which of %d values are null", valid.n, c.n)
	}
	d := *c
	d.setValid(valid)
	return &d, nil
}

func (c *Column) setValid(valid Bitmap) {
	c.valid, c.nulls = valid, 0
	if !valid.IsNone() {
		c.nulls = c.n - valid.Count()
	}
	if c.nulls == 0 {
		c.valid = Bitmap{}
	}
}

// Bytes returns the size of the column: of the part of each buffer that its values take.
func (c *Column) Bytes() int64 {
	n := int64(len(c.data)) + int64(len(c.offs32))*4 + int64(len(c.offs64))*8
	switch {
	case c.n == 0:
	case c.offs32 != nil:
		n += int64(c.offs32[c.n] - c.offs32[0])
	case c.offs64 != nil:
		n += c.offs64[c.n] - c.offs64[0]
	case c.dict != nil:
		n += c.dict.Bytes()
	}
	if c.typ.Kind == Bool {
		n += int64(c.n+7) / 8
	}
	if c.nulls > 0 {
		n += int64(c.n+7) / 8
	}
	return n
}

const maxText32 = math.MaxInt32
