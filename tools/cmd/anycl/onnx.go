package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func newONNX() *cobra.Command {
	c := &cobra.Command{
		Use:   "onnx",
		Short: "tell about ONNX files",
		RunE:  func(c *cobra.Command, _ []string) error { return usageError{errors.New("a command is missing: info")} },
	}
	var asJSON bool
	info := &cobra.Command{
		Use:   "info FILE",
		Short: "inputs, outputs, operators and weights of a model, or everything in it that is not supported",
		Args:  oneArg("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := modelReportOf(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), r)
			}
			return r.write(c.OutOrStdout())
		},
	}
	jsonFlag(info, &asJSON)
	c.AddCommand(info)
	return c
}

// oneArg wants one argument of that name.
func oneArg(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError{fmt.Errorf("%d arguments, not 1: %s", len(args), name)}
		}
		return nil
	}
}

// modelReport tells what a model is.
type modelReport struct {
	Producer    string         `json:"producer"`
	Opset       int            `json:"opset"`
	Inputs      []valueReport  `json:"inputs"`
	Outputs     []valueReport  `json:"outputs"`
	Operators   map[string]int `json:"operators"`
	Weights     int            `json:"weights"`
	WeightBytes int            `json:"weight_bytes"`
}

type valueReport struct {
	Name  string   `json:"name"`
	DType string   `json:"dtype"`
	Shape []string `json:"shape"`
}

func modelReportOf(path string) (*modelReport, error) {
	m, err := onnx.Load(path)
	if err != nil {
		return nil, err
	}
	name, version := m.Producer()
	r := &modelReport{
		Producer: strings.TrimSpace(name + " " + version), Opset: m.Opset(), Operators: m.OpCounts(),
		Inputs: valueReports(m.Inputs()), Outputs: valueReports(m.Outputs()),
	}
	for _, t := range m.Weights() {
		r.Weights++
		r.WeightBytes += t.NumBytes()
	}
	return r, nil
}

func valueReports(values []onnx.Info) []valueReport {
	all := make([]valueReport, 0, len(values))
	for _, v := range values {
		x := valueReport{Name: v.Name, DType: v.DType.String()}
		for i, d := range v.Shape {
			switch {
			case d >= 0:
				x.Shape = append(x.Shape, fmt.Sprint(d))
			case v.Dims[i] != "":
				x.Shape = append(x.Shape, v.Dims[i])
			default:
				x.Shape = append(x.Shape, "?")
			}
		}
		all = append(all, x)
	}
	return all
}

func (r *modelReport) write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "written by\t%s\noperator set\t%d\nweights\t%d, %.1f MB\n", r.Producer, r.Opset, r.Weights, float64(r.WeightBytes)/1e6)
	for _, v := range r.Inputs {
		fmt.Fprintf(t, "input\t%s %s[%s]\n", v.Name, v.DType, strings.Join(v.Shape, " "))
	}
	for _, v := range r.Outputs {
		fmt.Fprintf(t, "output\t%s %s[%s]\n", v.Name, v.DType, strings.Join(v.Shape, " "))
	}
	names := slices.SortedFunc(maps.Keys(r.Operators), func(a, b string) int {
		if n := r.Operators[b] - r.Operators[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		what := ""
		if i == 0 {
			what = "operators"
		}
		fmt.Fprintf(t, "%s\t%4d %s\n", what, r.Operators[name], name)
	}
	return t.Flush()
}

// runOptions are those of anycl run.
type runOptions struct {
	device          string
	precision       string
	inputs, outputs []string
}

func precisionFlag(c *cobra.Command, precision *string) {
	c.Flags().StringVar(precision, "precision", "", "what the model computes in float32 is stored in: float16, bfloat16, or float64")
}

func precisionOf(name string) (tensor.DType, error) {
	switch name {
	case "":
		return tensor.Invalid, nil
	case "float16", "bfloat16", "float32", "float64":
		return tensor.ParseDType(name)
	}
	return tensor.Invalid, usageError{fmt.Errorf("-precision %q is not float64, float32, float16 or bfloat16", name)}
}

func newRun() *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run FILE -input NAME=FILE.npy -output NAME=FILE.npy",
		Short: "run an ONNX model on arrays in .npy files",
		Long: `Run runs an ONNX model once, on the best device or the one that is named.

  anycl run model.onnx -input x=image.npy -output y=scores.npy
  anycl run model.onnx -input image.npy                 a model with one input; outputs are printed
`,
		Args: oneArg("FILE"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), c.OutOrStdout(), args[0]) },
	}
	deviceFlag(c, &o.device)
	precisionFlag(c, &o.precision)
	c.Flags().StringArrayVar(&o.inputs, "input", nil, "NAME=FILE.npy, or FILE.npy for a model with one input; repeat for others")
	c.Flags().StringArrayVar(&o.outputs, "output", nil, "NAME=FILE.npy, or FILE.npy for a model with one output; what is not named is printed")
	return c
}

// named splits NAME=FILE; without a name it is that of the only value.
func named(arg string, values []onnx.Info) (name, file string, err error) {
	if name, file, ok := strings.Cut(arg, "="); ok {
		if !slices.ContainsFunc(values, func(v onnx.Info) bool { return v.Name == name }) {
			return "", "", usageError{fmt.Errorf("the model has no %q", name)}
		}
		return name, file, nil
	}
	if len(values) != 1 {
		return "", "", usageError{fmt.Errorf("%q names none of the %d values: write NAME=FILE", arg, len(values))}
	}
	return values[0].Name, arg, nil
}

func (o *runOptions) run(ctx context.Context, w io.Writer, path string) error {
	m, err := onnx.Load(path)
	if err != nil {
		return err
	}
	in, to := map[string]*tensor.Tensor{}, map[string]string{}
	for _, arg := range o.inputs {
		name, file, err := named(arg, m.Inputs())
		if err != nil {
			return err
		}
		if in[name], err = tensor.LoadNPY(file); err != nil {
			return err
		}
	}
	for _, arg := range o.outputs {
		name, file, err := named(arg, m.Outputs())
		if err != nil {
			return err
		}
		to[name] = file
	}
	device := o.device
	if device == "cpu" {
		device = "none"
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: device})
	if err != nil {
		return err
	}
	defer rt.Close()
	precision, err := precisionOf(o.precision)
	if err != nil {
		return err
	}
	p, err := m.Compile(ctx, rt, &onnx.Options{Precision: precision})
	if err != nil {
		return err
	}
	defer p.Close()
	out, err := p.Run(ctx, in)
	if err != nil {
		return err
	}
	for _, v := range m.Outputs() {
		if file := to[v.Name]; file != "" {
			if err := tensor.SaveNPY(file, out[v.Name]); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s %v\n", v.Name, out[v.Name])
	}
	return nil
}
