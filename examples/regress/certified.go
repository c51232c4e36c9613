package main

import (
	"context"
	"errors"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// datasets are NIST's for linear regression, and how many digits of the parameters must be right: fewer the worse the condition.
var datasets = []struct {
	name   string
	digits float64
}{{"Norris", 12}, {"Pontius", 11}, {"Longley", 10}, {"Filip", 6}, {"Wampler1", 9}, {"Wampler2", 12}, {"Wampler3", 9}, {"Wampler4", 7.5},
	{"Wampler5", 5.5}}

// certified fits the datasets and counts digits.
func certified(ctx context.Context, p *gallery.Program, rt *ops.Runtime) error {
	p.Printf("\nLeast squares beside NIST's certified values, digits that agree:\n%-10s %13s %10s %14s %9s\n", "", "equations", "parameters",
		"deviations", "residual")
	for _, c := range datasets {
		d, err := load(c.name)
		if err != nil {
			return err
		}
		g := ops.NewGraph(c.name)
		n := len(d.value)
		b, sd, residual := fitted(g.Const(tensor.Must(tensor.FromSlice(d.design(), len(d.y), n))),
			g.Const(tensor.Must(tensor.FromSlice(d.y, len(d.y), 1))))
		exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{b, sd, residual}})
		if err != nil {
			return err
		}
		out, err := exe.Run(ctx, nil)
		if err := errors.Join(err, exe.Close()); err != nil {
			return err
		}
		parameters, deviations := 15.0, 15.0
		for i := range n {
			parameters = min(parameters, digits(out[0].Float64At(i), d.value[i]))
			deviations = min(deviations, digits(out[1].Float64At(i), d.sd[i]))
		}
		p.Printf("%-10s %4d x %3d %15.1f %14.1f %9.1f\n", c.name, len(d.y), n, parameters, deviations, digits(out[2].Float64At(0), d.residual))
		p.Check(parameters >= c.digits, "the parameters of %s agree with the certified ones to %.1f digits", c.name, parameters)
	}
	return nil
}

// digits is how many decimal digits of got are those of want, as NIST counts them: 15 at most. Of 0 they are those after the point.
func digits(got, want float64) float64 {
	err := math.Abs(got - want)
	if want != 0 {
		err /= math.Abs(want)
	}
	return min(max(-math.Log10(err), 0), 15)
}
