// Package trig has sines, cosines and tangents that are accurate for large arguments too. Go's own reduce an argument of
// 2^29 and more with a product of 64 bits, of which few are left near a multiple of π/2: 147 units in the last place are wrong there.
package trig

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// large is where Go's functions begin to reduce their argument by Payne and Hanek's method; below they are accurate.
const large = 1 << 29

// Sin is the sine of x, in radians.
func Sin(x float64) float64 {
	if !(math.Abs(x) >= large) || math.IsInf(x, 0) {
		return math.Sin(x)
	}
	q, hi, lo := reduce(x)
	return quarter(q, hi, lo)
}

// Cos is the cosine of x, in radians.
func Cos(x float64) float64 {
	if !(math.Abs(x) >= large) || math.IsInf(x, 0) {
		return math.Cos(x)
	}
	q, hi, lo := reduce(x)
	return quarter(q+1, hi, lo)
}

// Tan is the tangent of x, in radians.
func Tan(x float64) float64 {
	if !(math.Abs(x) >= large) || math.IsInf(x, 0) {
		return math.Tan(x)
	}
	q, hi, lo := reduce(x)
	t := math.Tan(hi)
	if q&1 == 0 {
		return t + lo*(1+t*t)
	}
	// -1/tan(hi + lo), whose derivative is 1/sin².
	s := math.Sin(hi)
	return -1/t + lo/(s*s)
}

// quarter is sin(q·π/2 + hi + lo).
func quarter(q int, hi, lo float64) (y float64) {
	s, c := math.Sincos(hi)
	if q&1 == 0 {
		y = s + lo*c
	} else {
		y = c - lo*s
	}
	if q&2 != 0 {
		return -y
	}
	return y
}

// reduce returns q and r with |r| ≤ π/4 such that x - r is q·π/2 modulo 2π; r is hi + lo. x is large and finite.
//
// x is m·2^e with an integer m of 53 bits. Bits of 2/π that make multiples of 4 of x are left out, and of those that follow
// 256 decide: the closest that a float64 comes to a multiple of π/2 is 2^-62, after which 130 are left. Source: Payne and Hanek, Radian
// reduction for trigonometric functions, ACM SIGNUM Newsletter 18 (1983).
func reduce(x float64) (q int, hi, lo float64) {
	frac, exp := math.Frexp(math.Abs(x))
	m, e := uint64(frac*(1<<53)), exp-53
	p := product(m, window(e-1)) // x·2/π modulo 4, times 2^254
	q = int(p[0] >> 62)
	// The fraction, reduced to -1/2 to 1/2.
	for i := range 3 {
		p[i] = p[i]<<2 | p[i+1]>>62
	}
	p[3] <<= 2
	negative := p[0]>>63 != 0
	if negative {
		q++
		carry := uint64(1)
		for i := 3; i >= 0; i-- {
			p[i], carry = bits.Add64(^p[i], 0, carry)
		}
	}
	f, g := fraction(p)
	hi, lo = timesHalfPi(f, g)
	if negative {
		hi, lo = -hi, -lo
	}
	if x < 0 {
		return -q & 3, -hi, -lo
	}
	return q & 3, hi, lo
}

// product is m·w modulo 2^256, the highest word first.
func product(m uint64, w [4]uint64) (p [4]uint64) {
	carry := uint64(0)
	for i := 3; i >= 0; i-- {
		h, l := bits.Mul64(m, w[i])
		var c uint64
		p[i], c = bits.Add64(l, carry, 0)
		carry = h + c
	}
	return p
}

// fraction is p·2^-256 as the sum of two numbers.
func fraction(p [4]uint64) (hi, lo float64) {
	shift := 0
	for i := 0; i < 4 && p[0] == 0; i++ {
		p, shift = [4]uint64{p[1], p[2], p[3]}, shift+64
	}
	if n := bits.LeadingZeros64(p[0]); n > 0 && p[0] != 0 {
		for i := range 3 {
			p[i] = p[i]<<n | p[i+1]>>(64-n)
		}
		p[3] <<= n
		shift += n
	}
	const head = 53
	top := p[0] >> (64 - head) << (64 - head)
	hi = math.Ldexp(float64(top), -64-shift)
	lo = math.Ldexp(float64(p[0]-top), -64-shift) + math.Ldexp(float64(p[1]), -128-shift)
	return hi, lo
}

// timesHalfPi is (f + g)·π/2 as the sum of two numbers.
func timesHalfPi(f, g float64) (hi, lo float64) {
	const piHi, piLo = 1.5707963267948966, 6.123233995736766e-17
	hi = f * piHi
	lo = math.FMA(f, piHi, -hi) + f*piLo + g*piHi
	sum := hi + lo
	return sum, lo - (sum - hi)
}

// twoOverPi has 64 zeros before the point, for the smallest of the large numbers, and the first 1,280 bits of 2/π behind it: 1,023 - 53
// that the largest numbers skip, and 256, in whole words.
var twoOverPi = sync.OnceValue(func() (words [21]uint64) {
	const n uint = 64 * (uint(len(words)) - 1)
	// Machin's formula: π/4 = 4·arctan(1/5) - arctan(1/239).
	one := new(big.Int).Lsh(big.NewInt(1), n+64)
	arctan := func(inverse int64) *big.Int {
		sum, square := new(big.Int), big.NewInt(inverse*inverse)
		term := new(big.Int).Div(one, big.NewInt(inverse))
		for k := int64(1); term.Sign() != 0; k += 2 {
			part := new(big.Int).Div(term, big.NewInt(k))
			if k%4 == 1 {
				sum.Add(sum, part)
			} else {
				sum.Sub(sum, part)
			}
			term.Div(term, square)
		}
		return sum
	}
	quarter := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(4), arctan(5)), arctan(239)) // π/4 · 2^(n+64)
	ratio := new(big.Int).Lsh(big.NewInt(1), 2*n+64-1)                                   // 2/π = 1/(2·π/4)
	ratio.Div(ratio, quarter)
	mask := new(big.Int).SetUint64(math.MaxUint64)
	for i := len(words) - 1; i > 0; i-- {
		words[i] = new(big.Int).And(ratio, mask).Uint64()
		ratio.Rsh(ratio, 64)
	}
	return words
})

// window is the 256 bits of 2/π that begin with the one worth 2^-from.
func window(from int) (w [4]uint64) {
	words := twoOverPi()
	at := from - 1 + 64
	for i := range w {
		k, n := (at+64*i)/64, uint((at+64*i)%64)
		w[i] = words[k] << n
		if n > 0 {
			w[i] |= words[k+1] >> (64 - n)
		}
	}
	return w
}
