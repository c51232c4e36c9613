package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/anycl/anycl/checkpoint"
	"github.com/anycl/anycl/data"
	text "github.com/anycl/anycl/examples/transformer/data"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/train"
)

// learn trains a network on nine tenths of the text, validates on the last, and saves it.
func learn(ctx context.Context, rt *ops.Runtime, o options, out io.Writer) error {
	book, err := text.MobyDick()
	if err != nil {
		return err
	}
	known := alphabetOf(book)
	all, err := known.numbers(book)
	if err != nil {
		return err
	}
	if _, err := known.numbers(o.prompt); err != nil {
		return err // before the training
	}
	learned, kept := all[:len(all)/10*9], all[len(all)/10*9:]
	loader, err := data.NewLoader(pieces{learned, o.Context, 1},
		data.LoaderOptions{Batch: o.batch, Shuffle: true, Seed: o.seed, DropLast: true})
	if err != nil {
		return err
	}
	valid, err := data.NewLoader(pieces{kept, o.Context, o.Context}, data.LoaderOptions{Batch: o.batch, DropLast: true})
	if err != nil {
		return err
	}
	folder := &checkpoint.Folder{Dir: o.dir}
	if made, err := folder.Steps(); err != nil {
		return err
	} else if len(made) > 0 && !o.resume {
		return fmt.Errorf("%s has a training of %d steps: -resume goes on with it, -dir names another folder", o.dir, made[len(made)-1])
	}
	o.Alphabet = string(known)
	n := newNetwork(o.shape, o.seed, o.precision)
	fmt.Fprintf(out, "%d characters to learn, %d to validate, of %d kinds; %d parameters\n", len(learned), len(kept), len(known), n.Size())
	if rt.Device() != nil {
		fmt.Fprintln(out, "kernels that are new to the device are compiled first")
	}
	_, err = train.Fit(ctx, rt, n.training(o), loader, train.Options{
		Steps: o.steps, Valid: valid, ValidEvery: o.every, KeepBest: true, Resume: o.resume, Interrupt: true,
		Folder: folder, SaveEvery: o.every, Progress: out, Curves: filepath.Join(o.dir, "loss.png"),
	})
	if stopped := (*train.Interrupted)(nil); errors.As(err, &stopped) {
		return fmt.Errorf("%w\n-resume goes on", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "a bigram model has a loss of %.4f\n", bigramLoss(learned, kept, len(known)))
	return n.saveTo(ctx, o.save)
}

// training is a step: the cross-entropy of the next characters, and AdamW with a rate that rises, then falls.
func (n *network) training(o options) *train.Model {
	g := n.Graph()
	ids, next := g.Input("ids", tensor.Int32, o.batch, o.Context), g.Input("next", tensor.Int32, o.batch, o.Context)
	loss := func(p *nn.Pass) *ops.Node {
		return ops.CrossEntropy(ops.Reshape(n.scores(p, ids, nil), -1, n.Embed.Num), ops.Reshape(next, -1))
	}
	rise := o.steps / 20
	more := optim.Options{ClipGlobalNorm: 1, Schedule: optim.WarmUp(rise, optim.Cosine(o.steps-rise, 0.1))}
	if o.precision == tensor.Float16 {
		more.Scale = &optim.LossScale{}
	}
	m := &train.Model{Inputs: []*ops.Node{ids, next}, Loss: loss(n.Train()), ValidLoss: loss(n.Eval())}
	m.Updates = optim.New(optim.AdamW{LearningRate: o.rate}, n.Params(), more).Minimize(m.Loss)
	return m
}
