// Options prices calls by random paths of a share, with their Greeks by automatic differentiation, beside the closed forms;
// and computes the value at risk of an index.
//
//	go run ./examples/options [-paths 131072] [-strike 110] [-volatility 0.3]
//	go run ./examples/fetch options          # the S&P 500, else the index is a made one
//
// The paths are a graph of a dozen ops (model.go). One more op, ops.Jacobian, makes delta, vega, rho and theta of all prices. They must
// be those of the closed forms of Black and Scholes and of others (reference.go) within standard errors.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// options are what the command line says.
type options struct {
	contract
	market  market
	batches int
}

func main() {
	o := options{contract: contract{strike: 100, barrier: 85}, market: market{spot: 100, volatility: 0.2, rate: 0.05, years: 1}}
	flag.IntVar(&o.paths, "paths", 0, "random paths of a batch (default 16384, and 4096 on the CPU path)")
	flag.IntVar(&o.steps, "steps", 64, "time steps of a path, to maturity; the Asian options take their mean over them")
	flag.IntVar(&o.batches, "batches", 32, "batches of paths, from whose differences standard errors are taken")
	flag.Float64Var(&o.strike, "strike", o.strike, "price at which the calls allow to buy the share")
	flag.Float64Var(&o.barrier, "barrier", o.barrier, "price of the share that ends the down-and-out call, below -strike and -spot")
	flag.Float64Var(&o.market[spot], "spot", o.market[spot], "price of a share now")
	flag.Float64Var(&o.market[volatility], "volatility", o.market[volatility], "volatility of the share in a year")
	flag.Float64Var(&o.market[rate], "rate", o.market[rate], "interest rate in a year")
	flag.Float64Var(&o.market[years], "years", o.market[years], "years to maturity")
	gallery.Main("options", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := errors.Join(
		gallery.Within("paths", cmp.Or(o.paths, 16384), 1024, 1<<22),
		gallery.Within("steps", o.steps, 2, 4096),
		gallery.Within("batches", o.batches, 16, 1<<20),
		gallery.Within("spot", o.market[spot], 0.01, 1e6),
		gallery.Within("volatility", o.market[volatility], 0.05, 2),
		gallery.Within("rate", o.market[rate], -0.5, 0.5),
		gallery.Within("years", o.market[years], 0.01, 50),
		gallery.Within("strike", o.strike, 0.01, 1e6),
		gallery.Within("barrier", o.barrier, 1e-3, 0.999*min(o.strike, o.market[spot])),
	); err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	o.paths = gallery.Default(rt, o.paths, 16384, 4096)
	if err := o.price(ctx, p, rt); err != nil {
		return err
	}
	losses, found, err := valueAtRisk(ctx, p, rt)
	if err != nil {
		return err
	}
	if err := o.times(ctx, p, rt); err != nil {
		return err
	}
	return timesOfRisk(ctx, p, rt, losses, found)
}

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
	p.Printf("\nspot %g, strike %g, barrier %g, volatility %g, rate %g, %g years; %d paths of %d steps\n%-27s", o.market[spot], o.strike, o.barrier,
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
