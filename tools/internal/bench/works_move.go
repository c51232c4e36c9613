package bench

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// moveWorks compute nothing: they move elements to where they belong.
func moveWorks() []*Work {
	goals := []Goal{atLeast(0.85, LimitCopy)}
	var works []*Work
	turn := func(name string, perm []int, dims ...int) {
		p := &Program{}
		n := 8.0
		for _, d := range dims {
			n *= float64(d)
		}
		works = append(works, &Work{
			Name: "transpose/" + name, Program: p.Return(p.With(Attr{Axes: perm}, "transpose", p.Operand(dims...))),
			Rate: GBps, Bytes: n, Goals: goals,
		})
	}
	turn("4096x4096", []int{1, 0}, 4096, 4096)
	turn("1023x4099", []int{1, 0}, 1023, 4099)
	turn("heads-16x128x4x64", []int{0, 2, 1, 3}, 16, 128, 4, 64)
	turn("nhwc-8x64x56x56", []int{0, 2, 3, 1}, 8, 64, 56, 56)
	for _, s := range [][3]int{{50257, 768, 1024}, {30000, 256, 16384}, {1 * mega, 4, 1 * mega}} {
		p := &Program{}
		table, ids := p.Operand(s[0], s[1]), p.Leaf(Operand, tensor.Int32, Fill{Below: s[0]}, s[2])
		works = append(works, &Work{
			Name: fmt.Sprintf("embedding/%dx%d-%d", s[0], s[1], s[2]), Program: p.Return(p.Do("gather", table, ids)),
			Rate: GBps, Bytes: 8*float64(s[1]*s[2]) + 4*float64(s[2]), Goals: goals,
		})
	}
	for _, s := range [][3]int{{30000, 256, 16384}, {1000, 64, 256 << 10}} { // few and many duplicates
		p := &Program{}
		table, ids := p.Operand(s[0], s[1]), p.Leaf(Operand, tensor.Int32, Fill{Below: s[0]}, s[2])
		works = append(works, &Work{
			Name: fmt.Sprintf("embedding-grad/%dx%d-%d", s[0], s[1], s[2]), About: "rows and their derivative",
			Program: p.Backward(p.Do("gather", table, ids), []int{s[2], s[1]}, table),
			Rate:    GBps, Bytes: 16*float64(s[1]*s[2]) + 4*float64(s[0]*s[1]), Tolerance: 1e-3, Goals: []Goal{atLeast(1.5, PyTorch)},
		})
	}
	return works
}
