// Package take copies chosen rows of columns.
package take

import (
	"math"
	"math/bits"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
)

// Rows returns the positions of the bits that are 1.
func Rows(p par.Pool, mask column.Bitmap) ([]uint32, error) {
	n := mask.Len()
	counts := make([]int, (n+par.Morsel-1)/par.Morsel+1)
	err := p.Morsels(n, func(_, lo, hi int) error {
		counts[lo/par.Morsel] = mask.Slice(lo, hi).Count()
		return nil
	})
	if err != nil {
		return nil, err
	}
	total := 0
	for i, c := range counts {
		counts[i], total = total, total+c
	}
	rows := par.Uncleared[uint32](total)
	return rows, p.Morsels(n, func(_, lo, hi int) error {
		part := mask.Slice(lo, hi)
		at := counts[lo/par.Morsel]
		for k := range part.Words() {
			base := uint32(lo + 64*k)
			w := part.Word(k)
			if w == math.MaxUint64 {
				for j := range rows[at : at+64] {
					rows[at+j] = base + uint32(j)
				}
				at += 64
				continue
			}
			for ; w != 0; w &= w - 1 {
				rows[at] = base + uint32(bits.TrailingZeros64(w))
				at++
			}
		}
		return nil
	})
}

// Gather returns the values of the rows.
func Gather(p par.Pool, c *column.Column, rows []uint32) (*column.Column, error) {
	return gather(p, c, rows, 0, false)
}

// GatherFound returns the values of rows - 1, and null where a row is 0.
func GatherFound(p par.Pool, c *column.Column, rows []uint32) (*column.Column, error) {
	return gather(p, c, rows, 1, true)
}

// GatherEach returns the values of rows - 1, none of which is 0.
func GatherEach(p par.Pool, c *column.Column, rows []uint32) (*column.Column, error) {
	return gather(p, c, rows, 1, false)
}

func gather(p par.Pool, c *column.Column, rows []uint32, plus uint32, miss bool) (*column.Column, error) {
	n := len(rows)
	if c.Len() == 0 && plus == 1 {
		return column.Nulls(c.Type(), n), nil
	}
	valid, err := validity(p, c, rows, plus, miss)
	if err != nil {
		return nil, err
	}
	t := c.Type()
	switch {
	case t.Kind == column.Bool:
		out := column.NewBitmap(n)
		err := p.Morsels(n, func(_, lo, hi int) error {
			src, part := c.Bits(), rows[lo:hi]
			dst := out.Slice(lo, hi)
			for k := range dst.Words() {
				var w uint64
				for j, row := range part[64*k : min(64*k+64, len(part))] {
					if row >= plus && src.Get(int(row-plus)) {
						w |= 1 << j
					}
				}
				dst.SetWord(k, w)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return column.Bools(out, valid)
	case t.Kind == column.Dictionary:
		v, err := fixed(p, column.Values[int32](c), rows, plus)
		return column.Trusted(v, c.Dictionary(), valid), err
	case t.IsString():
		if c.Offsets32() != nil {
			return text(p, c.Offsets32(), c.Data(), rows, plus, valid)
		}
		return text(p, c.Offsets64(), c.Data(), rows, plus, valid)
	}
	switch t.Width() {
	case 1:
		v, err := fixed(p, column.Values[uint8](c), rows, plus)
		return column.FixedOf(t, v, valid), err
	case 2:
		v, err := fixed(p, column.Values[uint16](c), rows, plus)
		return column.FixedOf(t, v, valid), err
	case 4:
		v, err := fixed(p, column.Values[uint32](c), rows, plus)
		return column.FixedOf(t, v, valid), err
	case 8:
		v, err := fixed(p, column.Values[uint64](c), rows, plus)
		return column.FixedOf(t, v, valid), err
	}
	v, err := fixed(p, column.Values[column.Decimal](c), rows, plus)
	return column.FixedOf(t, v, valid), err
}

func validity(p par.Pool, c *column.Column, rows []uint32, plus uint32, miss bool) (column.Bitmap, error) {
	src := c.Validity()
	if src.IsNone() && !miss {
		return src, nil
	}
	out := column.NewBitmap(len(rows))
	return out, p.Morsels(len(rows), func(_, lo, hi int) error {
		part, dst := rows[lo:hi], out.Slice(lo, hi)
		for k := range dst.Words() {
			var w uint64
			for j, row := range part[64*k : min(64*k+64, len(part))] {
				if row >= plus && (src.IsNone() || src.Get(int(row-plus))) {
					w |= 1 << j
				}
			}
			dst.SetWord(k, w)
		}
		return nil
	})
}

func fixed[T any](p par.Pool, v []T, rows []uint32, plus uint32) ([]T, error) {
	var null T
	out := par.Uncleared[T](len(rows))
	return out, p.Morsels(len(rows), func(_, lo, hi int) error {
		dst := out[lo:hi]
		if plus == 0 {
			for i, row := range rows[lo:hi] {
				dst[i] = v[row]
			}
			return nil
		}
		for i, row := range rows[lo:hi] {
			if row != 0 {
				dst[i] = v[row-1]
			} else {
				dst[i] = null
			}
		}
		return nil
	})
}

// text gathers strings: first lengths, from which offsets are known, then bytes.
func text[O int32 | int64](p par.Pool, offs []O, src []byte, rows []uint32, plus uint32, valid column.Bitmap) (*column.Column, error) {
	n := len(rows)
	sums := make([]int64, (n+par.Morsel-1)/par.Morsel+1)
	err := p.Morsels(n, func(_, lo, hi int) error {
		var sum int64
		for _, row := range rows[lo:hi] {
			if row >= plus {
				sum += int64(offs[row-plus+1] - offs[row-plus])
			}
		}
		sums[lo/par.Morsel] = sum
		return nil
	})
	if err != nil {
		return nil, err
	}
	var total int64
	for i, s := range sums {
		sums[i], total = total, total+s
	}
	out := make([]byte, total)
	if total <= math.MaxInt32 {
		to := column.Make[int32](n + 1)
		if err := copyText(p, to, out, offs, src, rows, plus, sums); err != nil {
			return nil, err
		}
		return column.Strings(to, out, valid)
	}
	to := column.Make[int64](n + 1)
	if err := copyText(p, to, out, offs, src, rows, plus, sums); err != nil {
		return nil, err
	}
	return column.Strings(to, out, valid)
}

func copyText[D, O int32 | int64](p par.Pool, to []D, out []byte, offs []O, src []byte, rows []uint32, plus uint32, sums []int64) error {
	to[len(rows)] = D(len(out))
	return p.Morsels(len(rows), func(_, lo, hi int) error {
		at := int(sums[lo/par.Morsel])
		end := int(sums[lo/par.Morsel+1])
		for i, row := range rows[lo:hi] {
			to[lo+i] = D(at)
			if row < plus {
				continue
			}
			from, until := int(offs[row-plus]), int(offs[row-plus+1])
			n := until - from
			if n <= 16 && at+16 <= end && from+16 <= len(src) { // excess bytes are written over by the next copy
				*(*[16]byte)(out[at:]) = *(*[16]byte)(src[from:])
			} else {
				copy(out[at:at+n], src[from:until])
			}
			at += n
		}
		return nil
	})
}
