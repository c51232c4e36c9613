package serve

import (
	"math"
	"strconv"
)

// appendFloat32 appends the shortest decimal that rounds to v, and of those the nearest, as strconv.AppendFloat(b, v, 'g', -1, 32) does.
//
// v·10^k between 10^8 and 10^9 is computed in float64, one rounding away from exact, as are the numbers half the way to the neighbours of
// v. The result is a multiple of the largest power of ten that has one between these. Where one of the comparisons is closer than the
// rounding may be off, strconv decides, as for the numbers that are not normal, and those whose 10^k is not exact.
func appendFloat32(b []byte, v float32) []byte {
	bits := math.Float32bits(v)
	exp, fraction := int(bits>>23&255)-127, bits&(1<<23-1)
	if bits<<1 == 0 || exp < -42 || exp > 100 {
		return strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	}
	a, half := math.Abs(float64(v)), math.Float64frombits(uint64(exp-24+1023)<<52)
	point := exp * 1233 >> 12 // of log10 a, rounded down, or one less
	s, half := scaled(a, half, 8-point)
	if s >= 1e9 {
		point++
		s, half = scaled(a, math.Float64frombits(uint64(exp-24+1023)<<52), 8-point)
	}
	below := half
	if fraction == 0 { // the neighbour below is nearer
		below /= 2
	}
	low, high := s-below, s+half
	least, most := int64(low), int64(high)
	if unsure(low-float64(least)) || unsure(high-float64(most)) {
		return strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	}
	least++
	digits, unit := 9, 1.0
	for (least+9)/10 <= most/10 {
		least, most = (least+9)/10, most/10
		digits, unit = digits-1, unit*10
	}
	q := s/unit + 0.5
	c := int64(q)
	if unsure(q - float64(c)) {
		return strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	}
	c = min(max(c, least), most)
	if bits>>31 != 0 {
		b = append(b, '-')
	}
	return appendDecimal(b, uint32(c), digits, point)
}

// unsure reports a fraction that rounding may have taken over a whole number.
func unsure(fraction float64) bool { return fraction < 1e-6 || fraction > 1-1e-6 }

// scaled are a and half, times 10^k.
func scaled(a, half float64, k int) (float64, float64) {
	if k < 0 {
		return a / powers[-k], half / powers[-k]
	}
	return a * powers[k], half * powers[k]
}

// appendDecimal appends c, whose first of the given number of digits is of 10^point, as the format g of strconv.
func appendDecimal(b []byte, c uint32, digits, point int) []byte {
	var text [10]byte
	at := len(text)
	for c > 0 {
		at--
		text[at] = byte('0' + c%10)
		c /= 10
	}
	word := text[at:]
	if len(word) > digits { // rounded up to a power of ten
		point++
	}
	for len(word) > 1 && word[len(word)-1] == '0' {
		word = word[:len(word)-1]
	}
	switch {
	case point < -4 || point >= 6:
		b = append(b, word[0])
		if len(word) > 1 {
			b = append(append(b, '.'), word[1:]...)
		}
		sign := byte('+')
		if point < 0 {
			sign, point = '-', -point
		}
		b = append(b, 'e', sign, byte('0'+point/10), byte('0'+point%10))
	case point < 0:
		b = append(append(b, "0.0000"[:1-point]...), word...)
	case len(word) <= point+1:
		b = append(append(b, word...), "000000"[:point+1-len(word)]...)
	default:
		b = append(append(append(b, word[:point+1]...), '.'), word[point+1:]...)
	}
	return b
}
