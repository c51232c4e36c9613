package column

import (
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/anycl/anycl/tensor"
)

// Elem lists the Go types whose slices become columns: int is int64, time.Duration a duration in nanoseconds, time.Time a timestamp
// in nanoseconds and UTC.
type Elem interface {
	bool | int | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | string |
		time.Time | time.Duration
}

// Of returns a column of the values, without nulls. Numbers and durations keep the memory of the slice, others are copied.
// A time outside of 1677 to 2262, which nanoseconds of 64 bits do not reach, is null.
func Of[T Elem](values []T) *Column {
	c := &Column{n: len(values)}
	switch v := any(values).(type) {
	case []bool:
		c.typ, c.bits = Bool.Of(), BitmapOfBools(v)
	case []int:
		c.typ = Int64.Of()
		if unsafe.Sizeof(int(0)) == 8 {
			c.data = bytesOf(v)
			break
		}
		wide := alloc[int64](len(v))
		for i, x := range v {
			wide[i] = int64(x)
		}
		c.data = bytesOf(wide)
	case []int8:
		c.typ, c.data = Int8.Of(), bytesOf(v)
	case []int16:
		c.typ, c.data = Int16.Of(), bytesOf(v)
	case []int32:
		c.typ, c.data = Int32.Of(), bytesOf(v)
	case []int64:
		c.typ, c.data = Int64.Of(), bytesOf(v)
	case []uint8:
		c.typ, c.data = Uint8.Of(), v
	case []uint16:
		c.typ, c.data = Uint16.Of(), bytesOf(v)
	case []uint32:
		c.typ, c.data = Uint32.Of(), bytesOf(v)
	case []uint64:
		c.typ, c.data = Uint64.Of(), bytesOf(v)
	case []float32:
		c.typ, c.data = Float32.Of(), bytesOf(v)
	case []float64:
		c.typ, c.data = Float64.Of(), bytesOf(v)
	case []time.Duration:
		c.typ, c.data = Duration.Of(), bytesOf(v)
	case []time.Time:
		c.typ = Type{Kind: Timestamp, Unit: Nanosecond, Zone: "UTC"}
		ns := alloc[int64](len(v))
		valid := NewBitmap(len(v))
		valid.Fill()
		for i, t := range v {
			ns[i] = t.UnixNano()
			if s := t.Unix(); s < math.MinInt64/1_000_000_000 || s >= math.MaxInt64/1_000_000_000 {
				valid.Set(i, false)
			}
		}
		c.data = bytesOf(ns)
		c.setValid(valid)
	case []string:
		b := NewBuilder(String.Of(), len(v))
		for _, s := range v {
			b.Text(s)
		}
		return b.Finish()
	}
	return c
}

// OfNullable is [Of] with a null where valid is false. It panics if the lengths differ.
func OfNullable[T Elem](values []T, valid []bool) *Column {
	if len(values) != len(valid) {
		panic(fmt.Sprintf("column: %d values, %d validities", len(values), len(valid)))
	}
	c := *Of(values)
	c.setValid(And(c.Validity(), BitmapOfBools(valid)))
	return &c
}

// OfPointers is [Of] with a null where a pointer is nil.
func OfPointers[T Elem](values []*T) *Column {
	v, valid := make([]T, len(values)), make([]bool, len(values))
	for i, p := range values {
		if p != nil {
			v[i], valid[i] = *p, true
		}
	}
	return OfNullable(v, valid)
}

// Fixed returns a column over the bytes of n values of fixed width, n by their number. Errors: a type of no fixed width
// or a dictionary, bytes that are no whole values, an address that is no multiple of the width (8 for decimals), a
// bitmap of another length.
func Fixed(t Type, data []byte, valid Bitmap) (*Column, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	w := t.Width()
	if w == 0 || t.Kind == Dictionary {
		return nil, fmt.Errorf("column: %s is not of fixed width", t)
	}
	if len(data)%w != 0 {
		return nil, fmt.Errorf("column: %d bytes are no whole number of %s", len(data), t)
	}
	if len(data) > 0 && uintptr(unsafe.Pointer(unsafe.SliceData(data)))%uintptr(min(w, 8)) != 0 {
		return nil, fmt.Errorf("column: the bytes of %s do not begin at a multiple of %d", t, min(w, 8))
	}
	c := &Column{typ: t, n: len(data) / w, data: data}
	return c.WithValidity(valid)
}

// Bools returns a bool column over a bitmap. Errors: a validity of another length.
func Bools(values, valid Bitmap) (*Column, error) {
	if values.IsNone() {
		values = NewBitmap(0)
	}
	c := &Column{typ: Bool.Of(), n: values.n, bits: values}
	return c.WithValidity(valid)
}

// Strings returns a column of kind String, or LargeString for offsets of 64 bits: string i is text[offsets[i]:offsets[i+1]].
// Errors: no offsets, or offsets that decrease or are outside of the text, a bitmap of another length. That the text is UTF-8 is the
// caller's promise; functions of strings take bytes that are not as U+FFFD, as Go does.
func Strings[O int32 | int64](offsets []O, text []byte, valid Bitmap) (*Column, error) {
	if len(offsets) == 0 {
		return nil, fmt.Errorf("column: n strings have n+1 offsets, not none")
	}
	last := offsets[0]
	bad := last < 0
	for _, o := range offsets[1:] {
		bad = bad || o < last
		last = o
	}
	if bad || int64(last) > int64(len(text)) {
		return nil, fmt.Errorf("column: the offsets of %d strings decrease or are outside of %d bytes", len(offsets)-1, len(text))
	}
	c := &Column{typ: String.Of(), n: len(offsets) - 1, text: text}
	switch o := any(offsets).(type) {
	case []int32:
		c.offs32 = o
	case []int64:
		c.typ, c.offs64 = LargeString.Of(), o
	}
	return c.WithValidity(valid)
}

// Encoded returns a dictionary column: string i is dict's codes[i]. Errors: a dictionary with a null or one string
// twice, a code outside of it where the value is not null, a bitmap of another length.
func Encoded(codes []int32, dict *Column, valid Bitmap) (*Column, error) {
	if k := dict.typ.Kind; k != String && k != LargeString {
		return nil, fmt.Errorf("column: a dictionary holds strings, not %s", dict.typ)
	}
	if dict.nulls > 0 {
		return nil, fmt.Errorf("column: a dictionary holds no null")
	}
	seen := make(map[string]struct{}, dict.n)
	for i := range dict.n {
		seen[dict.Text(i)] = struct{}{}
	}
	if len(seen) < dict.n {
		return nil, fmt.Errorf("column: a dictionary of %d entries holds %d strings", dict.n, len(seen))
	}
	c, err := (&Column{typ: Dictionary.Of(), n: len(codes), data: bytesOf(codes), dict: dict}).WithValidity(valid)
	if err != nil {
		return nil, err
	}
	for i, k := range codes {
		if uint32(k) >= uint32(dict.n) && !c.IsNull(i) {
			return nil, fmt.Errorf("column: code %d of value %d is not in a dictionary of %d strings", k, i, dict.n)
		}
	}
	return c, nil
}

// Trusted is [Encoded] without its checks, for codes that the caller made.
func Trusted(codes []int32, dict *Column, valid Bitmap) *Column {
	c := &Column{typ: Dictionary.Of(), n: len(codes), data: bytesOf(codes), dict: dict}
	c.setValid(valid)
	return c
}

// FixedOf returns a column of fixed width over a Go slice. It panics if T does not have the type's width.
func FixedOf[T Native](t Type, values []T, valid Bitmap) *Column {
	var z T
	if t.Width() != int(unsafe.Sizeof(z)) || t.Kind == Dictionary {
		panic(fmt.Sprintf("column: values of %s are not %T", t, z))
	}
	c := &Column{typ: t, n: len(values), data: bytesOf(values)}
	c.setValid(valid)
	return c
}

// Nulls returns n nulls.
func Nulls(t Type, n int) *Column {
	c := &Column{typ: t, n: n, valid: NewBitmap(n), nulls: n}
	switch t.Kind {
	case Bool:
		c.bits = NewBitmap(n)
	case String:
		c.offs32 = make([]int32, n+1)
	case LargeString:
		c.offs64 = make([]int64, n+1)
	case Dictionary:
		c.dict = Of([]string{})
		fallthrough
	default:
		c.data = tensor.AlignedBytes(n * t.Width())
	}
	return c
}

// Make returns n values of fixed width that are 0 at an aligned address.
func Make[T Native](n int) []T { return alloc[T](n) }

func alloc[T any](n int) []T {
	var z T
	return cast[T](tensor.AlignedBytes(n * int(unsafe.Sizeof(z))))
}
