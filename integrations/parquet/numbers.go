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
	if s.to == nil {
		spread(s.out[s.at:s.at+n], any(values).([]T), levels, top)
		s.at += n
		return nil
	}
	s.put(values, n, levels)
	return nil
}

// The values of pages that are decoded here; see [flat].

func (s *numbers[S, T]) bytes() []byte {
	if s.to != nil {
		return nil
	}
	return bytesOfValues(s.out)
}

func bytesOfValues[T any](v []T) []byte {
	var z T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(z)))
}

func (s *numbers[S, T]) entries(b []byte, n int) error {
	var z S
	if n < 0 || len(b)/int(unsafe.Sizeof(z)) < n {
		return errValues
	}
	s.dict = make([]S, n)
	copy(bytesOfValues(s.dict), b)
	return nil
}

func (s *numbers[S, T]) plain(b []byte, n, skip int, levels []byte) error {
	var z S
	size, k := int(unsafe.Sizeof(z)), present(n, levels, 1)
	if len(b)/size < skip+k {
		return errValues
	}
	values := s.values(n, k)
	copy(bytesOfValues(values), b[skip*size:])
	s.put(values, n, levels)
	return nil
}

func (s *numbers[S, T]) coded(h *hybrid, n int, levels []byte) error {
	k := present(n, levels, 1)
	values := s.values(n, k)
	var codes [1024]int32
	dict := s.dict
	for lo := 0; lo < k; lo += len(codes) {
		out := values[lo:min(k, lo+len(codes))]
		some := codes[:len(out)]
		if err := h.read(some); err != nil {
			return err
		}
		for i, c := range some {
			if uint32(c) >= uint32(len(dict)) {
				return errCode
			}
			out[i] = dict[c]
		}
	}
	s.put(values, n, levels)
	return nil
}

// values is memory for k values of n that are appended: where they stay, if they are what the column has.
func (s *numbers[S, T]) values(n, k int) []S {
	if s.to == nil && k == n {
		return any(s.out[s.at : s.at+n]).([]S)
	}
	if cap(s.some) < k {
		s.some = make([]S, k)
	}
	return s.some[:k]
}

// put appends n values, of which those are given that are not null.
func (s *numbers[S, T]) put(values []S, n int, levels []byte) {
	out := s.out[s.at : s.at+n]
	s.at += n
	switch {
	case s.to == nil && len(values) == n: // they are there
	case s.to == nil:
		spread(out, any(values).([]T), levels, 1)
	case len(values) == n:
		for i, v := range values {
			out[i] = s.to(v)
		}
	default:
		var null T
		next := 0
		for i, l := range levels {
			if l == 1 {
				out[i] = s.to(values[next])
				next++
			} else {
				out[i] = null
			}
		}
	}
}

func (s *numbers[S, T]) passed(n int) { s.at += n }

// spread puts values where nothing is null, and 0 elsewhere.
func spread[T any](out, values []T, levels []byte, top byte) {
	if len(values) == len(out) {
		copy(out, values)
		return
	}
	var null T // memory may be that of values before
	next := 0
	for i, l := range levels {
		if l == top {
			out[i] = values[next]
			next++
		} else {
			out[i] = null
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
