// Fashion trains a convolutional network to tell ten kinds of clothes apart on
// Fashion-MNIST: 60,000 images of 28 x 28 pixels to learn from and 10,000 to be
// tested on.
//
//	apt-get install dataset-fashion-mnist      # Debian and Ubuntu; or -data DIR
//	go run ./examples/fashion [-device gpu] [-epochs 4] [-precision float16] [-plot loss.png]
//	go run ./examples/fashion -save run.safetensors                             # ^C ends it; then
//	go run ./examples/fashion -save run.safetensors -resume run.safetensors    # goes on, to the same bits
//
// The images lie on the device as bytes; a step is fed nothing but the numbers and the kinds
// of the 100 images that it takes. It prints loss, test accuracy and time after
// each epoch, 90 % or more at the end, and draws the loss as a PNG.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/train"
)

// options are the settings of the command line.
type options struct {
	data, device, plot string
	save, resume       string // files of checkpoints
	precision          tensor.DType
	epochs             int
	seed               uint64
	limit              int // of the images, in training and test; 0 is all
}

func main() {
	o := options{precision: tensor.Float32}
	flag.StringVar(&o.data, "data", debianFolder, "folder with the four files of Fashion-MNIST, packed or not")
	flag.StringVar(&o.device, "device", "", "device to use, as ANYCL_DEVICE: gpu, nvidia, pocl:0, none for the CPU path (default the best)")
	flag.StringVar(&o.plot, "plot", "loss.png", "file to draw the loss in; empty for none")
	flag.StringVar(&o.save, "save", "", "file that keeps the training, after each epoch and when ^C ends it")
	flag.StringVar(&o.resume, "resume", "", "file of -save to go on with, with the other flags as they were")
	flag.Func("precision", "dtype of what lies between layers: float32, bfloat16 or float16 (default float32); weights are float32",
		o.setPrecision)
	flag.IntVar(&o.epochs, "epochs", 4, "times to go through the training images")
	flag.IntVar(&o.limit, "limit", 0, "how many images to learn from, and to be tested on, at most (default all)")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first weights and of the order of the images")
	flag.Parse()
	if flag.NArg() > 0 || o.epochs < 1 || o.limit < 0 || o.limit > 0 && o.limit < batch {
		fmt.Fprintf(os.Stderr, "fashion: takes no arguments, at least 1 epoch and %d images\n", batch)
		flag.Usage()
		os.Exit(2)
	}
	if _, err := run(context.Background(), o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "fashion:", err)
		os.Exit(1)
	}
}

func (o *options) setPrecision(name string) error {
	dt, err := tensor.ParseDType(name)
	if err == nil && (!dt.IsFloat() || dt == tensor.Float64) {
		err = fmt.Errorf("%v is not one of them", dt)
	}
	o.precision = dt
	return err
}

// run trains and returns the accuracy on the test images, from 0 to 1.
func run(ctx context.Context, o options, out, progress io.Writer) (accuracy float64, err error) {
	learned, test, err := load(o.data, o.limit)
	if err != nil {
		return 0, err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true})
	if err != nil {
		return 0, err
	}
	defer rt.Close()
	fmt.Fprintf(out, "%d images to learn, %d to test; runs on %s\n", learned.len(), test.len(), rt.Why())
	if accuracy, err = learn(ctx, rt, learned, test, o, progress); err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "test accuracy %.2f %% of %d images after %d epochs\n", 100*accuracy, test.len(), o.epochs)
	if o.plot != "" {
		fmt.Fprintf(out, "the loss is drawn in %s\n", o.plot)
	}
	return accuracy, nil
}

// learn trains a network with one set, goes on with a training that was saved, and returns the accuracy on the other set.
func learn(ctx context.Context, rt *ops.Runtime, learned, test set, o options, progress io.Writer) (accuracy float64, err error) {
	loader, err := learned.loader(o.seed, true)
	if err != nil {
		return 0, err
	}
	valid, err := test.loader(0, false)
	if err != nil {
		return 0, err
	}
	judged := &train.Accuracy{}
	_, err = train.Fit(ctx, rt, network(learned, test, o), loader, train.Options{
		Epochs: o.epochs, Valid: valid, Metrics: []train.Metric{judged}, Save: o.save, From: o.resume, Interrupt: true,
		Progress: progress, Curves: o.plot, LogEvery: 5,
	})
	return judged.Value(), err
}
