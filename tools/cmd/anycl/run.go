package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

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
		Long: `Run runs an ONNX model once, on the best device or the one that is named. Where none is named, the CPU engine does what it
is predicted to do sooner than a device is opened.

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
	precision, err := precisionOf(o.precision)
	if err != nil {
		return err
	}
	device, most := o.device, time.Duration(math.MaxInt64)
	switch {
	case device == "cpu":
		device = "none"
	case device == "" && os.Getenv(platform.EnvDevice) == "" && os.Getenv(ops.EnvPlace) == "":
		device, most = "none", quick
	}
	out, err := runModel(ctx, m, in, device, precision, most)
	if errors.Is(err, errLong) {
		out, err = runModel(ctx, m, in, "", precision, math.MaxInt64)
	}
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

// quick is how long a run is predicted to take at most that the CPU engine does where nobody has named a device: opening one, its kernels
// compiled before, takes about as long.
const quick = 150 * time.Millisecond

// errLong says that a run is predicted to take longer than it may.
var errLong = errors.New("the run is predicted to take too long")

// runModel runs m once on a device, if that is predicted to take no longer than most, or else returns errLong.
func runModel(
	ctx context.Context, m *onnx.Model, in map[string]*tensor.Tensor, device string, precision tensor.DType, most time.Duration,
) (out map[string]*tensor.Tensor, err error) {
	rt, err := ops.Open(ctx, &ops.Options{Device: device})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	p, err := m.Compile(ctx, rt, &onnx.Options{Precision: precision})
	if err != nil {
		return nil, err
	}
	if predicted, err := p.Predicted(ctx, in); err != nil || predicted > most {
		return nil, cmp.Or(err, errLong)
	}
	return p.Run(ctx, in)
}
