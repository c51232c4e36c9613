// Mnist-onnx reads the 10,000 handwritten digits of MNIST's test set by a network that others have trained, an ONNX file.
//
//	go run ./examples/fetch mnist-onnx                      # the digits, 31 MB
//	go run ./examples/mnist-onnx -model opt-mnist.onnx
//
// The model takes an image of 28 x 28 pixels and gives a score for each digit, as mnist-8.onnx of the ONNX model zoo and its
// optimised form, opt-mnist.onnx, do; no registry of packages has one, so it is named. It prints how many digits are read rightly
// on the device and on the CPU path.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/idx"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

type options struct {
	model string
	count int
}

func main() {
	var o options
	flag.StringVar(&o.model, "model", "", "ONNX `file` of a network for MNIST")
	gallery.Int(&o.count, "count", 10000, 1, 10000, "digits to read, the first ones")
	gallery.Main("mnist-onnx", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

// digits are images, of which each has a byte for a pixel, and which digits they are.
func digits() (images, labels *tensor.Tensor, err error) {
	for _, x := range []struct {
		file dataset.File
		to   **tensor.Tensor
	}{{dataset.MNISTImages, &images}, {dataset.MNISTLabels, &labels}} {
		content, err := x.file.Read()
		if err != nil {
			return nil, nil, err
		}
		if *x.to, err = idx.Read(bytes.NewReader(content)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", x.file.Name, err)
		}
	}
	return images, labels, nil
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if o.model == "" {
		return errors.New("-model names no file: a network for MNIST, as opt-mnist.onnx")
	}
	images, labels, err := digits()
	if err != nil {
		return err
	}
	m, err := onnx.Load(o.model)
	if err != nil {
		return err
	}
	if len(m.Inputs()) != 1 || len(m.Outputs()) != 1 || m.Inputs()[0].DType != tensor.Float32 {
		return fmt.Errorf("%s is no network from one image to scores", o.model)
	}
	in, out := m.Inputs()[0].Name, m.Outputs()[0].Name
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	n := min(o.count, labels.Len())
	results, err := gallery.Both(ctx, p, rt, gallery.Work{Name: "reading digits, one at a time", Amount: float64(n), Unit: "digits"},
		func(place ops.Place) (func(context.Context) (int, error), error) {
			net, err := m.Compile(ctx, rt, &onnx.Options{Target: ops.Target{Place: place}})
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context) (right int, err error) {
				x := tensor.Must(tensor.New(tensor.Float32, 1, 1, 28, 28))
				feeds := map[string]*tensor.Tensor{in: x}
				for i := range n {
					for k := range x.Len() {
						x.SetFloat64(k, images.Float64At(i*x.Len()+k)) // 0 to 255, as the network was trained
					}
					y, err := net.Run(ctx, feeds)
					if err != nil {
						return 0, err
					}
					if best(y[out]) == int(labels.Float64At(i)) {
						right++
					}
				}
				return right, nil
			}, nil
		})
	if err != nil {
		return err
	}
	for _, r := range results {
		share := 100 * float64(r.Value) / float64(n)
		p.Check(share >= 98, "%s reads %d of %d digits rightly, %.2f %%", r.Where, r.Value, n, share)
	}
	return nil
}

// best is the position of the largest score.
func best(scores *tensor.Tensor) int {
	at, most := 0, scores.Float64At(0)
	for i, v := range scores.All() {
		if v > most {
			at, most = i, v
		}
	}
	return at
}
