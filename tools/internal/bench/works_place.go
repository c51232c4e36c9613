package bench

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// PlacementWorks are a sweep over kinds and sizes of work, fed and read in every run unless the
// name says resident, for comparing where they are placed with all on one side.
func PlacementWorks() []*Work {
	s := &sweep{}
	s.maps()
	s.folds()
	s.products()
	s.convolutions()
	s.networks()
	s.moves()
	s.typed()
	s.odd()
	s.branchy()
	s.graphs()
	s.mixed()
	for _, w := range s.works {
		w.Section = "Placement"
		w.Rate = PerSec
	}
	return s.works
}

// sweep collects works.
type sweep struct{ works []*Work }

func (s *sweep) add(name string, p *Program, out ...Ref) {
	s.works = append(s.works, &Work{Name: "place-" + name, Program: p.Return(out...), Tolerance: 1e-3})
}

func (s *sweep) maps() {
	for _, n := range []int{16, 1 << 10, 16 << 10, 256 << 10, 4 << 20} {
		p := &Program{}
		s.add(fmt.Sprintf("add/%d", n), p, p.Do("add", p.Input(n), p.Input(n)))
		p = &Program{}
		s.add(fmt.Sprintf("gelu/%d", n), p, p.Do("gelu", p.Input(n)))
		p = &Program{}
		x, y := p.Operand(n), p.Operand(n)
		h := p.Do("sqrt", p.Do("add", p.Do("mul", x, x), p.Do("mul", y, y)))
		s.add(fmt.Sprintf("chain-resident/%d", n), p, p.Do("div", h, p.With(Attr{Value: 0.5}, "scale", y)))
	}
}

func (s *sweep) folds() {
	for _, d := range [][2]int{{8, 16}, {128, 1000}, {1024, 1024}, {4096, 1024}} {
		name := fmt.Sprintf("%dx%d", d[0], d[1])
		p := &Program{}
		s.add("sum/"+name, p, p.With(Attr{Axes: []int{1}}, "sum", p.Input(d[0], d[1])))
		p = &Program{}
		s.add("softmax/"+name, p, p.With(Attr{Axis: 1}, "softmax", p.Input(d[0], d[1])))
		p = &Program{}
		s.add("argmax/"+name, p, p.With(Attr{Axis: 0}, "argmax", p.Input(d[0], d[1])))
	}
}

func (s *sweep) products() {
	for _, n := range []int{4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048} {
		p := &Program{}
		s.add(fmt.Sprintf("matmul/%d", n), p, p.Do("matmul", p.Input(n, n), p.Input(n, n)))
	}
	for _, n := range []int{32, 512} {
		p := &Program{}
		in := func() Ref { return p.Leaf(Input, tensor.Float64, Fill{}, n, n) }
		s.add(fmt.Sprintf("matmul-float64/%d", n), p, p.Do("matmul", in(), in()))
	}
	for _, n := range []int{64, 512, 2048} {
		p := &Program{}
		s.add(fmt.Sprintf("gemv/%d", n), p, p.Do("matmul", p.Input(1, n), p.Weight(n, n, n)))
	}
	p := &Program{}
	s.add("batched/64x32x32x32", p, p.Do("matmul", p.Input(64, 32, 32), p.Input(64, 32, 32)))
}

func (s *sweep) convolutions() {
	for _, c := range []convolution{
		{"small", 1, 3, 16, 16, 8, 3, 1, 1, 1},
		{"middle", 1, 16, 32, 32, 32, 3, 1, 1, 1},
		{"strided", 4, 32, 28, 28, 64, 3, 2, 1, 1},
		{"large", 8, 64, 56, 56, 64, 3, 1, 1, 1},
		{"depthwise", 1, 64, 28, 28, 64, 3, 1, 1, 64},
	} {
		l := newLayers()
		x := images{l.Input(c.n, c.c, c.h, c.w), c.n, c.c, c.h, c.w}
		s.add("conv/"+c.what, l.Program, l.activate("relu", l.conv(x, c.o, c.u, c.stride, c.groups)).Ref)
	}
	p := &Program{}
	s.add("pool/16x32x28x28", p, p.With(Attr{Size: 2, Stride: 2}, "max_pool2d", p.Input(16, 32, 28, 28)))
}

func (s *sweep) networks() {
	for _, batch := range []int{1, 16, 256} {
		l := newLayers()
		h := l.Do("relu", l.dense(l.Input(batch, 8), batch, 8, 16))
		s.add(fmt.Sprintf("tiny-mlp/%d", batch), l.Program, l.With(Attr{Axis: 1}, "softmax", l.dense(h, batch, 16, 4)))
	}
	for _, batch := range []int{1, 8, 64, 256} {
		l := newLayers()
		s.add(fmt.Sprintf("mlp/%d", batch), l.Program, l.With(Attr{Axis: 1}, "softmax", l.mlp(batch)))
		l = newLayers()
		s.add(fmt.Sprintf("cnn/%d", batch), l.Program, l.cnn(batch))
	}
	for _, batch := range []int{4, 128} {
		l := newLayers()
		l.training(l.mlp(batch), batch)
		s.add(fmt.Sprintf("train-mlp/%d", batch), l.Program, l.Outputs...)
	}
	l := newLayers()
	h := l.Do("tanh", l.dense(l.Input(4, 8), 4, 8, 16))
	l.training(l.dense(h, 4, 16, 10), 4)
	s.add("train-tiny/4", l.Program, l.Outputs...)
	for _, t := range []transformer{{1, 8, 32, 2, 64, true}, {1, 64, 128, 4, 512, true}, {8, 128, 256, 4, 1024, false}} {
		l := newLayers()
		s.add(fmt.Sprintf("transformer/%dx%dx%d", t.batch, t.tokens, t.width), l.Program, l.block(t, l.Input(t.batch, t.tokens, t.width)))
	}
}

func (s *sweep) moves() {
	for _, n := range []int{64, 64 << 10} {
		p := &Program{}
		rows := p.Leaf(Input, tensor.Int64, Fill{Below: 1000}, n)
		s.add(fmt.Sprintf("embedding/%d", n), p, p.Do("gather", p.Weight(1, 1000, 32), rows))
	}
	for _, n := range []int{32, 1024} {
		p := &Program{}
		s.add(fmt.Sprintf("transpose/%d", n), p, p.With(Attr{Axes: []int{1, 0}}, "transpose", p.Input(n, n)))
	}
	p := &Program{}
	s.add("cast/65536", p, p.With(Attr{CastType: "float32"}, "cast", p.Leaf(Input, tensor.Float16, Fill{}, 1<<16)))
}
