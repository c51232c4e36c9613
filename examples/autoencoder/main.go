// Autoencoder learns to write handwritten digits. A network describes each image of 8 x 8 pixels by a few numbers, and another
// draws the image from these; the second draws digits that nobody wrote from random numbers.
//
//	go run ./examples/autoencoder [-device gpu] [-epochs 40] [-latent 8] [-png digits.png] [-seed 1]
//
// The digits come with the program, and it takes seconds. It draws a row of digits that were not learned, below it their
// reconstructions, and then new ones.
//
// It is a variational autoencoder: descriptions are normal distributions, which the loss pulls towards the standard one, so that
// there are no gaps between them. Source: Kingma and Welling, Auto-Encoding Variational Bayes (2014).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"

	"github.com/anycl/anycl/data"
	digits "github.com/anycl/anycl/examples/digits/data"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/train"
)

const (
	side, pixels  = digits.Side, digits.Side * digits.Side
	columns, rows = 20, 10 // of the picture
)

// options are the settings of the command line.
type options struct {
	device, png    string
	epochs, latent int
	seed           uint64
}

func main() {
	var o options
	flag.StringVar(&o.device, "device", "", "device to use, as ANYCL_DEVICE: gpu, nvidia, pocl:0, none for the CPU path (default the best)")
	flag.StringVar(&o.png, "png", "digits.png", "file to draw digits in")
	flag.IntVar(&o.epochs, "epochs", 40, "times to go through the digits")
	flag.IntVar(&o.latent, "latent", 8, "numbers that describe a digit")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first weights, of the order and of the new digits")
	flag.Parse()
	if _, err := run(context.Background(), o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "autoencoder:", err)
		os.Exit(1)
	}
}

// autoencoder describes images [N, pixels] and draws them.
type autoencoder struct {
	Encoder, Decoder nn.Sequential
}

func layers(in, hidden, out int) nn.Sequential {
	return nn.Sequential{&nn.Linear{In: in, Out: hidden}, nn.ReLU, &nn.Linear{In: hidden, Out: out}}
}

// loss is how many nats an image takes: those of the pixels, given a description that is drawn, and those of the description, its
// divergence from the standard normal distribution.
func (a *autoencoder) loss(p *nn.Pass, x *ops.Node) *ops.Node {
	parts := ops.Split(a.Encoder.Apply(p, x), 1, 2)
	mean, logVar := parts[0], parts[1]
	noise := x.Graph().Normal(tensor.Float32, mean.Shape()...)
	drawn := a.Decoder.Apply(p, ops.Add(mean, ops.Mul(ops.Exp(ops.Mul(logVar, 0.5)), noise)))
	divergence := ops.Mul(ops.Sub(ops.Add(ops.Exp(logVar), ops.Square(mean)), ops.Add(logVar, 1)), 0.5)
	return ops.Add(ops.Mul(ops.BCEWithLogitsLoss(drawn, x, nil, nil), float64(pixels)), ops.Mean(ops.Sum(divergence, 1)))
}

// run trains and draws: the images of the picture, row by row.
func run(ctx context.Context, o options, out io.Writer) (*tensor.Tensor, error) {
	byDigit, err := digits.Digits()
	if err != nil {
		return nil, err
	}
	var parts [2][]float32 // the digits that are learned, and the first row
	for _, images := range byDigit {
		for i, image := range images {
			part := min(max(0, columns/10-i), 1)
			parts[part] = append(parts[part], image...)
		}
	}
	loader, err := data.TensorLoader(data.LoaderOptions{Batch: 32, Shuffle: true, Seed: o.seed, DropLast: true},
		tensor.Must(tensor.FromSlice(parts[0], len(parts[0])/pixels, pixels)))
	if err != nil {
		return nil, err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device})
	if err != nil {
		return nil, err
	}
	defer rt.Close()
	fmt.Fprintf(out, "%d digits to learn; runs on %s\n", loader.Dataset().Len(), rt.Why())

	g := ops.NewGraph("autoencoder")
	g.Seed(o.seed)
	a := &autoencoder{layers(pixels, 128, 2*o.latent), layers(o.latent, 128, pixels)}
	model := nn.New(g, a, nn.Options{Seed: o.seed})
	x := g.Input("x", tensor.Float32, loader.Batch(), pixels)
	loss := a.loss(model.Train(), x)
	falling := optim.Options{Schedule: optim.Cosine(o.epochs*loader.Len(), 0.01)}
	updates := optim.New(optim.Adam{LearningRate: 0.003}, model.Params(), falling).Minimize(loss)
	if _, err := train.Fit(ctx, rt, &train.Model{Inputs: []*ops.Node{x}, Loss: loss, Updates: updates}, loader,
		train.Options{Epochs: o.epochs, Interrupt: true, Progress: out}); err != nil {
		return nil, err
	}

	first := g.Const(tensor.Must(tensor.FromSlice(parts[1], columns, pixels)))
	means := ops.Split(a.Encoder.Apply(model.Eval(), first), 1, 2)[0]
	described := ops.Concat(0, means, g.Normal(tensor.Float32, (rows-2)*columns, o.latent))
	drawn := ops.Sigmoid(a.Decoder.Apply(model.Eval(), described))
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Concat(0, first, drawn)}})
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	outs, err := exe.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "drawn in %s\n", o.png)
	return outs[0], save(o.png, outs[0])
}

// save draws images, ink on paper, with a line of paper between them.
func save(path string, images *tensor.Tensor) error {
	const zoom, cell = 4, side + 1
	p := image.NewGray(image.Rect(0, 0, columns*cell*zoom, rows*cell*zoom))
	for i := range p.Pix {
		y, x := i/p.Stride/zoom, i%p.Stride/zoom
		p.Pix[i] = 255
		if y%cell < side && x%cell < side {
			p.Pix[i] = uint8(255 * (1 - images.Float64At((y/cell*columns+x/cell)*pixels+y%cell*side+x%cell)))
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, p), f.Close())
}
