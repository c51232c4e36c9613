package fft

import (
	"math"
	"slices"
)

// A transform of n = n1·n2·... elements is a product with a small matrix for each factor, and a multiplication by
// roots of unity between two of them (Cooley and Tukey, 1965): with j = j1·(n/n1) + j' and k = k1 + n1·k',
//
//	y[k1 + n1·k'] = Σ_j' w(n/n1)^(j'k') · w(n)^(j'k1) · Σ_j1 w(n1)^(j1k1) · x[j],   w(n) = exp(-2πi/n)
//
// Products of matrices are what every device is fast at, so factors are long: a few products of many
// multiplications take less time than many passes over memory of few.
const (
	longFactor = 64  // at most, of several primes
	longPrime  = 127 // longer ones are transformed by convolution
)

// factors are of n, as few as there can be and about as long, the longest first; nil if a prime of n is too long. n is positive.
func factors(n int) []int {
	primes := primesOf(n)
	if primes[0] > longPrime {
		return nil
	}
	for count := 1; ; count++ {
		groups := slices.Repeat([]int{1}, count)
		for _, p := range primes { // the longest first, each to the shortest group
			i := slices.Index(groups, slices.Min(groups))
			groups[i] *= p
		}
		fits := func(f int) bool { return f <= longFactor || f <= longPrime && slices.Contains(primes, f) }
		if count >= len(primes) || !slices.ContainsFunc(groups, func(f int) bool { return !fits(f) }) {
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
