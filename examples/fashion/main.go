// Fashion trains a convolutional network to tell ten kinds of clothes apart on
// Fashion-MNIST: 60,000 images of 28 x 28 pixels to learn from and 10,000 to be
// tested on.
//
//	apt-get install dataset-fashion-mnist      # Debian and Ubuntu; or -data DIR
//	go run ./examples/fashion [-device gpu] [-epochs 4] [-plot loss.png]
//
// The images lie on the device as bytes; a step is fed nothing but the numbers
// of the 100 images that it takes. It prints loss, test accuracy and time after
// each epoch, 90 % or more at the end, and draws the loss as a PNG.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/anycl/anycl/examples/internal/term"
	"github.com/anycl/anycl/ops"
)

// options are what the command line says.
type options struct {
	data, device, plot string
	epochs             int
	seed               uint64
	limit              int // of the images, in training and test; 0 is all
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", debianFolder, "folder with the four files of Fashion-MNIST, packed or not")
	flag.StringVar(&o.device, "device", "", "device to use, as ANYCL_DEVICE: gpu, nvidia, pocl:0, none for the CPU path (default the best)")
	flag.StringVar(&o.plot, "plot", "loss.png", "file to draw the loss in; empty for none")
	flag.IntVar(&o.epochs, "epochs", 4, "times to go through the training images")
	flag.IntVar(&o.limit, "limit", 0, "how many images to learn from, and to be tested on, at most (default all)")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first weights and of the order of the images")
	flag.Parse()
	if flag.NArg() > 0 || o.epochs < 1 || o.limit < 0 || o.limit > 0 && o.limit < batch {
		fmt.Fprintf(os.Stderr, "fashion: takes no arguments, at least 1 epoch and %d images\n", batch)
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := run(ctx, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "fashion:", err)
		os.Exit(1)
	}
}

// run trains and returns the accuracy on the test images, from 0 to 1.
func run(ctx context.Context, o options, out, progress io.Writer) (accuracy float64, err error) {
	train, test, err := load(o.data, o.limit)
	if err != nil {
		return 0, err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true})
	if err != nil {
		return 0, err
	}
	defer rt.Close()
	fmt.Fprintf(out, "%d images to learn, %d to test; runs on %s\n", train.len(), test.len(), rt.Why())
	t, err := newTrainer(ctx, rt, train, test, o)
	if err != nil {
		return 0, err
	}
	defer t.close()

	bar := term.NewProgress(progress, o.epochs*t.steps(), "training")
	defer bar.Done()
	var losses []float64
	for epoch := range o.epochs {
		start := time.Now()
		loss, err := t.epoch(ctx, func(loss float64) {
			losses = append(losses, loss)
			bar.Step()
		})
		if err != nil {
			return 0, err
		}
		took := time.Since(start)
		if accuracy, err = t.accuracy(ctx); err != nil {
			return 0, err
		}
		bar.Line("epoch %2d   loss %.4f   test %5.1f %%   %5.1f s   %6.0f images/s", epoch+1, loss, 100*accuracy,
			took.Seconds(), float64(t.steps()*batch)/took.Seconds())
	}
	fmt.Fprintf(out, "test accuracy %.2f %% of %d images after %d epochs\n", 100*accuracy, test.len(), o.epochs)
	if o.plot != "" {
		if err := plotLoss(o.plot, losses, t.steps()); err != nil {
			return 0, err
		}
		fmt.Fprintf(out, "the loss of each step is drawn in %s\n", o.plot)
	}
	return accuracy, nil
}
