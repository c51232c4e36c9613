package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Works drawn for placement go down to a few numbers, where the CPU path wins.
const (
	drawnPlacedFlops    = 1e9
	drawnPlacedElements = 2 << 20
)

// DrawnPlacement are n graphs of random kinds and sizes, the same for the same seed, for comparing
// where they are placed with all on one side: works that no cost was fitted to.
func DrawnPlacement(seed uint64, n int) []*Work {
	d := placeDrawer{drawer{rand.New(rand.NewPCG(seed, 1))}, &sweep{}}
	kinds := []func(){d.products, d.folds, d.chains, d.convolutions, d.networks, d.ranked, d.moved, d.branches}
	for range n {
		kinds[d.IntN(len(kinds))]()
	}
	for _, w := range d.works {
		w.Name, w.Section, w.Rate, w.Tolerance = "drawn-"+w.Name, "Placement", PerSec, 2e-2
	}
	return d.works
}

type placeDrawer struct {
	drawer
	*sweep
}

// few are rank sizes of not too many elements.
func (d placeDrawer) few(rank int) []int {
	for {
		s, total := make([]int, rank), 1
		for i := range s {
			s[i] = d.size(1, drawnPlacedElements)
			total *= s[i]
		}
		if total <= drawnPlacedElements {
			return s
		}
	}
}

// fed is an operand that comes with every run, or that lies where it is used.
func (d placeDrawer) fed(p *Program, name *string, dt tensor.DType, dims ...int) Ref {
	if d.IntN(3) > 0 {
		return p.Leaf(Input, dt, Fill{Below: 50}, dims...)
	}
	*name += "-resident"
	return p.Leaf(Operand, dt, Fill{Below: 50}, dims...)
}

func (d placeDrawer) dtype() tensor.DType {
	return []tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32, tensor.Float64, tensor.Int32}[d.IntN(5)]
}

func (d placeDrawer) products() {
	b, m, n, k := 1, 0, 0, 0
	if d.IntN(3) == 0 {
		b = d.size(2, 64)
	}
	for flops := 0.0; flops == 0 || flops > drawnPlacedFlops; flops = 2 * float64(b*m) * float64(n) * float64(k) {
		m, n, k = d.size(1, 3000), d.size(1, 3000), d.size(1, 3000)
	}
	dt := []tensor.DType{tensor.Float32, tensor.Float32, tensor.Float64}[d.IntN(3)]
	p, name := &Program{}, fmt.Sprintf("matmul-%v/%dx%dx%dx%d", dt, b, m, k, n)
	d.add(name, p, p.Do("matmul", d.fed(p, &name, dt, b, m, k), d.fed(p, &name, dt, b, k, n)))
	d.rename(name)
}

// rename replaces a name whose parts are known only when the program is made.
func (d placeDrawer) rename(to string) { d.works[len(d.works)-1].Name = "place-" + to }

func (d placeDrawer) folds() {
	s, dt := d.few(1+d.IntN(3)), d.dtype()
	axis := d.IntN(len(s))
	op := []string{"sum", "max", "argmax", "softmax", "cumsum"}[d.IntN(5)]
	at := Attr{Axis: axis}
	switch op {
	case "sum", "max":
		at = Attr{Axes: []int{axis}}
	case "softmax":
		dt = tensor.Float32
	}
	p, named := &Program{}, fmt.Sprintf("%s-%v/%s-of-%d", op, dt, name(s), axis)
	d.add(named, p, p.With(at, op, d.fed(p, &named, dt, s...)))
	d.rename(named)
}

func (d placeDrawer) chains() {
	s := d.few(1 + d.IntN(3))
	p, named := &Program{}, "chain/"+name(s)
	v := d.fed(p, &named, tensor.Float32, s...)
	for range d.size(1, 8) {
		switch d.IntN(3) {
		case 0:
			v = p.Do([]string{"add", "mul"}[d.IntN(2)], v, d.fed(p, &named, tensor.Float32, s...))
		default:
			op := []string{"relu", "tanh", "exp", "sigmoid", "sqrt", "gelu"}[d.IntN(6)]
			named += "-" + op
			v = p.Do(op, v)
		}
	}
	d.add(named, p, v)
}

func (d placeDrawer) convolutions() {
	for {
		c := convolution{what: "conv", n: d.size(1, 16), c: d.size(1, 64), h: d.size(4, 64), o: d.size(1, 64), stride: 1 + d.IntN(2), groups: 1}
		c.w, c.u = c.h, 1+2*d.IntN(3)
		c.pad = d.IntN(c.u/2 + 1)
		if c.h+2*c.pad < c.u || c.flops() > drawnPlacedFlops {
			continue
		}
		p := &Program{}
		y := p.With(c.attr(), "conv2d", p.Input(c.n, c.c, c.h, c.w), p.Weight(c.c*c.u*c.u, c.o, c.c, c.u, c.u))
		d.add(fmt.Sprintf("conv%dx%d-s%d/%s-%d", c.u, c.u, c.stride, name([]int{c.n, c.c, c.h, c.w}), c.o), p, p.Do("relu", y))
		return
	}
}

// networks are dense layers, run or trained, or a small transformer.
func (d placeDrawer) networks() {
	l, batch := newLayers(), d.size(1, 256)
	if d.IntN(4) == 0 {
		heads := 1 << d.IntN(4)
		t := transformer{d.size(1, 8), d.size(2, 128), heads * 8 * d.size(1, 4), heads, d.size(16, 512), d.IntN(2) == 0}
		d.add(fmt.Sprintf("transformer/%dx%dx%d-%d-%d", t.batch, t.tokens, t.width, t.heads, t.hidden), l.Program,
			l.block(t, l.Input(t.batch, t.tokens, t.width)))
		return
	}
	widths := []int{d.size(2, 1000)}
	h := l.Input(batch, widths[0])
	for range d.size(1, 6) {
		w := d.size(4, 1000)
		h = l.Do([]string{"relu", "tanh"}[d.IntN(2)], l.dense(h, batch, widths[len(widths)-1], w))
		widths = append(widths, w)
	}
	widths = append(widths, 10)
	h = l.dense(h, batch, widths[len(widths)-2], 10)
	if d.IntN(2) == 0 {
		l.training(h, batch)
		d.add(fmt.Sprintf("train/%d-of-%s", batch, name(widths)), l.Program, l.Outputs...)
		return
	}
	d.add(fmt.Sprintf("dense/%d-of-%s", batch, name(widths)), l.Program, l.With(Attr{Axis: 1}, "softmax", h))
}

func (d placeDrawer) ranked() {
	s, p := d.few(1+d.IntN(2)), &Program{}
	axis := len(s) - 1
	if d.IntN(2) == 0 {
		d.add("sort/"+name(s), p, p.With(Attr{Axis: axis}, "sort", p.Input(s...)))
		return
	}
	k := d.size(1, s[axis])
	d.add(fmt.Sprintf("top-%d/%s", k, name(s)), p, p.With(Attr{Size: k, Axis: axis}, "top_k", p.Input(s...)))
}

func (d placeDrawer) moved() {
	p := &Program{}
	if d.IntN(2) == 0 {
		s := d.few(2 + d.IntN(2))
		perm := d.Perm(len(s))
		if slices.IsSorted(perm) {
			slices.Reverse(perm)
		}
		d.add(fmt.Sprintf("transpose/%s-by-%s", name(s), name(perm)), p, p.With(Attr{Axes: perm}, "transpose", p.Input(s...)))
		return
	}
	rows, width, n := d.size(2, 50_000), d.size(1, 256), d.size(1, 8000)
	at := p.Leaf(Input, tensor.Int64, Fill{Below: rows}, n)
	d.add(fmt.Sprintf("gather/%dx%d-%d", rows, width, n), p, p.Do("gather", p.Operand(rows, width), at))
}

func (d placeDrawer) branches() {
	p := &Program{}
	switch d.IntN(3) {
	case 0:
		rows, features, trees, depth := d.size(1, 3000), d.size(2, 60), d.size(1, 300), 2+d.IntN(7)
		d.add(fmt.Sprintf("trees/%dx%d-%d-of-%d", rows, features, trees, depth), p,
			p.With(Attr{Size: trees, Stride: depth}, "trees", p.Input(rows, features)))
	case 1:
		classes, boxes := d.size(1, 20), d.size(10, 5000)
		d.add(fmt.Sprintf("suppress/%dx%d", classes, boxes), p, p.Do("suppress", p.Input(1, boxes, 4), p.Input(1, classes, boxes)))
	default:
		n, below := d.size(2, 500_000), d.size(2, 1<<30)
		d.add(fmt.Sprintf("unique/%d-below-%d", n, below), p, p.Do("unique", p.Leaf(Input, tensor.Int64, Fill{Below: below}, n)))
	}
}
