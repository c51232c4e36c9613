package parquet

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/anycl/anycl/frame/column"
)

// numbers are values of fixed width: stored as S, in the column as T.
type numbers[S any, T column.Native] struct {
	typ  column.Type
	out  []T
	at   int
	to   func(S) T // nil: the same bytes
	dict []S
	some []S // of a page that points into the dictionary
}

func same[T column.Native](l leaf, to room, n int) *numbers[T, T] {
	return &numbers[T, T]{typ: l.typ, out: valuesIn[T](to, n)}
}

func narrow[S ~int32, T ~int8 | ~int16 | ~uint8 | ~uint16](l leaf, to room, n int) *numbers[S, T] {
	return &numbers[S, T]{typ: l.typ, out: valuesIn[T](to, n), to: func(v S) T { return T(v) }}
}

// valuesOf are the first n values of a page.
func valuesOf[S any](p parquet.Page, n int) ([]S, error) {
	var z S
	v := p.Data()
	b, _ := v.Data()
	if n == 0 {
		return nil, nil
	}
	if len(b) < n*int(unsafe.Sizeof(z)) {
		return nil, errValues
	}
	return unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(b))), n), nil
}

func (s *numbers[S, T]) page(p parquet.Page, n int, levels []byte, top byte) error {
	k := present(n, levels, top)
	var values []S
	if d := p.Dictionary(); d != nil {
		if s.dict == nil {
			all, err := valuesOf[S](d.Page(), d.Len())
			if err != nil {
				return err
			}
			s.dict = append(make([]S, 0, len(all)+1), all...)
		}
		codes, err := valuesOf[int32](p, k)
		if err != nil {
			return err
		}
		if cap(s.some) < k {
			s.some = make([]S, k)
		}
		values = s.some[:k]
		for i, c := range codes {
			if uint32(c) >= uint32(len(s.dict)) {
				return errCode
			}
			values[i] = s.dict[c]
		}
	} else {
		var err error
		if values, err = valuesOf[S](p, k); err != nil {
			return err
		}
	}
	out := s.out[s.at : s.at+n]
	s.at += n
	if s.to == nil {
		spread(out, any(values).([]T), levels, top)
		return nil
	}
	if k == n {
		for i, v := range values {
			out[i] = s.to(v)
		}
		return nil
	}
	next := 0
	for i, l := range levels {
		if l == top {
			out[i] = s.to(values[next])
			next++
		}
	}
	return nil
}

// spread puts values where nothing is null.
func spread[T any](out, values []T, levels []byte, top byte) {
	if len(values) == len(out) {
		copy(out, values)
		return
	}
	next := 0
	for i, l := range levels {
		if l == top {
			out[i] = values[next]
			next++
		}
	}
}

func (s *numbers[S, T]) finish(valid column.Bitmap) (*column.Column, error) {
	return column.FixedOf(s.typ, s.out[:s.at], valid), nil
}

// nanoseconds reads the timestamps of Impala and early Spark: nanoseconds of a day, and the Julian day. What 64 bits do not hold wraps.
func nanoseconds(v deprecated.Int96) int64 {
	const epoch = 2_440_588 // 1970-01-01
	return (int64(v[2])-epoch)*86_400_000_000_000 + int64(v[1])<<32 + int64(v[0])
}

// half reads a float of 16 bits.
func half(b [2]byte) float32 {
	v := uint32(binary.LittleEndian.Uint16(b[:]))
	sign, exp, frac := v>>15<<31, v>>10&31, v&1023
	switch exp {
	case 0:
		f := float32(frac) / (1 << 24)
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 31:
		return math.Float32frombits(sign | 255<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// bools are packed, eight a byte.
type bools struct {
	out column.Bitmap
	at  int
}

func (s *bools) page(p parquet.Page, n int, levels []byte, top byte) error {
	k := present(n, levels, top)
	bits, err := boolsOf(p, k)
	if err != nil {
		return err
	}
	next := 0
	for i := range n {
		if len(levels) == 0 || levels[i] == top {
			if bits.Get(next) {
				s.out.Set(s.at+i, true)
			}
			next++
		}
	}
	s.at += n
	return nil
}

// boolsOf reads values through the page, since a slice of one may begin within a byte.
func boolsOf(p parquet.Page, n int) (column.Bitmap, error) {
	out := column.NewBitmap(n)
	var buf [256]parquet.Value
	next := 0
	for r := p.Values(); next < n; {
		k, err := r.ReadValues(buf[:])
		for _, v := range buf[:k] {
			if !v.IsNull() && next < n {
				out.Set(next, v.Boolean())
				next++
			}
		}
		if err != nil {
			break
		}
	}
	if next < n {
		return out, errValues
	}
	return out, nil
}

func (s *bools) finish(valid column.Bitmap) (*column.Column, error) {
	return column.Bools(s.out.Slice(0, s.at), valid)
}
