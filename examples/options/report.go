package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// rare is the price, as a part of the share's, below which a call is not checked: so few paths reach the strike that their mean has no
// standard error worth the name.
const rare = 0.002

// price prints means and standard errors of some batches beside the closed forms.
func (o options) price(ctx context.Context, p *gallery.Program, rt *ops.Runtime) error {
	next, err := o.batch(ctx, rt, ops.Auto, o.market)
	if err != nil {
		return err
	}
	var sum, squares table
	exact := o.exact(o.market)
	for range o.batches {
		t, err := next(ctx)
		if err != nil {
			return err
		}
		// The error of the geometric mean's price is known, and that of the arithmetic mean's is nearly the same: it is taken off (a control
		// variate; Kemna and Vorst, A Pricing Method for Options Based on Average Asset Values, 1990).
		for k := range t[3] {
			t[3][k] -= t[1][k] - exact[1][k]
		}
		for i := range t {
			for k, v := range t[i] {
				sum[i][k] += v
				squares[i][k] += v * v
			}
		}
	}
	n := float64(o.batches)
	worst, worstGreek := 0.0, 0.0
	p.Printf("\nspot %g, strike %g, barrier %g, volatility %g, rate %g, %g years; %d paths of %d steps\n%-27s", o.market[spot], o.strike,
		o.barrier,
		o.market[volatility], o.market[rate], o.market[years], o.batches*o.paths, o.steps, "")
	p.Printf("%18s", "price")
	for _, g := range greeks {
		p.Printf("%20s", g)
	}
	for i, name := range products {
		p.Printf("\n%-27s", name)
		for k := range sum[i] {
			mean := sum[i][k] / n
			deviation := math.Sqrt(max(squares[i][k]/n-mean*mean, 0) / (n - 1))
			p.Printf("%10.4f ± %.4f ", mean, deviation)
			if i == closed || exact[i][0] < rare*o.market[spot] {
				continue
			}
			if off := math.Abs(mean-exact[i][k]) / deviation; k == 0 {
				worst = max(worst, off)
			} else {
				worstGreek = max(worstGreek, off)
			}
		}
		if i < closed {
			p.Printf("\n%-27s", "  closed form")
			for _, v := range exact[i] {
				p.Printf("%10.4f          ", v)
			}
		}
	}
	p.Printf("\n")
	limit, limitOfGreeks := 3.0, 4.0
	if o.batches < 32 { // standard errors are themselves found by chance
		limit, limitOfGreeks = 4, 6
	}
	p.Check(worst < limit, "prices are those of the closed forms to %.2f standard errors: less than %g", worst, limit)
	p.Check(worstGreek < limitOfGreeks, "so are the twelve Greeks, to %.2f: less than %g", worstGreek, limitOfGreeks)
	return nil
}
