package tensor

import (
	"math"
	"strconv"
)

// Half is an IEEE 754 binary16 number: 1 sign, 5 exponent and 10 fraction bits. Its largest
// finite value is 65504, its smallest normal 2^-14, its smallest subnormal 2^-24.
type Half uint16

// BF16 is a bfloat16 number, the upper half of a binary32: 1 sign, 8 exponent and 7 fraction bits.
type BF16 uint16

// HalfFrom returns the Half nearest to x, ties to even. Beyond the range it is infinite; a NaN
// stays a quiet NaN with its sign and the upper bits of its payload.
func HalfFrom(x float32) Half {
	bits := math.Float32bits(x)
	const least, beyond = (127 - 14) << 23, (127 + 16) << 23 // 2^-14 and 2^16
	// Where the result is normal, or infinite by rounding up, only the exponent needs moving.
	if abs := bits & 0x7fffffff; abs-least < beyond-least {
		abs += 0xfff + abs>>13&1
		return Half(bits>>16&0x8000 | (abs-(127-15)<<23)>>13)
	}
	return HalfFrom64(float64(x))
}

// HalfFrom64 is [HalfFrom] for a float64, rounded once: going through float32 would round twice.
func HalfFrom64(x float64) Half { return Half(narrow(x, 5, 10)) }

// BF16From returns the BF16 nearest to x, ties to even, with the conventions of [HalfFrom].
func BF16From(x float32) BF16 {
	bits := math.Float32bits(x)
	if bits&0x7fffffff < 0xff<<23 { // finite: the formats share their exponents
		return BF16((bits + 0x7fff + bits>>16&1) >> 16)
	}
	return BF16From64(float64(x))
}

// BF16From64 is [BF16From] for a float64, rounded once.
func BF16From64(x float64) BF16 { return BF16(narrow(x, 8, 7)) }

// Float32 returns h exactly.
func (h Half) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1f
	frac := uint32(h) & 0x3ff
	switch exp {
	case 0: // zero or subnormal: frac * 2^-24, exact in float32
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-24))
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// Float64 returns h exactly.
func (h Half) Float64() float64 { return float64(h.Float32()) }

// String returns the shortest decimal that reads back as h.
func (h Half) String() string {
	return strconv.FormatFloat(shortest(h.Float64(), halfParse), 'g', -1, 64)
}

// Float32 returns b exactly.
func (b BF16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// Float64 returns b exactly.
func (b BF16) Float64() float64 { return float64(b.Float32()) }

// String returns the shortest decimal that reads back as b.
func (b BF16) String() string {
	return strconv.FormatFloat(shortest(b.Float64(), bf16Parse), 'g', -1, 64)
}

func halfParse(x float64) float64 { return HalfFrom64(x).Float64() }
func bf16Parse(x float64) float64 { return BF16From64(x).Float64() }

// shortest returns the float64 with the fewest decimal digits that round maps to x, which is
// itself a value of the narrow format. Five digits tell any two Halfs apart, four any two BF16s.
func shortest(x float64, round func(float64) float64) float64 {
	for digits := 1; digits <= 5; digits++ {
		near, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
		if err == nil && round(near) == x {
			return near
		}
	}
	return x
}

// narrow rounds x to a binary format of 1 sign, expBits exponent and fracBits fraction bits,
// to nearest with ties to even, and returns its bits.
func narrow(x float64, expBits, fracBits uint) uint16 {
	bits := math.Float64bits(x)
	sign := uint16(bits >> 63 << (expBits + fracBits))
	frac := bits & (1<<52 - 1)
	exp := int(bits>>52) & 0x7ff
	infinity := uint16(1<<expBits-1) << fracBits
	if exp == 0x7ff {
		if frac == 0 {
			return sign | infinity
		}
		return sign | infinity | 1<<(fracBits-1) | uint16(frac>>(52-fracBits))
	}
	bias := 1<<(expBits-1) - 1
	exp += bias - 1023 // exponent field in the narrow format, if x is normal there
	if exp > 1<<expBits-2 {
		return sign | infinity
	}
	shift := 52 - fracBits
	if exp <= 0 { // subnormal there: shift the implicit one in, the field is 0
		shift += uint(1 - exp)
		if shift > 54 { // below half of the smallest subnormal (and every float64 subnormal)
			return sign
		}
		frac |= 1 << 52
		exp = 0
	}
	wide := uint64(exp)<<fracBits + frac>>shift
	// A carry out of the fraction moves into the exponent, up to infinity: just what rounding wants.
	rest, tie := frac&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > tie || rest == tie && wide&1 == 1 {
		wide++
	}
	return sign | uint16(wide)
}
