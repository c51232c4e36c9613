package bench

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// The rest of the sweep: works that are rarer than those of works_place.go, and where a model of
// costs that was fitted to those would be wrong.

// each adds one program a shape, named by it.
func (s *sweep) each(name string, shapes [][]int, build func(p *Program, d []int) Ref) {
	for _, d := range shapes {
		text := ""
		for i, n := range d {
			if i > 0 {
				text += "x"
			}
			text += fmt.Sprint(n)
		}
		p := &Program{}
		s.add(name+"/"+text, p, build(p, d))
	}
}

// typed adds works of other dtypes than float32.
func (s *sweep) typed() {
	for _, dt := range []tensor.DType{tensor.Float64, tensor.Float16, tensor.Int8, tensor.Int64} {
		in := func(p *Program, dims ...int) Ref { return p.Leaf(Input, dt, Fill{Below: 50}, dims...) }
		s.each("add-"+dt.String(), [][]int{{100}, {50000}, {1500000}}, func(p *Program, d []int) Ref {
			return p.Do("add", in(p, d...), in(p, d...))
		})
		s.each("max-"+dt.String(), [][]int{{30, 50}, {700, 900}}, func(p *Program, d []int) Ref {
			return p.With(Attr{Axes: []int{1}}, "max", in(p, d...))
		})
	}
	s.each("gelu-float64", [][]int{{1000}, {100000}}, func(p *Program, d []int) Ref {
		return p.Do("gelu", p.Leaf(Input, tensor.Float64, Fill{}, d...))
	})
	s.each("matmul-float16", [][]int{{24, 24, 24}, {200, 300, 100}}, func(p *Program, d []int) Ref {
		return p.Do("matmul", p.Leaf(Input, tensor.Float16, Fill{}, d[0], d[1]), p.Leaf(Input, tensor.Float16, Fill{}, d[1], d[2]))
	})
	s.each("matmul-int8", [][]int{{20, 40, 30}, {256, 256, 256}}, func(p *Program, d []int) Ref {
		return p.Do("matmul_integer", p.Leaf(Input, tensor.Int8, Fill{Below: 100}, d[0], d[1]),
			p.Leaf(Input, tensor.Int8, Fill{Below: 100}, d[1], d[2]))
	})
}

// odd has shapes that fill no vector and no tile, and that are long and thin.
func (s *sweep) odd() {
	s.each("matmul-odd", [][]int{{5, 7, 3}, {13, 300, 17}, {33, 77, 55}, {1000, 3, 1000}, {3, 5000, 3}, {257, 129, 511}},
		func(p *Program, d []int) Ref {
			return p.Do("matmul", p.Input(d[0], d[1]), p.Input(d[1], d[2]))
		})
	s.each("batched", [][]int{{500, 4, 4, 4}, {12, 50, 64, 50}, {3, 200, 100, 300}}, func(p *Program, d []int) Ref {
		return p.Do("matmul", p.Input(d[0], d[1], d[2]), p.Input(d[0], d[2], d[3]))
	})
	for axis := range 2 {
		s.each(fmt.Sprintf("sum-of-axis-%d", axis), [][]int{{200000, 3}, {3, 200000}, {777, 33}}, func(p *Program, d []int) Ref {
			return p.With(Attr{Axes: []int{axis}}, "sum", p.Input(d...))
		})
	}
	s.each("softmax-odd", [][]int{{1, 50}, {3, 20001}, {5000, 7}}, func(p *Program, d []int) Ref {
		return p.With(Attr{Axis: 1}, "softmax", p.Input(d...))
	})
	s.each("tanh-odd", [][]int{{333}, {77777}}, func(p *Program, d []int) Ref { return p.Do("tanh", p.Input(d...)) })
	for _, heads := range [][]int{{1, 2, 8, 16}, {1, 4, 50, 32}, {2, 8, 200, 64}} {
		s.each("attention", [][]int{heads}, func(p *Program, d []int) Ref {
			return p.With(Attr{}, "attention", p.Input(d...), p.Input(d...), p.Input(d...))
		})
	}
	for _, c := range []convolution{
		{"1x1", 1, 20, 9, 9, 30, 1, 1, 0, 1},
		{"odd", 3, 5, 17, 31, 7, 3, 2, 1, 1},
		{"5x5", 2, 12, 40, 40, 24, 5, 1, 2, 1},
	} {
		p := &Program{}
		s.add("conv/"+c.what, p, p.With(c.attr(), "conv2d", p.Input(c.n, c.c, c.h, c.w), p.Weight(c.c*c.u*c.u, c.o, c.c, c.u, c.u)))
	}
	for _, c := range []convolution{{"small", 1, 4, 12, 12, 8, 3, 2, 1, 1}, {"middle", 4, 16, 30, 30, 32, 3, 2, 1, 1}} {
		p := &Program{}
		x, w := p.Input(c.n, c.c, c.h, c.w), p.Operand(c.o, c.c, c.u, c.u)
		h, ww := c.out()
		p.Backward(p.With(c.attr(), "conv2d", x, w), []int{c.n, c.o, h, ww}, x, w)
		s.works = append(s.works, &Work{Name: "place-conv-gradients/" + c.what, Program: p, Tolerance: 1e-3})
	}
}

// branchy adds works that branch on their data, or whose addresses depend on data.
func (s *sweep) branchy() {
	s.each("gather-rows", [][]int{{20000, 64, 50}, {500, 16, 3000}}, func(p *Program, d []int) Ref {
		return p.Do("gather", p.Operand(d[0], d[1]), p.Leaf(Input, tensor.Int64, Fill{Below: d[0]}, d[2]))
	})
	s.each("scatter-add", [][]int{{100, 8, 40}, {1000, 32, 2000}}, func(p *Program, d []int) Ref {
		return p.Do("scatter_add", p.Input(d[0], d[1]), p.Leaf(Input, tensor.Int64, Fill{Below: d[0]}, d[2]), p.Input(d[2], d[1]))
	})
	s.each("sort", [][]int{{100}, {100000}, {200, 300}}, func(p *Program, d []int) Ref {
		return p.With(Attr{Axis: len(d) - 1}, "sort", p.Input(d...))
	})
	s.each("top-k", [][]int{{1000, 5}, {200000, 100}}, func(p *Program, d []int) Ref {
		return p.With(Attr{Size: d[1]}, "top_k", p.Input(d[0]))
	})
	s.each("unique", [][]int{{200}, {50000}}, func(p *Program, d []int) Ref {
		return p.Do("unique", p.Leaf(Input, tensor.Int64, Fill{Below: 1000}, d...))
	})
	s.each("unique-many", [][]int{{500000}}, func(p *Program, d []int) Ref { // that are all different, about
		return p.Do("unique", p.Leaf(Input, tensor.Int32, Fill{Below: 1 << 30}, d...))
	})
	s.each("suppress", [][]int{{100}, {2000}}, func(p *Program, d []int) Ref {
		return p.Do("suppress", p.Input(1, d[0], 4), p.Input(1, 1, d[0]))
	})
	s.each("suppress-classes", [][]int{{20, 5000}}, func(p *Program, d []int) Ref {
		return p.Do("suppress", p.Input(1, d[1], 4), p.Input(1, d[0], d[1]))
	})
	s.each("trees", [][]int{{1, 20, 100}, {1000, 20, 100}}, func(p *Program, d []int) Ref {
		return p.With(Attr{Size: d[2], Stride: 6}, "trees", p.Input(d[0], d[1]))
	})
}

// graphs are of many tasks: one after the other, beside each other, and with next to nothing to
// compute from their inputs.
func (s *sweep) graphs() {
	s.each("deep", [][]int{{4, 30}, {32, 20}, {128, 12}}, func(p *Program, d []int) Ref {
		n, depth := d[0], d[1]
		x := p.Input(n, n)
		for range depth {
			x = p.With(Attr{Axis: 1}, "softmax", p.Do("matmul", x, p.Weight(n, n, n)))
		}
		return x
	})
	for _, d := range [][]int{{8, 40}, {64, 24}} {
		n, width := d[0], d[1]
		p := &Program{}
		x := p.Input(n, n)
		var out []Ref
		for range width {
			out = append(out, p.With(Attr{Axes: []int{1}}, "sum", p.Do("tanh", p.Do("matmul", x, p.Weight(n, n, n)))))
		}
		s.add(fmt.Sprintf("wide/%dx%d", n, width), p, out...)
	}
	s.each("big-feed", [][]int{{1 << 20}, {8 << 20}}, func(p *Program, d []int) Ref {
		return p.Do("exp", p.With(Attr{Start: 100, Stop: 200}, "slice", p.Input(d...)))
	})
	s.each("mean-of-feed", [][]int{{2000, 3}, {2000, 700}}, func(p *Program, d []int) Ref {
		return p.With(Attr{Axes: []int{0, 1}}, "mean", p.Input(d...))
	})
	s.each("resident-matmul", [][]int{{16, 64}, {8, 1024}}, func(p *Program, d []int) Ref {
		return p.Do("relu", p.Do("matmul", p.Input(d[0], d[1]), p.Operand(d[1], d[1])))
	})
	s.each("resident-sum", [][]int{{50, 40}, {600, 2000}}, func(p *Program, d []int) Ref {
		return p.With(Attr{Axes: []int{1}}, "sum", p.Do("exp", p.Operand(d...)))
	})
	for _, n := range []int{1, 64} {
		l := newLayers()
		h := l.Do("relu", l.dense(l.Input(n, 4), n, 4, 32))
		h = l.Do("relu", l.dense(h, n, 32, 32))
		l.training(l.dense(h, n, 32, 10), n)
		s.add(fmt.Sprintf("train-small/%d", n), l.Program, l.Outputs...)
	}
	l := newLayers()
	x := l.activate("relu", l.conv(images{l.Input(4, 1, 12, 12), 4, 1, 12, 12}, 4, 3, 2, 1))
	l.training(l.dense(l.With(Attr{Shape: []int{4, 4 * 6 * 6}}, "reshape", x.Ref), 4, 4*6*6, 10), 4)
	s.add("train-conv/4", l.Program, l.Outputs...)
}
