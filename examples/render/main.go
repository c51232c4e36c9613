// Render draws spheres of glass, metal and matt colours below a soft light, by following paths of light (Kajiya, The Rendering Equation,
// 1986) with a kernel of its own.
//
//	go run ./examples/render [-width 640] [-samples 32] [-out render.png]
//
// All devices and the CPU path make the same picture, bit by bit, because all that the kernel calculates with is exactly
// rounded. Two checks are printed: that, and the white furnace, in which everything is white and must be seen as white.
package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/term"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

type options struct{ width, samples int }

func (o options) height() int { return max(o.width*9/16, 1) }

// share of the paths are followed on the CPU path, where they take longer.
const share = 16

func main() {
	var o options
	gallery.Int(&o.width, "width", 640, 2, 4096, "width of the picture in pixels; the height is 9/16 of it")
	gallery.Multiple(&o.samples, "samples", share, 32, share, 1<<16, "paths through each pixel")
	gallery.Main("render", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	s := studio()
	paths := float64(o.width*o.height()*o.samples) / 1e6
	results, err := gallery.Both(ctx, p, rt, gallery.Work{Name: "picture", Amount: paths, Unit: "M paths", CPUShare: 1. / share},
		func(place ops.Place) (gallery.Run[[]float32], error) {
			if place == ops.OnCPU {
				return s.draw(ctx, p, rt, place, o.width, o.height(), o.samples/share)
			}
			return s.draw(ctx, p, rt, place, o.width, o.height(), o.samples)
		})
	if err != nil {
		return err
	}
	if err := checkSame(ctx, p, rt, s, o, results); err != nil {
		return err
	}
	for _, r := range results {
		if err := checkFurnace(ctx, p, rt, r.Where, r.Place); err != nil {
			return err
		}
	}
	return p.WritePNG(paint(results[0].Value, o.width, o.height()))
}

// pass is how many paths of a pixel are followed between two lines of progress.
const pass = 4

// draw compiles a pass. The function that it returns runs it as often as the picture needs, and gives the mean of the passes.
func (s *scene) draw(
	ctx context.Context, p *gallery.Program, rt *ops.Runtime, place ops.Place, width, height, samples int,
) (gallery.Run[[]float32], error) {
	each := min(pass, samples)
	var passes []*ops.Executable
	for first := 0; first < samples; first += each {
		g := ops.NewGraph("render")
		exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{s.render(g, rt, width, height, first, each)}, Place: place})
		if err != nil {
			return nil, err
		}
		passes = append(passes, exe)
	}
	return func(ctx context.Context) ([]float32, error) {
		sum := make([]float32, width*height*3)
		progress := term.NewProgress(p.Stderr, len(passes), "passes")
		defer progress.Done()
		for _, exe := range passes {
			out, err := exe.Run(ctx, nil)
			if err != nil {
				return nil, err
			}
			for k, v := range tensor.MustSlice[float32](out[0]) {
				sum[k] += v / float32(len(passes))
			}
			progress.Step()
		}
		return sum, nil
	}, nil
}

//go:embed render.cl
var source string

// scene is the scene that is rendered.
type scene struct {
	spheres []sphere
	light   int     // the sphere that is one, or -1
	emitted float32 // by the light, in each direction
	white   float32 // 0, or the light of the sky where all things are white: the furnace of the test
}

// render adds the mean of samples paths through each pixel, from the number first on, to the graph: float32 [height, width, 3].
func (s *scene) render(g *ops.Graph, rt *ops.Runtime, width, height, first, samples int) *ops.Node {
	lanes := rt.Device().Lanes() // spheres that a ray is compared with at once
	table := s.table(lanes)
	return ops.Kernel(g, ops.KernelOptions{
		Source: source, Entry: "render", Options: fmt.Sprintf("-D WIDTH=%d", lanes),
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{height, width, 3}}},
		Args:    []any{int32(table.Shape()[1]), int32(s.light), s.emitted, s.white, int32(first), int32(samples)},
		Global:  [3]int{width, height},
		CPU:     &ops.KernelForm{Local: [3]int{1, 1}}, // the variables of a work-item alone stay in registers
		Host:    func(outs, _ []*tensor.Tensor) error { return s.renderHost(outs[0], first, samples) },
	}, g.Const(table))[0]
}
