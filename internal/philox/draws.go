package philox

import "math"

// trials is how often a draw by rejection tries; that it needs so many does not happen.
const trials = 64

// Draws takes numbers in float64 where wide, else those that a float32 has: as the device does by lib/random.cl.
type Draws struct{ Wide bool }

// open is a word as a number of (0, 1), half a step from both ends.
func (d Draws) open(w uint32) float64 {
	if d.Wide {
		return (float64(w) + 0.5) * (1.0 / (1 << 32))
	}
	return (float64(w>>9) + 0.5) * (1.0 / (1 << 23))
}

// LogGamma is the logarithm of a gamma variate.
//
// Source: Marsaglia and Tsang, A simple method for generating gamma variables (2000).
func (d Draws) LogGamma(alpha float64, seed uint64) float64 {
	switch {
	case alpha == 0:
		return math.Inf(-1)
	case !(alpha > 0):
		return math.NaN()
	}
	at := alpha
	if alpha < 1 {
		at++
	}
	m := at - 1.0/3
	c := 1 / math.Sqrt(9*m)
	v, boost := 1.0, 0.0
	for t := range uint64(trials) {
		w := Words(t, 0, 0, seed)
		x := math.Sqrt(-2*math.Log(d.open(w[0]))) * math.Cos(2*math.Pi*d.open(w[1]))
		one := 1 + c*x
		v = one * one * one
		if alpha < 1 {
			boost = math.Log(d.open(w[3])) / alpha
		}
		if one > 0 && math.Log(d.open(w[2])) < x*x/2+m*(1-v+math.Log(v)) {
			break
		}
	}
	return math.Log(m*v) + boost
}

// Poisson is a count with that expectation.
//
// Source: Hörmann, The transformed rejection method for generating Poisson random variables (1993), algorithm PTRS; the
// probability of a count as in Loader, Fast and accurate computation of binomial probabilities (2000).
func (d Draws) Poisson(rate float64, seed uint64) float64 {
	switch {
	case !(rate >= 0):
		return math.NaN()
	case math.IsInf(rate, 1):
		return rate
	case rate < 10:
		least, product := math.Exp(-rate), 1.0
		for t := range uint64(trials) {
			for i, w := range Words(t, 0, 0, seed) {
				if product *= d.open(w); product <= least {
					return float64(4*int(t) + i)
				}
			}
		}
		return 4 * trials
	}
	b := 0.931 + 2.53*math.Sqrt(rate)
	a := -0.059 + 0.02483*b
	inverse, sure := 1.1239+1.1328/(b-3.4), 0.9277-3.6224/(b-2)
	k := math.Floor(rate)
	for t := range uint64(trials) {
		w := Words(t, 0, 0, seed)
		u, v := d.open(w[0])-0.5, d.open(w[1])
		us := 0.5 - math.Abs(u)
		k = math.Floor((2*a/us+b)*u + rate + 0.43)
		if us >= 0.07 && v <= sure {
			break
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		if math.Log(v*inverse/(a/(us*us)+b)) <= logPoisson(k, rate) {
			break
		}
	}
	return max(k, 0)
}

// logPoisson is the logarithm of the probability of k, without the cancellation of k·log(rate) - rate - log(k!).
func logPoisson(k, rate float64) float64 {
	if k == 0 {
		return -rate
	}
	x := (k - rate) / rate
	return -rate*((1+x)*math.Log1p(x)-x) - math.Log(2*math.Pi*k)/2 - (1-(1-2.0/7/(k*k))/(30*k*k))/(12*k)
}
