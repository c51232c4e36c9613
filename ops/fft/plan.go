package fft

import (
	"math"
	"slices"
)

// A transform of n = n1·n2·... elements is a step for each factor, and a multiplication by
// roots of unity between two of them (Cooley and Tukey, 1965): with j = j1·(n/n1) + j' and k = k1 + n1·k',
//
//	y[k1 + n1·k'] = Σ_j' w(n/n1)^(j'k') · w(n)^(j'k1) · Σ_j1 w(n1)^(j1k1) · x[j],   w(n) = exp(-2πi/n)
//
// A step reads and writes all elements, so there are few, and the values between fit the nearest caches.
const (
	longPrime = 127 // longer ones are transformed by convolution
	fewFactor = 16  // at most, where there are few rows to compute side by side
	factor    = 256 // at most, where the data fit caches
)

// factors are of n, as few as there can be of at most that length or a prime, and about as long, the longest first. n is positive and has no prime that is
// too long.
func factors(n, longest int) []int {
	primes := primesOf(n)
	for count := 1; ; count++ {
		groups := slices.Repeat([]int{1}, count)
		for _, p := range primes { // the longest first, each to the shortest group
			i := slices.Index(groups, slices.Min(groups))
			groups[i] *= p
		}
		if count >= len(primes) || slices.Max(groups) <= max(longest, primes[0]) {
			slices.SortFunc(groups, func(a, b int) int { return b - a })
			return groups
		}
	}
}

// primesOf are the prime factors of n, descending; of 1 it is 1.
func primesOf(n int) (all []int) {
	for p := 2; p*p <= n; p++ {
		for n%p == 0 {
			all, n = append(all, p), n/p
		}
	}
	if n > 1 || len(all) == 0 {
		all = append(all, n)
	}
	slices.Reverse(all)
	return all
}

// smooth is the least number of at least n with no prime above 5.
func smooth(n int) int {
	for m := n; ; m++ {
		if primesOf(m)[0] <= 5 {
			return m
		}
	}
}

// even is the least number of at least n with no prime above 5 that is a multiple of 256 if it is not small, so that the
// lines of its steps fill vectors.
func even(n int) int {
	if n < 1024 {
		return smooth(n)
	}
	return 256 * smooth((n+255)/256)
}

// root is exp(-2πi k/n), of whose parts those that are 0, 1 or -1 are exact.
func root(k, n int) complex128 {
	k = ((k % n) + n) % n
	// In the first eighth of the circle sine and cosine are at their best.
	eighth := 8 * k / n
	quarter := (eighth + 1) / 2 // the nearest of four axes
	s, c := math.Sincos(2 * math.Pi * (float64(k) - float64(quarter)*float64(n)/4) / float64(n))
	for range quarter % 4 {
		s, c = c, -s
	}
	return complex(c, -s)
}
