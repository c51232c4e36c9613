package expr

import (
	"errors"
	"math/bits"

	"github.com/anycl/anycl/frame/column"
)

// ErrDecimal is the error of a sum of decimals.
var ErrDecimal = errors.New("a decimal of more than 128 bits")

// AddDecimals returns the sum; false if 128 bits do not hold it.
func AddDecimals(a, b column.Decimal) (column.Decimal, bool) {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(uint64(a.Hi), uint64(b.Hi), carry)
	overflow := (a.Hi >= 0) == (b.Hi >= 0) && (int64(hi) >= 0) != (a.Hi >= 0)
	return column.Decimal{Lo: lo, Hi: int64(hi)}, !overflow
}

func negateDecimal(a column.Decimal) column.Decimal {
	lo, borrow := bits.Sub64(0, a.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(a.Hi), borrow)
	return column.Decimal{Lo: lo, Hi: int64(hi)}
}

// decimalSum adds or subtracts decimals of one type.
func decimalSum(op string, x, y Bound) Bound {
	t := x.Type
	t.Precision = 38
	return binary(t, x, y, func(m *Morsel, a, b *column.Column) (*column.Column, error) {
		if c := anyNull(t, a, b); c != nil {
			return c, nil
		}
		n := length(m, a, b)
		p, q := column.Values[column.Decimal](Spread(a, n)), column.Values[column.Decimal](Spread(b, n))
		out := scratch[column.Decimal](m, n)
		valid := bothValid(n, a, b)
		for i := range out {
			d := q[i]
			if op == "sub" {
				d = negateDecimal(d)
			}
			var ok bool
			if out[i], ok = AddDecimals(p[i], d); !ok && (valid.IsNone() || valid.Get(i)) {
				return nil, ErrDecimal
			}
		}
		return column.FixedOf(t, out, valid), nil
	})
}
