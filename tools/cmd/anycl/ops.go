package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/ops"
	_ "github.com/anycl/anycl/ops/all"
	"github.com/anycl/anycl/tensor"
)

type opsOptions struct {
	device string
	asJSON bool
}

func newOps() *cobra.Command {
	var o opsOptions
	c := &cobra.Command{
		Use:   "ops",
		Short: "list the ops: operands, dtypes, gradient, and what runs on the device and on the CPU path",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context(), c.OutOrStdout()) },
	}
	deviceFlag(c, &o.device)
	jsonFlag(c, &o.asJSON)
	return c
}

// opReport is one op.
type opReport struct {
	Name           string          `json:"name"`
	Category       string          `json:"category,omitempty"`
	Operands       []operandReport `json:"operands"`
	Attributes     []ops.Attribute `json:"attributes,omitempty"`
	Results        []string        `json:"results"`
	DTypes         []tensor.DType  `json:"-"`
	Differentiable bool            `json:"differentiable"`
	Flat           bool            `json:"flat"` // the derivative is 0 wherever there is one
	Names          []string        `json:"dtypes"`
	// Runs lists for each engine the dtypes in which it runs the op.
	Runs map[string][]string `json:"runs"`
}

// operandReport is one operand of an op.
type operandReport struct {
	Name     string   `json:"name"`
	DTypes   []string `json:"dtypes,omitempty"` // where they are not those of the op
	Optional bool     `json:"optional,omitempty"`
	Repeated bool     `json:"repeated,omitempty"`
}

// reportOf is op without the engines that run it.
func reportOf(op *ops.Op) opReport {
	r := opReport{
		Name: op.Name, Category: op.Category, Operands: []operandReport{}, Attributes: op.Attributes.All(), Results: op.ResultNames,
		DTypes: op.DTypes, Differentiable: op.Differentiable(), Flat: op.Flat, Names: names(op.DTypes), Runs: map[string][]string{},
	}
	if r.Results == nil {
		r.Results = []string{"y"}
	}
	for _, p := range op.Operands {
		o := operandReport{Name: p.Name, Optional: p.Optional, Repeated: p.Repeated}
		if p.DTypes != nil {
			o.DTypes = names(p.DTypes)
		}
		r.Operands = append(r.Operands, o)
	}
	return r
}

// operands are the names of those of an op: x, w, bias?, more...
func (r opReport) operands() string {
	var all []string
	for _, p := range r.Operands {
		name := p.Name
		if p.Repeated {
			name += "..."
		}
		if p.Optional {
			name += "?"
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func (o *opsOptions) run(ctx context.Context, out io.Writer) error {
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device})
	if err != nil {
		return err
	}
	defer rt.Close()
	var engines []string
	for _, e := range rt.Engines() {
		engines = append(engines, e.Name())
	}
	var reports []opReport
	for op := range ops.Table() {
		r := reportOf(op)
		for _, e := range rt.Engines() {
			runs, err := supported(ctx, e, op)
			if err != nil {
				return err
			}
			all := slices.DeleteFunc(slices.Clone(op.DTypes), func(dt tensor.DType) bool { return !slices.Contains(runs, dt.Part()) })
			r.Runs[e.Name()] = names(all) // complex numbers where their parts run
		}
		reports = append(reports, r)
	}
	if o.asJSON {
		return writeJSON(out, struct {
			Engines []string   `json:"engines"`
			Ops     []opReport `json:"ops"`
		}{engines, reports})
	}
	return printOps(out, engines, reports)
}

func printOps(out io.Writer, engines []string, reports []opReport) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "op\toperands\tdtypes\tgradient\t%s\n", strings.Join(engines, "\t"))
	gradients := 0
	for _, r := range reports {
		gradient := "no"
		switch {
		case r.Differentiable:
			gradient = "yes"
			gradients++
		case r.Flat:
			gradient = "zero"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s", r.Name, r.operands(), family(r.DTypes), gradient)
		for _, e := range engines {
			fmt.Fprintf(w, "\t%s", coverage(r.Names, r.Runs[e]))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\n%d ops, %d with a gradient; beside them ops.Kernel runs OpenCL C of your own\n", len(reports), gradients)
	return w.Flush()
}

// coverage says how much of all is in some.
func coverage(all, some []string) string {
	lacking := slices.DeleteFunc(slices.Clone(all), func(n string) bool { return slices.Contains(some, n) })
	switch {
	case len(lacking) == 0:
		return "all"
	case len(some) == 0:
		return "none"
	}
	return "all but " + strings.Join(lacking, " ")
}

func names(dtypes []tensor.DType) []string {
	out := []string{}
	for _, d := range dtypes {
		out = append(out, d.String())
	}
	return out
}

// family is a short name for a set of dtypes.
func family(dtypes []tensor.DType) string {
	var parts []string
	rest := slices.Clone(dtypes)
	take := func(name string, in func(tensor.DType) bool) {
		var whole []tensor.DType
		for _, d := range tensor.DTypes() {
			if in(d) {
				whole = append(whole, d)
			}
		}
		if slices.ContainsFunc(whole, func(d tensor.DType) bool { return !slices.Contains(rest, d) }) {
			return
		}
		parts = append(parts, name)
		rest = slices.DeleteFunc(rest, in)
	}
	take("all", tensor.DType.Valid)
	take("numbers", func(d tensor.DType) bool { return d.IsFloat() || d.IsInt() })
	take("floats", tensor.DType.IsFloat)
	take("integers", tensor.DType.IsInt)
	take("signed integers", func(d tensor.DType) bool { return d.IsInt() && d.IsSigned() })
	return strings.Join(append(parts, names(rest)...), ", ")
}
