package bench

import "fmt"

// poolings are windows of size x size over n images of c channels, h x h.
var poolings = []struct {
	op                         string
	n, c, h, size, stride, pad int
}{
	{"max_pool2d", 1, 64, 112, 3, 2, 1},
	{"max_pool2d", 128, 32, 28, 2, 2, 0},
	{"avg_pool2d", 128, 32, 28, 2, 2, 0},
	{"avg_pool2d", 32, 512, 7, 7, 7, 0},
}

// poolWorks are pooling forward, and its gradient with the forward run that it
// comes from: of maxima by PyTorch's rule, the first of the largest elements.
func poolWorks() []*Work {
	var works []*Work
	for _, l := range poolings {
		name := fmt.Sprintf("%s/%dx%dx%dx%d-%dx%d", l.op[:3]+"pool", l.n, l.c, l.h, l.h, l.size, l.size)
		about := fmt.Sprintf("stride %d", l.stride)
		a := Attr{Size: l.size, Stride: l.stride, Pad: l.pad}
		out := (l.h+2*l.pad-l.size)/l.stride + 1
		in, y := float64(4*l.n*l.c*l.h*l.h), float64(4*l.n*l.c*out*out)
		p := &Program{}
		x := p.Operand(l.n, l.c, l.h, l.h)
		works = append(works, &Work{
			Name: name, About: about, Program: p.Return(p.With(a, l.op, x)), Rate: GBps, Bytes: in + y,
			Tolerance: 1e-5, Goals: []Goal{atLeast(1, ONNXRuntime)},
		})
		p = &Program{}
		x = p.Operand(l.n, l.c, l.h, l.h)
		p.Backward(p.With(a, l.op, x), []int{l.n, l.c, out, out}, x)
		works = append(works, &Work{
			Name: name[:7] + "-grad" + name[7:], About: about, Program: p, Rate: GBps, Bytes: 2*in + 3*y,
			Tolerance: 1e-4, Goals: []Goal{atLeast(1.5, PyTorch)},
		})
	}
	return works
}
