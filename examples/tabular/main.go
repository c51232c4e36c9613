// Tabular trains a network on a table: 30 measurements of cells in each of 569 samples of breast tissue tell whether a tumour
// is malignant. It standardises the columns, validates on a quarter of the samples, stops when that improves no more, and
// saves the network that was best.
//
//	go run ./examples/tabular [-device gpu] [-dir run] [-seed 1]     # train; interrupted, it goes on the next time
//	go run ./examples/tabular -predict [-dir run]                    # judge the same samples with the saved network
//
// The data come with the program. It prints a line for each epoch and the report of the validation, with 95 % or more right.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/anycl/anycl/checkpoint"
	"github.com/anycl/anycl/data"
	cells "github.com/anycl/anycl/examples/tabular/data"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/train"
)

// options are the settings of the command line.
type options struct {
	device, dir string
	seed        uint64
	predict     bool
}

func main() {
	var o options
	flag.StringVar(&o.device, "device", "", "device to use, as ANYCL_DEVICE: gpu, nvidia, pocl:0, none for the CPU path (default the best)")
	flag.StringVar(&o.dir, "dir", "run", "folder of checkpoints, logs and the network")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first weights, of the samples that validate and of the order of the others")
	flag.BoolVar(&o.predict, "predict", false, "print what the network in -dir says of every sample")
	flag.Parse()
	if err := run(context.Background(), o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tabular:", err)
		os.Exit(1)
	}
}

// run opens the device, and trains or predicts.
func run(ctx context.Context, o options, out io.Writer) error {
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device})
	if err != nil {
		return err
	}
	defer rt.Close()
	if o.predict {
		return predict(ctx, rt, o, out)
	}
	return learn(ctx, rt, o, out)
}

// load reads the measurements [569, 30] and the diagnoses [569].
func load() (x, y *tensor.Tensor, err error) {
	r, err := cells.BreastCancer()
	if err != nil {
		return nil, nil, err
	}
	table, err := data.ReadCSV(r, data.CSVOptions{NoHeader: true})
	if err != nil {
		return nil, nil, err
	}
	if y, _, err = table.Classes("30"); err != nil {
		return nil, nil, err
	}
	table.Columns = table.Columns[:30]
	x, err = table.Matrix(tensor.Float32)
	return x, y, err
}

// network is the graph: of measurements as they are, it scales the columns first.
type network struct {
	*nn.Model
	x, y, scaled    *ops.Node
	mean, deviation *ops.Node
}

// variables are the variables that predictions need: not those of the optimiser.
func (n *network) variables(yield func(string, *ops.Node) bool) {
	if yield("mean", n.mean) && yield("deviation", n.deviation) {
		n.Named()(yield)
	}
}

func build(scale *data.Standard, seed uint64) *network {
	g := ops.NewGraph("tabular")
	g.Seed(seed)
	rows, columns := ops.Dim("rows"), len(scale.Mean)
	n := &network{x: g.Input("x", tensor.Float32, rows, columns), y: g.Input("y", tensor.Int64, rows)}
	n.mean = g.Variable("mean", tensor.Must(tensor.FromSlice(scale.Mean)))
	n.deviation = g.Variable("deviation", tensor.Must(tensor.FromSlice(scale.Deviation)))
	n.scaled = ops.Div(ops.Sub(n.x, ops.Cast(n.mean, tensor.Float32)), ops.Cast(n.deviation, tensor.Float32))
	n.Model = nn.New(g, nn.Sequential{
		&nn.Linear{In: columns, Out: 32}, nn.ReLU, &nn.Dropout{Rate: 0.2}, &nn.Linear{In: 32, Out: len(cells.Classes)},
	}, nn.Options{Seed: seed})
	return n
}

// learn trains a network and saves it.
func learn(ctx context.Context, rt *ops.Runtime, o options, out io.Writer) error {
	x, y, err := load()
	if err != nil {
		return err
	}
	learned, kept, err := data.SplitTensors(0.25, o.seed, x, y)
	if err != nil {
		return err
	}
	scale, err := data.FitStandard(learned[0])
	if err != nil {
		return err
	}
	loader, err := data.TensorLoader(data.LoaderOptions{Batch: 32, Shuffle: true, Seed: o.seed}, learned...)
	if err != nil {
		return err
	}
	valid, err := data.TensorLoader(data.LoaderOptions{Batch: 256}, kept...)
	if err != nil {
		return err
	}
	n := build(scale, o.seed)
	loss := ops.CrossEntropy(n.Train().Apply(n.scaled), n.y)
	scores, judged := n.Eval().Apply(n.scaled), &train.Confusion{Classes: cells.Classes}
	model := &train.Model{
		Inputs: []*ops.Node{n.x, n.y}, Scores: scores, ValidLoss: ops.CrossEntropy(scores, n.y),
		Loss: loss, Updates: optim.New(optim.AdamW{LearningRate: 0.003}, n.Params(), optim.Options{}).Minimize(loss),
	}
	if _, err = train.Fit(ctx, rt, model, loader, train.Options{
		Epochs: 100, Valid: valid, Metrics: []train.Metric{&train.Accuracy{}}, Patience: 10, KeepBest: true,
		Folder: &checkpoint.Folder{Dir: o.dir}, Resume: true, Interrupt: true, Progress: out, Curves: filepath.Join(o.dir, "loss.png"),
	}); err != nil {
		return err
	}
	if _, err = train.Evaluate(ctx, rt, model, valid, judged); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s", judged.Report())
	return checkpoint.SaveWeights(ctx, filepath.Join(o.dir, "network.safetensors"), n.variables, nil)
}
