// Upscale trains a network to double the width and height of photographs, with more detail than bicubic interpolation finds.
//
//	go run ./examples/upscale [-device gpu] [-epochs 15] [-out upscale.png]
//	go run ./examples/upscale -save run.safetensors                             # ^C ends it; then
//	go run ./examples/upscale -save run.safetensors -resume run.safetensors    # goes on, to the same bits
//
// It learns from pieces of two photographs, which come with the program: three convolutions look at a piece that was made smaller
// and compute the correction of its enlargement (Shi et al., Real-Time Single Image and Video Super-Resolution, 2016). A part of
// a photograph is kept out of the training. It prints how close both enlargements come to that part, in decibels, and draws it as
// bicubic interpolation and as the network enlarge it, and as it is.
package main

import (
	"context"
	"flag"
	"image/color"
	"math"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/train"
)

// options are the settings of the command line.
type options struct {
	epochs, stride int
	rate           float64
	seed           uint64
	save, resume   string
}

func main() {
	o := options{}
	gallery.Int(&o.epochs, "epochs", 15, 1, 10000, "epochs of training: times to go through the pieces")
	gallery.Int(&o.stride, "stride", 16, 1, side, "pixels from one piece to the next")
	gallery.Float(&o.rate, "rate", 0.002, 1e-6, 0.01, "learning rate of the first step")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the first weights and of the order of the pieces")
	flag.StringVar(&o.save, "save", "", "`file` that keeps the training, after each epoch and when ^C ends it")
	flag.StringVar(&o.resume, "resume", "", "`file` of -save to go on with")
	gallery.Main("upscale", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

// The photographs are 640 x 427. Training has the flower and the parts of the temple left and right of the held-out one.
const (
	side  = 48 // of a piece
	left  = 160
	width = 160 // of the part that is kept out, from left on
)

// network is the network that enlarges grey images [n, 1, h, w] to [n, 1, 2h, 2w].
type network struct{ *nn.Model }

func build(g *ops.Graph, seed uint64) network {
	conv := func(in, out, size int) nn.Module {
		first := nn.KaimingNormal(math.Sqrt2)
		return &nn.Conv{In: in, Out: out, Kernel: []int{size, size}, Pad: []int{size / 2}, WeightInit: first, BiasInit: nn.Zeros}
	}
	last := &nn.Conv{In: 24, Out: 4, Kernel: []int{3, 3}, Pad: []int{1}, WeightInit: nn.Zeros, BiasInit: nn.Zeros} // at first it adds nothing
	return network{nn.New(g, nn.Sequential{conv(1, 32, 5), nn.ReLU, conv(32, 24, 3), nn.ReLU, last}, nn.Options{Seed: seed})}
}

// enlarge is the bicubic enlargement, and its sum with the network's correction. The network sees how pixels differ from the mean
// around them, and gives four numbers for each, which become a square of four.
func (n network) enlarge(p *nn.Pass, low *ops.Node) (bicubic, better *ops.Node) {
	bicubic = ops.Interpolate(low, ops.InterpolateOptions{Mode: ops.InterpolateCubic, Scale: []float64{2, 2}, Cubic: -0.5})
	mean := ops.AvgPool(low, ops.PoolingOptions{Size: []int{5, 5}, Stride: []int{1, 1}, Pad: []int{2, 2}})
	return bicubic, ops.Add(bicubic, ops.PixelShuffle(p.Apply(ops.Mul(ops.Sub(low, mean), 8)), 2))
}

// halve makes images [n, 1, h, w] smaller, as the ones are that are to be enlarged.
func halve(x *ops.Node) *ops.Node {
	return ops.Interpolate(x, ops.InterpolateOptions{Mode: ops.InterpolateCubic, Scale: []float64{0.5, 0.5}, Antialias: true})
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := gallery.Writable("save", o.save); err != nil {
		return err
	}
	learned, kept, err := pieces(o.stride)
	if err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	p.Printf("%d pieces of %d x %d pixels to learn from\n", learned.Shape()[0], side, side)
	loader, err := data.TensorLoader(data.LoaderOptions{Batch: 16, Shuffle: true, Seed: o.seed, DropLast: true}, learned)
	if err != nil {
		return err
	}
	valid, err := data.TensorLoader(data.LoaderOptions{Batch: 1}, kept)
	if err != nil {
		return err
	}

	g := ops.NewGraph("upscale")
	net := build(g, o.seed)
	piece := g.Input("piece", tensor.Float32, ops.Dim("n"), 1, ops.Dim("h"), ops.Dim("w"))
	loss := func(pass *nn.Pass) *ops.Node {
		_, better := net.enlarge(pass, halve(piece))
		return ops.Mean(ops.Square(ops.Sub(better, piece)))
	}
	trained := loss(net.Train())
	model := &train.Model{Inputs: []*ops.Node{piece}, Loss: trained, ValidLoss: loss(net.Eval())}
	steps := o.epochs * (learned.Shape()[0] / 16)
	adam := optim.New(optim.Adam{LearningRate: o.rate}, net.Params(), optim.Options{Schedule: optim.Linear(steps, 1, 0.05)})
	model.Updates = adam.Minimize(trained)
	if _, err := train.Fit(ctx, rt, model, loader, train.Options{
		Epochs: o.epochs, Valid: valid, Save: o.save, From: o.resume, Progress: p.Stderr,
	}); err != nil {
		return err
	}
	return judge(ctx, p, rt, g, net, kept)
}

// judge enlarges the part that was kept out, and says how close that comes.
func judge(ctx context.Context, p *gallery.Program, rt *ops.Runtime, g *ops.Graph, net network, kept *tensor.Tensor) error {
	height := kept.Shape()[2]
	whole := g.Input("whole", tensor.Float32, 1, 1, height, width)
	bicubic, better := net.enlarge(net.Eval(), halve(whole))
	work := gallery.Work{Name: "enlarging", Amount: float64(height*width) / 1e6, Unit: "M pixels"}
	results, err := gallery.Graph(ctx, p, rt, work, ops.Feeds{whole: kept}, bicubic, better)
	if err != nil {
		return err
	}
	truth := tensor.MustSlice[float32](kept)
	images := [][]float32{tensor.MustSlice[float32](results[0].Value[0]), tensor.MustSlice[float32](results[0].Value[1]), truth}
	before, after := decibels(images[0], truth), decibels(images[1], truth)
	p.Check(after > before, "the network comes closer to what was kept out: %.2f dB, bicubic interpolation %.2f dB", after, before)
	if len(results) == 2 {
		worst := gallery.Farthest(tensor.MustSlice[float32](results[1].Value[1]), images[1])
		p.Check(worst < 1e-4, "%s and the CPU path enlarge alike: %.1e of white apart", results[0].Where, worst)
	}
	const top, zoom, gap = 190, 2, 8
	return p.WritePNG(gallery.Paint(zoom*(3*width+2*gap), zoom*160, func(x, y int) color.RGBA {
		x, y = x/zoom, y/zoom
		if x%(width+gap) >= width {
			return gallery.Grey(1)
		}
		return gallery.Grey(float64(images[x/(width+gap)][(top+y)*width+x%(width+gap)]))
	}))
}
