// Package hostmath has functions of floats for the CPU path that package math lacks, or has wrong on some machines.
package hostmath

import "math"

// Log is math.Log, whose assembly on some machines takes subnormals for normal numbers.
func Log(a float64) float64 {
	if 0 < a && a < 0x1p-1022 {
		return math.Log(a*0x1p54) - 54*math.Ln2
	}
	return math.Log(a)
}

// SinPi is sin(πa), exact at whole and half numbers.
func SinPi(a float64) float64 {
	r := a - 2*math.RoundToEven(a/2) // exact
	if math.Abs(r) > 0.5 {
		r = math.Copysign(1, r) - r
	}
	return math.Sin(math.Pi * r)
}

// CosPi is cos(πa), exact at whole and half numbers.
func CosPi(a float64) float64 {
	r := math.Abs(a - 2*math.RoundToEven(a/2))
	return math.Sin(math.Pi * (0.5 - r))
}
