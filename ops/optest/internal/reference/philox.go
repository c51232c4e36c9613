package reference

import "math"

// RandomSeed is the seed of all graphs of the suite: both words of the key
// matter.
const RandomSeed = 0x0123456789abcdef

// Fraction is the first bits of an integer of some width as a number in [0, 1).
func Fraction(v uint64, width, bits int) float64 {
	return math.Ldexp(float64(v>>(width-bits)), -bits)
}

// Philox gives the words of one element of the suite's random tensors.
func Philox(at uint64, stream uint32) [4]uint32 {
	seed := uint64(RandomSeed)
	return PhiloxBlock([4]uint32{uint32(at), uint32(at >> 32), 0, stream}, [2]uint32{uint32(seed), uint32(seed >> 32)})
}

// PhiloxBlock is Philox-4x32-10.
func PhiloxBlock(x [4]uint32, k [2]uint32) [4]uint32 {
	const m0, m1 = uint64(0xD2511F53), uint64(0xCD9E8D57)
	for range 10 {
		p0, p1 := m0*uint64(x[0]), m1*uint64(x[2])
		x = [4]uint32{uint32(p1>>32) ^ x[1] ^ k[0], uint32(p1), uint32(p0>>32) ^ x[3] ^ k[1], uint32(p0)}
		k[0], k[1] = k[0]+0x9E3779B9, k[1]+0xBB67AE85
	}
	return x
}
