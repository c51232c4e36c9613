// Options prices calls by random paths of a share, with their Greeks by automatic differentiation, beside the closed forms;
// and computes the value at risk of an index.
//
//	go run ./examples/options [-paths 131072] [-strike 110] [-volatility 0.3]
//	go run ./examples/fetch options          # the S&P 500, else the index is a made one
//
// The paths are a graph of a dozen ops. One more op, ops.Jacobian, makes delta, vega, rho and theta of all prices. They must
// be those of the closed forms of Black and Scholes and of others (reference.go) within standard errors.
package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct {
	contract
	market  market
	batches int
}

// market holds the numbers that prices depend on: the share's price, its volatility and the interest rate a year, and
// the years to maturity.
type market [4]float64

const (
	spot = iota
	volatility
	rate
	years
)

// contract is a priced option: the right to buy a share for strike. The knock-out loses it when the share falls to barrier.
type contract struct {
	strike, barrier float64
	paths, steps    int
}

func main() {
	var o options
	gallery.Int(&o.paths, "paths", 0, 1024, 1<<22, "random paths of a batch (default 16384, and 4096 on the CPU path)")
	gallery.Int(&o.steps, "steps", 64, 2, 4096, "time steps of a path, to maturity; the Asian options take their mean over them")
	gallery.Int(&o.batches, "batches", 32, 16, 1<<20, "batches of paths, from whose differences standard errors are taken")
	gallery.Float(&o.strike, "strike", 100, 0.01, 1e6, "price at which the calls allow to buy the share")
	gallery.Float(&o.barrier, "barrier", 85, 1e-3, 1e6, "price of the share that ends the down-and-out call, below -strike and -spot")
	gallery.Float(&o.market[spot], "spot", 100, 0.01, 1e6, "price of a share now")
	gallery.Float(&o.market[volatility], "volatility", 0.2, 0.05, 2, "volatility of the share in a year")
	gallery.Float(&o.market[rate], "rate", 0.05, -0.5, 0.5, "interest rate in a year")
	gallery.Float(&o.market[years], "years", 1, 0.01, 50, "years to maturity")
	gallery.Main("options", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := gallery.Within("barrier", o.barrier, 0, 0.999*min(o.strike, o.market[spot])); err != nil {
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

// products are the names of the priced options, in the order of prices.
var products = []string{"European call", "Asian call, geometric mean", "down-and-out call", "Asian call, arithmetic mean"}

// greeks are the names of the derivatives with respect to the parts of a market.
var greeks = []string{"delta", "vega", "rho", "theta"}

// prices adds random paths and the discounted mean payoffs to the graph of x, a market as a float32 [4]:
//
//	log S(t + dt) = log S(t) + (r - v^2/2) dt + v sqrt(dt) z        z from the normal distribution
//
// Whether a path has touched the barrier between two of its points is not drawn: the probability is known, exp(-2 a b / v^2 dt)
// for points that are log distances a and b above it, and a path counts by the product of those of its survival. So payoffs
// are continuous, and derivatives of paths are derivatives of prices.
// Source: Glasserman, Monte Carlo Methods in Financial Engineering (2003), sections 6.4 and 7.2.
func (c contract) prices(x *ops.Node) *ops.Node {
	at := func(i int) *ops.Node { return ops.Slice(x, ops.Between(0, i, i+1)) } // [1], which stands beside all paths
	spot, vol, rate, years := at(spot), at(volatility), at(rate), at(years)
	dt := ops.Div(years, float64(c.steps))
	drift := ops.Mul(ops.Sub(rate, ops.Mul(ops.Square(vol), 0.5)), dt)
	moves := ops.Add(ops.Mul(x.Graph().Normal(tensor.Float32, c.paths, c.steps), ops.Mul(vol, ops.Sqrt(dt))), drift)
	logs := ops.Add(ops.CumSum(moves, 1, nil), ops.Log(spot)) // [paths, steps]
	last := ops.Exp(ops.Slice(logs, ops.From(1, -1)))         // [paths, 1]

	above := ops.Sub(logs, math.Log(c.barrier))
	before := ops.Sub(above, moves)
	touched := ops.Exp(ops.Div(ops.Mul(ops.Mul(above, before), -2.0), ops.Mul(ops.Square(vol), dt)))
	survive := ops.Where(ops.Greater(ops.Minimum(above, before), 0.0), ops.Sub(1.0, touched), 0.0)

	call := func(s *ops.Node) *ops.Node { return ops.ReLU(ops.Sub(s, c.strike)) }
	payoffs := ops.Concat(1,
		call(last),
		call(ops.Exp(ops.KeepDims(ops.Mean(logs, 1)))),
		ops.Mul(call(last), ops.KeepDims(ops.Prod(survive, 1))),
		call(ops.KeepDims(ops.Mean(ops.Exp(logs), 1))),
	)
	return ops.Mul(ops.Mean(payoffs, 0), ops.Exp(ops.Neg(ops.Mul(rate, years))))
}

// table has the price of each product, and its Greeks.
type table [4][5]float64

// batch compiles runs that price anew each time, with other random numbers: the prices [4], and their derivatives [4, 4].
func (c contract) batch(ctx context.Context, rt *ops.Runtime, place ops.Place, m market) (gallery.Run[*table], error) {
	g := ops.NewGraph("options")
	g.Seed(1)
	x := g.Input("market", tensor.Float32, len(m))
	y := c.prices(x)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{y, ops.Jacobian(y, x)}, Place: place, Fixed: true})
	now := make([]float32, len(m))
	for i, v := range m {
		now[i] = float32(v)
	}
	return func(ctx context.Context) (*table, error) {
		out, err := exe.Run(ctx, ops.Feeds{x: tensor.Must(tensor.FromSlice(now))})
		if err != nil {
			return nil, err
		}
		var t table
		for p := range t {
			t[p][0] = out[0].Float64At(p)
			for k := range greeks {
				t[p][1+k] = out[1].Float64At(p*len(greeks) + k)
			}
			t[p][4] *= -1 // theta is for time that goes by
		}
		return &t, nil
	}, err
}
