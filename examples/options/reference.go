package main

import (
	"cmp"
	"math"
)

// exact are the closed forms of the first three products: Black and Scholes (1973); Kemna and Vorst (1990), for a mean over
// as many points; Merton (1973), for a barrier below the strike that is watched all the time.
func (c contract) exact(m market) (t table) {
	for p, price := range []func(market) float64{c.european, c.geometric, c.knockOut} {
		t[p][0] = price(m)
		for k := range m { // central differences
			up, down, h := m, m, 1e-5*cmp.Or(m[k], 1)
			up[k] += h
			down[k] -= h
			t[p][1+k] = (price(up) - price(down)) / (2 * h)
		}
		t[p][4] *= -1
	}
	return t
}

// normal is the distribution function of the normal distribution.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func (c contract) european(m market) float64 {
	spot, vol, rate, years := m[spot], m[volatility], m[rate], m[years]
	d := (math.Log(spot/c.strike) + (rate+vol*vol/2)*years) / (vol * math.Sqrt(years))
	return spot*normal(d) - c.strike*math.Exp(-rate*years)*normal(d-vol*math.Sqrt(years))
}

func (c contract) geometric(m market) float64 {
	spot, vol, rate, years := m[spot], m[volatility], m[rate], m[years]
	n := float64(c.steps)
	mean := math.Log(spot) + (rate-vol*vol/2)*years*(n+1)/(2*n)
	deviation := vol * math.Sqrt(years*(n+1)*(2*n+1)/(6*n*n))
	d := (mean - math.Log(c.strike)) / deviation
	return math.Exp(-rate*years) * (math.Exp(mean+deviation*deviation/2)*normal(d+deviation) - c.strike*normal(d))
}

func (c contract) knockOut(m market) float64 {
	spot, vol, rate, years := m[spot], m[volatility], m[rate], m[years]
	lambda := rate/(vol*vol) + 0.5
	root := vol * math.Sqrt(years)
	y := math.Log(c.barrier*c.barrier/(spot*c.strike))/root + lambda*root
	ratio := c.barrier / spot
	return c.european(m) - spot*math.Pow(ratio, 2*lambda)*normal(y) + c.strike*math.Exp(-rate*years)*math.Pow(ratio, 2*lambda-2)*normal(y-root)
}

// closed is how many of them, the first ones, have a closed form.
const closed = 3
