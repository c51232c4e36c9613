package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/cmd/bench/peers"
)

// agreeOptions are the options of the command agree.
type agreeOptions struct {
	npm, device string
	limit       float64
	layers      int
	scene       scene
}

func newAgree() *cobra.Command {
	o := agreeOptions{}
	c := &cobra.Command{
		Use: "agree [FILE ...]", Short: "compare trained models with onnxruntime, on real input", SilenceErrors: true, SilenceUsage: true,
		Long: `Agree runs trained models on photographs, text, digits and speech, on the device, on the CPU path and in onnxruntime, and in float64 on
the CPU path. Without files it runs all models that the examples have fetched. Names of files tell which input a model takes. Columns, of the output that is
worst in each, where |x| is the largest magnitude in x and ‖x‖ its Euclidean norm:

  max, norm   |ours - onnxruntime| / |onnxruntime|, and the same with ‖ ‖
  ours, its   |ours - exact| / |exact| and |onnxruntime - exact| / |exact|, where exact is the model computed in float64

The exit status is 1 where max is above the limit, unless ours is nearer to the exact result than onnxruntime's.`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), c.OutOrStdout(), args) },
	}
	f := c.Flags()
	f.StringVar(&o.device, "device", "", "device to use (default ANYCL_DEVICE, else the best)")
	f.StringVar(&o.npm, "npm", "bench/.peers", "folder that holds node_modules with onnxruntime-node")
	f.Float64Var(&o.limit, "limit", 1e-3, "largest difference")
	f.IntVar(&o.layers, "layers", 0, "of each model, print so many nodes at which the difference from float64 grows most")
	f.StringVar(&o.scene.photo, "photo", "", "photograph (default astronaut.png, as fetched)")
	f.StringVar(&o.scene.page, "page", "", "picture of text (default page.png, as fetched)")
	f.StringVar(&o.scene.speech, "speech", "", "recording of speech, WAV, 16 kHz (default the sentence that the example speech has)")
	f.StringVar(&o.scene.digits, "digits", "", "images of MNIST (default t10k-images-idx3-ubyte, as fetched)")
	return c
}

func (o *agreeOptions) run(ctx context.Context, w io.Writer, paths []string) (err error) {
	if len(paths) == 0 {
		if paths = fetched("*.onnx"); len(paths) == 0 {
			return errors.New("agree: no models are there: go run ./examples/fetch, or name files")
		}
	}
	if err := peers.CoreType(); err != nil {
		return err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	ort, err := peers.NewONNXRuntime(o.npm)
	if err != nil {
		return err
	}
	defer ort.Close()
	fmt.Fprintln(w, "onnxruntime", ort.Version(), "beside", rt.Why())
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "model\twhere\tmax\tnorm\tours\tits\t")
	beyond := 0
	for _, path := range paths {
		a := &agreement{o: o, rt: rt, ort: ort, path: path, name: strings.TrimSuffix(filepath.Base(path), ".onnx")}
		rows, err := a.compare(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, r := range rows {
			verdict := ""
			if r.max > o.limit {
				if verdict = "beyond the limit"; r.ours <= r.its {
					verdict = "nearer to float64 than onnxruntime"
				} else {
					beyond++
				}
			}
			fmt.Fprintf(t, "%s\t%s\t%.1e\t%.1e\t%.1e\t%.1e\t%s\n", a.name, r.where, r.max, r.norm, r.ours, r.its, verdict)
		}
		t.Flush()
		if o.layers > 0 {
			if err := a.byLayer(ctx, w); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if beyond > 0 {
		return fmt.Errorf("agree: %d results are beyond the limit", beyond)
	}
	return nil
}

// agreement is a model that is compared, with inputs of a run.
type agreement struct {
	o      *agreeOptions
	rt     *ops.Runtime
	ort    *peers.ONNXRuntime
	path   string
	name   string
	data   []byte
	m      *onnx.Model
	inputs map[string]*tensor.Tensor
}

type agreeRow struct {
	where                string
	max, norm, ours, its float64
}

func (a *agreement) compare(ctx context.Context) ([]agreeRow, error) {
	var err error
	if a.data, err = os.ReadFile(a.path); err != nil {
		return nil, err
	}
	if a.m, err = onnx.Load(a.path); err != nil {
		return nil, err
	}
	if a.inputs, err = a.o.scene.inputs(a); err != nil {
		return nil, err
	}
	want, err := a.theirs(a.data, a.m, a.inputs)
	if err != nil {
		return nil, err
	}
	exact, err := ours(ctx, a.rt, a.m, a.inputs, &onnx.Options{Precision: tensor.Float64, Target: ops.Target{Place: ops.OnCPU}})
	if err != nil {
		return nil, err
	}
	places := map[string]ops.Place{"cpu": ops.OnCPU}
	if a.rt.Device() != nil {
		places["device"] = ops.Auto // tasks that it cannot run are run elsewhere
	}
	var rows []agreeRow
	for where, place := range places {
		got, err := ours(ctx, a.rt, a.m, a.inputs, &onnx.Options{Target: ops.Target{Place: place, Fixed: true}})
		if err != nil {
			return nil, err
		}
		r := agreeRow{where: where}
		for _, out := range a.m.Outputs() {
			n := out.Name
			r.max, r.norm = max(r.max, apart(got[n], want[n])), max(r.norm, apartByNorm(got[n], want[n]))
			r.ours, r.its = max(r.ours, apart(got[n], exact[n])), max(r.its, apart(want[n], exact[n]))
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b agreeRow) int { return strings.Compare(b.where, a.where) })
	return rows, nil
}

// theirs are the outputs of a model in onnxruntime.
func (a *agreement) theirs(data []byte, m *onnx.Model, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	var in, out []string
	var values []*tensor.Tensor
	for _, i := range m.Inputs() {
		in, values = append(in, i.Name), append(values, inputs[i.Name])
	}
	for _, i := range m.Outputs() {
		out = append(out, i.Name)
	}
	s, err := a.ort.Session(data, in, out)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	results, err := s.Run(values, true)
	if err != nil {
		return nil, err
	}
	all := map[string]*tensor.Tensor{}
	for i, n := range out {
		all[n] = results[i]
	}
	return all, nil
}

// ours are the outputs of a model by package onnx.
func ours(ctx context.Context, rt *ops.Runtime, m *onnx.Model, inputs map[string]*tensor.Tensor,
	o *onnx.Options) (map[string]*tensor.Tensor, error) {
	p, err := m.Compile(ctx, rt, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Run(ctx, inputs)
}

// apartByNorm is the Euclidean norm of a difference, divided by that of the expected result.
func apartByNorm(got, want *tensor.Tensor) float64 {
	if got == nil || !tensor.EqualShapes(got.Shape(), want.Shape()) {
		return math.Inf(1)
	}
	size, most := 0.0, 0.0
	for i := range want.Len() {
		a, b := got.Float64At(i), want.Float64At(i)
		if a != a && b != b || a == b && math.IsInf(a, 0) {
			continue // the same, and of no size
		}
		size, most = size+b*b, most+(a-b)*(a-b)
	}
	if most == 0 {
		return 0
	}
	return math.Sqrt(most / max(size, 1e-60))
}
