// Transformer trains a language model of characters on the first 36 chapters of Moby-Dick, which come with it, and has it
// write on.
//
//	go run ./examples/transformer [-device gpu] [-steps 800] [-prompt "The whale "] [-seed 1]
//	go run ./examples/transformer -resume                               # an interrupted training goes on
//	go run ./examples/transformer -load transformer.safetensors -prompt "Call me "
//
// It prints a line for each validation, beside the loss of a model that looks at one character alone (a bigram model), draws
// the losses in the folder -dir, saves the weights, and writes text one character a step, with a cache of keys and values.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct {
	device, dir, save, load, prompt string
	shape
	batch, steps, every, tokens int
	rate, temperature           float64
	seed                        uint64
	resume                      bool
	precision                   tensor.DType
}

func main() {
	o := options{precision: tensor.Float32}
	flag.StringVar(&o.device, "device", "", "device to use, as ANYCL_DEVICE: gpu, nvidia, pocl:0, none for the CPU path (default the best)")
	flag.IntVar(&o.Layers, "layers", 2, "layers of attention")
	flag.IntVar(&o.Width, "width", 128, "numbers that stand for a character")
	flag.IntVar(&o.Heads, "heads", 4, "heads of attention, which divide the width")
	flag.IntVar(&o.Context, "context", 64, "characters that attention sees")
	flag.IntVar(&o.batch, "batch", 16, "pieces of text in a step of training, each as long as the context")
	flag.IntVar(&o.steps, "steps", 800, "steps of training")
	flag.IntVar(&o.every, "every", 100, "steps from one validation to the next")
	flag.Float64Var(&o.rate, "rate", 0.003, "learning rate")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first weights, of the order of the pieces and of what is written")
	flag.Func("precision", "float32, bfloat16 or float16: dtype of matrix products (default float32)", func(name string) (err error) {
		if o.precision, err = tensor.ParseDType(name); err == nil && !o.precision.IsFloat() {
			err = fmt.Errorf("%s is no float", name)
		}
		return err
	})
	flag.StringVar(&o.dir, "dir", "transformer-run", "folder of checkpoints and of loss.png")
	flag.BoolVar(&o.resume, "resume", false, "go on with the training in -dir")
	flag.StringVar(&o.save, "save", "transformer.safetensors", "file for the weights of the trained network")
	flag.StringVar(&o.load, "load", "", "file with weights to write with, without a training")
	flag.StringVar(&o.prompt, "prompt", "The whale ", "how the text begins")
	flag.IntVar(&o.tokens, "tokens", 600, "characters to write")
	flag.Float64Var(&o.temperature, "temperature", 0.8, "how daring the choice of characters is; 0 takes the likeliest")
	flag.Parse()
	if err := run(context.Background(), o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "transformer:", err)
		os.Exit(1)
	}
}

// run opens the device, trains unless there are weights, and writes.
func run(ctx context.Context, o options, out io.Writer) error {
	if min(o.batch, o.steps, o.every, o.tokens, o.Context, len(o.prompt)) < 1 {
		return errors.New("-context, -batch, -steps, -every and -tokens must be 1 or more, and -prompt a character at least")
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device})
	if err != nil {
		return err
	}
	defer rt.Close()
	fmt.Fprintln(out, "runs on", rt.Why())
	if o.load == "" {
		if err := learn(ctx, rt, o, out); err != nil {
			return err
		}
		o.load = o.save
	}
	return write(ctx, rt, o, out)
}
