package bench

import "fmt"

// rankWorks order values and sum them up. PyTorch gives positions too, which nobody reads: a sort
// carries them in any case.
func rankWorks() []*Work {
	goals := []Goal{atLeast(2, PyTorch)}
	var works []*Work
	add := func(name string, n int, p *Program) {
		works = append(works, &Work{Name: name, Program: p, Rate: GBps, Bytes: 8 * float64(n), Goals: goals, Slow: n > 1<<22})
	}
	for _, s := range [][2]int{{1, 1 << 24}, {1, 1 << 16}, {65536, 16}, {1024, 1000}} {
		p := &Program{}
		add(fmt.Sprintf("sort/%dx%d", s[0], s[1]), s[0]*s[1], p.Return(p.With(Attr{Axis: 1}, "sort", p.Operand(s[0], s[1]))))
	}
	for _, s := range [][3]int{{1, 1 << 22, 100}, {128, 50257, 50}, {4096, 256, 8}} {
		p := &Program{}
		add(fmt.Sprintf("top-%d/%dx%d", s[2], s[0], s[1]), s[0]*s[1], p.Return(p.With(Attr{Axis: 1, Size: s[2]}, "top_k", p.Operand(s[0], s[1]))))
	}
	for _, s := range [][3]int{{1, 1 << 24, 1}, {4096, 1024, 1}, {4096, 1024, 0}} {
		p := &Program{}
		add(fmt.Sprintf("cumsum/%dx%d-%s", s[0], s[1], [2]string{"down", "rows"}[s[2]]), s[0]*s[1],
			p.Return(p.With(Attr{Axis: s[2]}, "cumsum", p.Operand(s[0], s[1]))))
	}
	return works
}
