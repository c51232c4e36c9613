package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/examples/internal/term"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// runTogether trains on several devices at once: each computes a share of every batch.
func runTogether(ctx context.Context, o options, out, progress io.Writer) (r *result, err error) {
	train, test, err := load()
	if err != nil {
		return nil, err
	}
	var devices []*ops.Runtime
	defer func() {
		for _, rt := range devices {
			err = errors.Join(err, rt.Close())
		}
	}()
	for _, spec := range o.devices {
		rt, err := ops.Open(ctx, &ops.Options{Device: spec, SpareProc: true})
		if err != nil {
			return nil, err
		}
		devices = append(devices, rt)
		fmt.Fprintf(out, "device %d is %s\n", len(devices), rt.Why())
	}

	g := ops.NewGraph("digits together")
	params, logits := network(g, o.seed)
	images, labels := g.Const(train.images), g.Const(train.labels)
	p, err := ops.NewDataParallel(ctx, devices, ops.DataParallelOptions{
		Params: params, Batch: batch,
		Share: func(rows int) ops.Share {
			index := g.Input("index", tensor.Int32, rows)
			loss := ops.CrossEntropy(logits(ops.Gather(images, 0, index)), ops.Gather(labels, 0, index))
			return ops.Share{Inputs: []*ops.Node{index}, Loss: loss}
		},
		Optimizer: func(loss *ops.Node) []*ops.Node {
			return optim.New(optim.Adam{LearningRate: learningRate}, params, optim.Options{}).Minimize(loss)
		},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	predict, err := g.Compile(ctx, devices[0], ops.Target{Outputs: []*ops.Node{ops.ArgMax(logits(g.Const(test.images)), 1)}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, predict.Close()) }()

	r = &result{where: strings.Join(o.devices, " and ")}
	steps := (train.len() + batch - 1) / batch // the last batch is smaller
	bar := term.NewProgress(progress, o.epochs*steps, "training")
	defer bar.Done()
	for epoch := range o.epochs {
		start, sum := time.Now(), 0.0
		order := data.Permutation(train.len(), o.seed, epoch)
		for at := 0; at < len(order); at += batch {
			rows := order[at:min(at+batch, len(order))]
			loss, err := p.Step(ctx, nil, numbers(rows))
			if err != nil {
				return nil, err
			}
			if r.first == 0 {
				r.first = time.Since(began)
				fmt.Fprintf(out, "first result %.2f s after the process began: loss %.3f\n", r.first.Seconds(), loss)
			}
			sum += loss * float64(len(rows))
			bar.Step()
		}
		took := time.Since(start)
		outs, err := predict.Run(ctx, nil)
		if err != nil {
			return nil, err
		}
		if r.predictions, err = tensor.ToSlice[int64](outs[0]); err != nil {
			return nil, err
		}
		r.accuracy = float64(test.right(r.predictions)) / float64(test.len())
		bar.Line("epoch %2d   loss %.4f   test %5.1f %%   %4d ms", epoch+1, sum/float64(len(order)), 100*r.accuracy, took.Milliseconds())
	}
	fmt.Fprintf(out, "test accuracy %.1f %%: %d of %d, after %d epochs on %s\n", 100*r.accuracy, test.right(r.predictions), test.len(),
		o.epochs, r.where)
	fmt.Fprintf(out, "\n%s", draw(test, r.predictions))
	return r, nil
}
