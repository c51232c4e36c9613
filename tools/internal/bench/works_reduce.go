package bench

import "fmt"

func reduceWorks() []*Work {
	goals := []Goal{atLeast(0.85, LimitCopy)}
	var works []*Work
	add := func(name string, bytes float64, p *Program) *Work {
		w := &Work{Name: name, Program: p, Rate: GBps, Bytes: bytes, Goals: goals}
		works = append(works, w)
		return w
	}
	const side = 8192
	whole := float64(4 * side * side)
	for _, op := range []string{"sum", "max"} {
		p := &Program{}
		add(op+"/64Mi", whole, p.Return(p.Do(op, p.Operand(side*side)))).Reads = true
	}
	for axis, what := range []string{"columns", "rows"} {
		p := &Program{}
		add("sum/8192x8192-"+what, whole, p.Return(p.With(Attr{Axes: []int{axis}}, "sum", p.Operand(side, side)))).Reads = true
		p = &Program{}
		add("argmax/8192x8192-"+what, whole, p.Return(p.With(Attr{Axis: axis}, "argmax", p.Operand(side, side)))).Reads = true
	}
	for _, s := range [][2]int{{side, side}, {65536, 128}, {128, 1000}, {12288, 1024}} {
		p := &Program{}
		add(fmt.Sprintf("softmax/%dx%d", s[0], s[1]), 8*float64(s[0]*s[1]), p.Return(p.With(Attr{Axis: 1}, "softmax", p.Operand(s[0], s[1]))))
	}
	for _, s := range [][2]int{{side, side}, {2048, 768}, {1024, 256}} {
		p := &Program{}
		y := p.With(Attr{Value: 1e-5}, "layer_norm", p.Operand(s[0], s[1]), p.Weight(2, s[1]), p.Weight(2, s[1]))
		add(fmt.Sprintf("layer-norm/%dx%d", s[0], s[1]), 8*float64(s[0]*s[1]), p.Return(y))
	}
	return works
}
