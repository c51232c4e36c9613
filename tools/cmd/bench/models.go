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
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/cmd/bench/peers"
)

// modelOptions are the options of the command models.
type modelOptions struct {
	npm, device string
	where       []string
	atOnce      bool
	dims        map[string]string
	batch       int
	turns       int
	slice, warm time.Duration
	pause       time.Duration
}

// everywhere is where models of ours run.
var everywhere = []string{"auto", "device", "cpu"}

func newModels() *cobra.Command {
	o := modelOptions{}
	c := &cobra.Command{
		Use: "models FILE|DIR ...", Short: "measure ONNX models beside onnxruntime", Args: cobra.MinimumNArgs(1), SilenceErrors: true,
		SilenceUsage: true,
		Long: `Models runs ONNX models on the device, on the CPU path and in onnxruntime, in turns, and says how far results lie apart. A folder is a case of ONNX's
backend tests: model.onnx, and test_data_set_0/input_N.pb for real inputs. Inputs of a file are made up. Columns:

  load        to the first result, of ours and of onnxruntime: with caches of kernels as they are, so what a second run of the command says
  apart       largest difference from onnxruntime's results, as a part of the largest magnitude in each; where it is above 0.001, also ours and
              onnxruntime's from the results in float64
  time        median of a run, after as many as -warm allows: until then auto may still find out where tasks are fastest
  speed       onnxruntime's time by ours`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), c.OutOrStdout(), args) },
	}
	f := c.Flags()
	f.StringVar(&o.device, "device", "", "device to use (default ANYCL_DEVICE, else the best)")
	f.StringSliceVar(&o.where, "where", everywhere, "where ours run")
	f.BoolVar(&o.atOnce, "at-once", false, "runs by auto begin on the CPU path, before kernels are ready: see ops.Target.Start")
	f.StringVar(&o.npm, "npm", "bench/.peers", "folder that holds node_modules with onnxruntime-node")
	f.StringToStringVar(&o.dims, "dims", nil, "sizes of open extents, as batch=8,height=320 (default 1, of images' height and width 224)")
	f.IntVar(&o.batch, "batch", 0, "size of the batch of models that were exported for a batch of one: see onnx.Model.OpenBatch")
	f.IntVar(&o.turns, "turns", 7, "turns of each")
	f.DurationVar(&o.warm, "warm", 500*time.Millisecond, "how long each runs before its turns")
	f.DurationVar(&o.pause, "pause", 150*time.Millisecond, "before a turn, so that threads of the one before sleep")
	f.DurationVar(&o.slice, "slice", 60*time.Millisecond, "how long a turn is at least")
	return c
}

// modelCase is a model with inputs.
type modelCase struct {
	name   string
	data   []byte
	m      *onnx.Model
	inputs map[string]*tensor.Tensor
}

func (o *modelOptions) run(ctx context.Context, w io.Writer, paths []string) (err error) {
	for _, where := range o.where {
		if !slices.Contains(everywhere, where) {
			return fmt.Errorf("-where %s: it is %s", where, strings.Join(everywhere, ", "))
		}
	}
	if err := peers.CoreType(); err != nil {
		return err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	if err := rt.Settle(ctx); err != nil {
		return err
	}
	ort, err := peers.NewONNXRuntime(o.npm)
	if err != nil {
		fmt.Fprintln(w, "onnxruntime is not there:", err)
	} else {
		fmt.Fprintln(w, "onnxruntime", ort.Version(), "beside", rt.Why())
		defer ort.Close()
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "model\twhere\tload ms\tapart\ttime ms\tspeed")
	sums, counts := map[string]float64{}, map[string]int{}
	for _, path := range paths {
		rows, err := o.measure(ctx, rt, ort, path)
		if err != nil {
			fmt.Fprintf(t, "%s\t%v\n", filepath.Base(path), strings.ReplaceAll(err.Error(), "\n", "; "))
			continue
		}
		for _, r := range rows {
			fmt.Fprintf(t, "%s\t%s\t%.1f\t%s\t%.3f\t%s\n", r.model, r.where, r.load.Seconds()*1e3, r.apart, r.time.Seconds()*1e3, r.speedText())
			if r.speed > 0 {
				sums[r.where] += math.Log(r.speed)
				counts[r.where]++
			}
		}
		t.Flush()
	}
	for _, where := range everywhere {
		if n := counts[where]; n > 0 {
			fmt.Fprintf(t, "geometric mean of %d\t%s\t\t\t\t%.2f\n", n, where, math.Exp(sums[where]/float64(n)))
		}
	}
	return t.Flush()
}

// fileOf is the file of a model: in a folder, model.onnx.
func fileOf(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, "model.onnx")
	}
	return path
}

// read reads a model and its inputs.
func (o *modelOptions) read(path string) (*modelCase, error) {
	c := &modelCase{name: strings.TrimSuffix(filepath.Base(path), ".onnx"), inputs: map[string]*tensor.Tensor{}}
	file, data := fileOf(path), ""
	if file != path {
		data = filepath.Join(path, "test_data_set_0")
	}
	var err error
	if c.data, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	if o.batch > 0 {
		data = "" // its inputs are for one
		if c.data, err = peers.Rebatched(c.data, o.batch); err != nil {
			return nil, err
		}
	}
	if c.m, err = o.load(path); err != nil {
		return nil, err
	}
	for i, in := range c.m.Inputs() {
		b, err := os.ReadFile(filepath.Join(data, fmt.Sprintf("input_%d.pb", i)))
		if data != "" && err == nil {
			_, t, err := onnx.DecodeTensor(b)
			if err != nil {
				return nil, err
			}
			c.inputs[in.Name] = t
			continue
		}
		if c.inputs[in.Name], err = o.made(in, i); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// load reads a model as ours, opened for a batch where there is one.
func (o *modelOptions) load(path string) (*onnx.Model, error) {
	m, err := onnx.Load(fileOf(path))
	if err != nil || o.batch == 0 {
		return m, err
	}
	return m.OpenBatch()
}

// isImage is whether an input is images of 1, 3 or 4 channels, height before width.
func isImage(in onnx.Info) bool {
	return in.DType.IsFloat() && len(in.Shape) == 4 && slices.Contains([]int{1, 3, 4}, in.Shape[1])
}

// made makes an input up: a wave for floats, small numbers for integers.
func (o *modelOptions) made(in onnx.Info, number int) (*tensor.Tensor, error) {
	shape := append([]int{}, in.Shape...)
	for a, d := range shape {
		if d >= 0 {
			continue
		}
		if shape[a] = 1; a >= 2 && isImage(in) {
			shape[a] = 224 // in 1 x 1, nothing is found, and a run is as long as its overhead
		}
		if a == 0 && o.batch > 0 {
			shape[a] = o.batch
		} else if text, ok := o.dims[in.Dims[a]]; ok {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("-dims %s=%s: %w", in.Dims[a], text, err)
			}
			shape[a] = n
		}
	}
	t, err := tensor.New(in.DType, shape...)
	if err != nil {
		return nil, err
	}
	for i := range t.Len() {
		switch {
		case in.DType.IsFloat():
			t.SetFloat64(i, 0.5+0.5*math.Sin(float64(number)+0.37*float64(i)+1e-3*float64(i%1009)*float64(i%7)))
		case in.DType != tensor.Bool:
			t.SetFloat64(i, float64(1+i%3))
		}
	}
	return t, nil
}
