// Digits trains a small convolutional network to read handwritten digits, on
// the best OpenCL device of this machine or, without OpenCL, on the CPU path.
// The graph and its answers are the same.
//
//	go run ./examples/digits [-device gpu] [-epochs 15] [-seed 1] [-explain]
//	go run ./examples/digits -devices gpu:0,gpu:1
//
// The data are 1,797 real digits of 8 x 8 pixels that come with the program;
// four fifths train the network (two convolutions, a pooling, a dense layer,
// Adam) and one fifth tests it. It prints
//
//   - how long the first training step took since the process began,
//   - loss and test accuracy after each epoch, and 97 % or more at the end,
//   - the devices found, which was taken and why, and what ran where,
//   - the time per epoch on the device and on the CPU path,
//   - some of the test images with the network's predictions.
//
// With -devices each batch is divided among several, which train the same weights together.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/anycl/anycl/examples/internal/term"
	"github.com/anycl/anycl/ops"
)

// began is when the process did, but for the few milliseconds before package main.
var began = time.Now()

// options are the settings of the command line.
type options struct {
	device  string
	devices []string // to train together; empty: on device alone
	epochs  int
	seed    uint64
	explain bool
}

func main() {
	var o options
	flag.StringVar(&o.device, "device", "", "device to use, as ANYCL_DEVICE: gpu, nvidia, pocl:0, none for the CPU path (default the best)")
	flag.IntVar(&o.epochs, "epochs", 15, "times to go through the training images")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first weights and of the order of the images")
	flag.BoolVar(&o.explain, "explain", false, "print every task of a training step")
	flag.Func("devices", "devices to train on together, as pocl:0,llvmpipe:0; one may be named twice, and none is the CPU path",
		func(list string) error {
			o.devices = strings.Split(list, ",")
			return nil
		})
	flag.Parse()
	if flag.NArg() > 0 || o.epochs < 1 {
		fmt.Fprintln(os.Stderr, "digits: takes no arguments, and at least 1 epoch")
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := run
	if len(o.devices) > 0 {
		do = runTogether
	}
	if _, err := do(ctx, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(1)
	}
}

// result is the result of a run.
type result struct {
	predictions []int64
	accuracy    float64 // of the test images, 0 to 1
	first       time.Duration
	where       string // the device that the training ran on
}

// run trains and reports.
func run(ctx context.Context, o options, out, progress io.Writer) (*result, error) {
	train, test, err := load()
	if err != nil {
		return nil, err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true, Start: ops.AtOnce})
	if err != nil {
		return nil, err
	}
	defer rt.Close()
	fmt.Fprintf(out, "%d digits to learn, %d to test; runs on %s\n", train.len(), test.len(), rt.Why())

	place := ops.Auto
	if o.device != "" && rt.Device() != nil {
		place = ops.OnDevice // who names a device wants to see it work
	}
	if rt.Device() != nil {
		fmt.Fprintln(progress, "the CPU engine begins, until the device is open and its kernels are compiled: seconds where it is new to them, less from then on")
	}
	t, err := newTrainer(ctx, rt, train, test, o.seed, place, ops.AtOnce)
	if err != nil {
		return nil, err
	}
	defer t.close()

	r := &result{}
	err = t.learn(ctx, o.epochs, progress, func(loss float64) {
		r.first = time.Since(began)
		fmt.Fprintf(out, "first result %.2f s after the process began: loss %.3f\n", r.first.Seconds(), loss)
	})
	if err != nil {
		return nil, err
	}
	if r.predictions, err = t.predictions(ctx); err != nil {
		return nil, err
	}
	right := test.right(r.predictions)
	r.accuracy = float64(right) / float64(test.len())
	fmt.Fprintf(out, "test accuracy %.1f %%: %d of %d, after %d epochs\n", 100*r.accuracy, right, test.len(), o.epochs)

	fmt.Fprintf(out, "\n%s\n", rt.Explain())
	if err := t.step.Prepare(ctx); err != nil { // a short training may be over before its kernels are compiled
		return nil, err
	}
	r.where = explain(out, t.step.Report(), o.explain)
	if err := compare(ctx, out, rt, t, r.where, o.seed); err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "\n%s", draw(test, r.predictions))
	return r, nil
}

// learn trains for the given number of epochs. first is called with the loss of the first step.
func (t *trainer) learn(ctx context.Context, epochs int, progress io.Writer, first func(loss float64)) error {
	bar := term.NewProgress(progress, epochs*t.steps(), "training")
	defer bar.Done()
	for epoch := range epochs {
		start := time.Now()
		loss, err := t.run(ctx, t.steps(), func(loss float64) {
			if first != nil {
				first(loss)
				first = nil
			}
			bar.Step()
		})
		if err != nil {
			return err
		}
		took := time.Since(start)
		p, err := t.predictions(ctx)
		if err != nil {
			return err
		}
		bar.Line("epoch %2d   loss %.4f   test %5.1f %%   %4d ms",
			epoch+1, loss, 100*float64(t.test.right(p))/float64(t.test.len()), took.Milliseconds())
	}
	return nil
}
