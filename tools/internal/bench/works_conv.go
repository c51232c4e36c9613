package bench

import "fmt"

// convolution is one layer: n images of c channels, h x w, to o channels with
// kernels of size u x u.
type convolution struct {
	what                          string
	n, c, h, w, o, u, stride, pad int
	groups                        int
}

func (c convolution) String() string {
	return fmt.Sprintf("%s/%dx%dx%dx%d-%d", c.what, c.n, c.c, c.h, c.w, c.o)
}

func (c convolution) out() (h, w int) {
	return (c.h+2*c.pad-c.u)/c.stride + 1, (c.w+2*c.pad-c.u)/c.stride + 1
}

func (c convolution) flops() float64 {
	h, w := c.out()
	return 2 * float64(c.n*c.o*h*w) * float64(c.c/c.groups*c.u*c.u)
}

var convolutions = []convolution{
	{"conv3x3", 1, 64, 56, 56, 64, 3, 1, 1, 1},
	{"conv3x3", 8, 64, 56, 56, 64, 3, 1, 1, 1},
	{"conv3x3", 1, 128, 28, 28, 128, 3, 1, 1, 1},
	{"conv3x3", 1, 256, 14, 14, 256, 3, 1, 1, 1},
	{"conv3x3", 1, 512, 7, 7, 512, 3, 1, 1, 1},
	{"conv3x3", 1, 3, 224, 224, 32, 3, 2, 1, 1},
	{"conv3x3", 128, 1, 28, 28, 32, 3, 1, 1, 1},
	{"conv3x3", 128, 32, 14, 14, 64, 3, 1, 1, 1},
	{"conv1x1", 8, 512, 7, 7, 2048, 1, 1, 0, 1},
	{"conv1x1", 1, 64, 56, 56, 256, 1, 1, 0, 1},
	{"conv1x1", 1, 96, 112, 112, 24, 1, 1, 0, 1},
	{"conv1x1", 1, 64, 56, 56, 128, 1, 2, 0, 1},
	{"conv7x7", 1, 3, 224, 224, 64, 7, 2, 3, 1},
	{"grouped3x3", 1, 128, 56, 56, 128, 3, 1, 1, 32},
	{"depthwise3x3", 1, 96, 112, 112, 96, 3, 1, 1, 96},
	{"depthwise3x3", 1, 144, 56, 56, 144, 3, 2, 1, 144},
	{"depthwise3x3", 8, 384, 14, 14, 384, 3, 1, 1, 384},
}

func convWorks() []*Work {
	var works []*Work
	for _, c := range convolutions {
		p := &Program{}
		x := p.Operand(c.n, c.c, c.h, c.w)
		w := p.Weight(c.c/c.groups*c.u*c.u, c.o, c.c/c.groups, c.u, c.u)
		works = append(works, c.work("", 1, p.Return(p.With(c.attr(), "conv2d", x, w)), atLeast(1, ONNXRuntime)))
	}
	for _, c := range convolutions {
		if c.n == 1 && c.what == "conv1x1" && c.stride == 1 {
			continue // a matrix product, measured as one
		}
		// The derivatives with respect to images and kernels, with the forward run
		// that they come from.
		p := &Program{}
		x := p.Operand(c.n, c.c, c.h, c.w)
		w := p.Weight(c.c/c.groups*c.u*c.u, c.o, c.c/c.groups, c.u, c.u)
		h, wide := c.out()
		p.Backward(p.With(c.attr(), "conv2d", x, w), []int{c.n, c.o, h, wide}, x, w)
		works = append(works, c.work("-grad", 3, p, atLeast(1.5, PyTorch)))
	}
	return works
}

func (c convolution) attr() Attr { return Attr{Stride: c.stride, Pad: c.pad, Groups: c.groups} }

func (c convolution) work(suffix string, times float64, p *Program, goal Goal) *Work {
	h, w := c.out()
	name := c.String()
	if suffix != "" {
		name = c.what + suffix + name[len(c.what):]
	}
	about := fmt.Sprintf("stride %d", c.stride)
	return &Work{
		Name: name, About: about, Program: p, Rate: GFLOPS, Flops: times * c.flops(), Goals: []Goal{goal},
		Bytes: times * 4 * float64(c.n*c.c*c.h*c.w+c.o*c.c/c.groups*c.u*c.u+c.n*c.o*h*w), Tolerance: 1e-3,
	}
}
