package bench

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

const mega = 1 << 20

// mapWorks are element-wise; those of 64 Mi elements do not fit any cache.
func mapWorks() []*Work {
	var works []*Work
	bandwidth, throughput := []Goal{atLeast(0.9, LimitCopy)}, []Goal{atLeast(0.9, LimitExp)}
	for _, n := range []int{1 * mega, 64 * mega} {
		add := func(what string, streams int, goals []Goal, p *Program) {
			works = append(works, &Work{
				Name: fmt.Sprintf("%s/%dMi", what, n/mega), Program: p, Rate: GBps, Bytes: float64(streams) * 4 * float64(n), Goals: goals,
			})
		}
		one := func(op string) *Program {
			p := &Program{}
			return p.Return(p.Do(op, p.Operand(n)))
		}
		add("copy", 2, bandwidth, one("copy"))
		add("exp", 2, throughput, one("exp"))
		add("tanh-gelu", 2, throughput, one("gelu_tanh"))
		p := &Program{}
		x, y := p.Operand(n), p.Operand(n)
		h := p.Do("relu", p.Do("add", p.With(Attr{Value: 0.5}, "scale", x), y))
		add("chain", 3, bandwidth, p.Return(p.Do("mul", p.Do("sub", h, y), h)))
	}
	// Rows and columns broadcast, and a cast: operands other than plain vectors.
	p := &Program{}
	x, row, column := p.Operand(4096, 4099), p.Operand(4099), p.Operand(4096, 1)
	p.Return(p.Do("relu", p.Do("mul", p.Do("add", x, row), column)))
	works = append(works, &Work{
		Name: "chain/4096x4099-broadcast", Program: p, Rate: GBps, Bytes: 8 * 4096 * 4099, Goals: bandwidth,
	})
	p = &Program{}
	p.Return(p.With(Attr{CastType: "float32"}, "cast", p.Leaf(Operand, tensor.Float16, Fill{}, 32*mega)))
	return append(works, &Work{Name: "cast/float16-32Mi", Program: p, Rate: GBps, Bytes: 6 * 32 * mega, Goals: bandwidth})
}
