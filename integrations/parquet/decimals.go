package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go"

	"github.com/anycl/anycl/frame/column"
)

// newDecimals returns a sink of decimals, which are stored as integers or as big-endian bytes.
func newDecimals(t parquet.Type, l leaf, n int) (sink, error) {
	switch t.Kind() {
	case parquet.Int32:
		return &numbers[int32, column.Decimal]{typ: l.typ, out: column.Make[column.Decimal](n),
			to: func(v int32) column.Decimal { return wide(int64(v)) }}, nil
	case parquet.Int64:
		return &numbers[int64, column.Decimal]{typ: l.typ, out: column.Make[column.Decimal](n), to: wide}, nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return &decimals{typ: l.typ, out: column.Make[column.Decimal](n), size: t.Length()}, nil
	}
	return nil, fmt.Errorf("%s is not read", t)
}

func wide(v int64) column.Decimal { return column.Decimal{Lo: uint64(v), Hi: v >> 63} }

// decimals are two's complements, most significant byte first, of one size or of any.
type decimals struct {
	typ  column.Type
	out  []column.Decimal
	at   int
	size int // 0: each has its own
	dict []column.Decimal
}

func (s *decimals) page(p parquet.Page, n int, levels []byte, top byte) error {
	k := present(n, levels, top)
	var values []column.Decimal
	var err error
	if d := p.Dictionary(); d != nil {
		if s.dict == nil {
			if s.dict, err = s.values(d.Page(), d.Len()); err != nil {
				return err
			}
		}
		codes, err := valuesOf[int32](p, k)
		if err != nil {
			return err
		}
		values = make([]column.Decimal, k)
		for i, c := range codes {
			if uint32(c) >= uint32(len(s.dict)) {
				return errCode
			}
			values[i] = s.dict[c]
		}
	} else if values, err = s.values(p, k); err != nil {
		return err
	}
	spread(s.out[s.at:s.at+n], values, levels, top)
	s.at += n
	return nil
}

func (s *decimals) values(p parquet.Page, n int) ([]column.Decimal, error) {
	out := make([]column.Decimal, n)
	if p.Type().Kind() == parquet.FixedLenByteArray {
		v := p.Data()
		data, size := v.FixedLenByteArray()
		if len(data) < n*size {
			return nil, errValues
		}
		for i := range out {
			out[i] = decimalOf(data[i*size : (i+1)*size])
		}
		return out, nil
	}
	data, offsets, err := bytesOf(p, n)
	if err != nil {
		return nil, err
	}
	for i := range out {
		b := data[offsets[i]:offsets[i+1]]
		if len(b) > 16 {
			return nil, fmt.Errorf("a decimal has %d bytes", len(b))
		}
		out[i] = decimalOf(b)
	}
	return out, nil
}

// decimalOf reads up to 16 bytes.
func decimalOf(b []byte) column.Decimal {
	var d column.Decimal
	if len(b) > 0 && b[0]&0x80 != 0 {
		d.Lo, d.Hi = ^uint64(0), -1
	}
	for _, x := range b {
		d.Hi = d.Hi<<8 | int64(d.Lo>>56)
		d.Lo = d.Lo<<8 | uint64(x)
	}
	return d
}

func (s *decimals) finish(valid column.Bitmap) (*column.Column, error) {
	return column.FixedOf(s.typ, s.out[:s.at], valid), nil
}
