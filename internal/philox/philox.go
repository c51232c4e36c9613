// Package philox is the counter-based random generator Philox-4x32-10, as the
// CPU path and the references of tests compute it. kernels/lib/random.cl is its
// twin in OpenCL C.
//
// Source: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1,
// 2, 3 (2011), section 3.3 and table 2.
package philox

import "math/bits"

const (
	mul0, mul1   = 0xD2511F53, 0xCD9E8D57
	weyl0, weyl1 = 0x9E3779B9, 0xBB67AE85
	rounds       = 10
)

// block encrypts counter c under key k: four independent uniform words.
func block(c [4]uint32, k [2]uint32) [4]uint32 {
	for range rounds {
		hi0, lo0 := bits.Mul32(mul0, c[0])
		hi1, lo1 := bits.Mul32(mul1, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ k[0], lo1, hi0 ^ c[3] ^ k[1], lo0}
		k[0] += weyl0
		k[1] += weyl1
	}
	return c
}

// Words are the four words that belong to position at of one random tensor in
// one run.
func Words(at uint64, run, stream uint32, seed uint64) [4]uint32 {
	return block([4]uint32{uint32(at), uint32(at >> 32), run, stream}, [2]uint32{uint32(seed), uint32(seed >> 32)})
}

// Fold is the seed of iteration i where that around the loop is seed: neighbours are
// unlike, and no iteration has its surroundings' seed but by chance.
//
// Source: Steele, Lea and Flood, Fast splittable pseudorandom number generators (2014).
func Fold(seed, i uint64) uint64 {
	x := seed + (i+1)*0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// Uniform is in [0, 1), with 24 bits.
func Uniform(w [4]uint32) float32 { return float32(w[0]>>8) * (1.0 / (1 << 24)) }

// Uniform64 is in [0, 1), with 53 bits.
func Uniform64(w [4]uint32) float64 { return float64(long(w[0], w[1])>>11) * (1.0 / (1 << 53)) }

// Pair is u in (0, 1] and v in [0, 1): the input of Box and Muller's method.
func Pair(w [4]uint32) (u, v float32) {
	return float32(w[0]>>8+1) * (1.0 / (1 << 24)), float32(w[1]>>8) * (1.0 / (1 << 24))
}

// Pair64 is Pair with 53 bits.
func Pair64(w [4]uint32) (u, v float64) {
	return float64(long(w[0], w[1])>>11+1) * (1.0 / (1 << 53)), float64(long(w[2], w[3])>>11) * (1.0 / (1 << 53))
}

func long(hi, lo uint32) uint64 { return uint64(hi)<<32 | uint64(lo) }
