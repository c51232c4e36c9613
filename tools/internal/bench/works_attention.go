package bench

import "fmt"

func attentionWorks() []*Work {
	var works []*Work
	for _, s := range [][4]int{{16, 4, 128, 64}, {4, 12, 256, 64}, {1, 12, 1024, 64}, {1, 8, 4096, 64}} {
		b, h, t, d := s[0], s[1], s[2], s[3]
		for _, causal := range []bool{false, true} {
			name, flops := fmt.Sprintf("attention/%dx%dx%dx%d", b, h, t, d), 4*float64(b*h*t*t*d)
			if causal {
				name, flops = name+"-causal", flops/2
			}
			p := &Program{}
			q, k, v := p.Operand(b, h, t, d), p.Operand(b, h, t, d), p.Operand(b, h, t, d)
			y := p.With(Attr{Causal: causal}, "attention", q, k, v)
			works = append(works, &Work{
				Name: name, Program: p.Return(y), Rate: GFLOPS, Flops: flops, Bytes: 16 * float64(b*h*t*d),
				Goals: []Goal{atLeast(1, ONNXRuntime)}, Slow: t > 2048,
			})
			if t > 2048 {
				continue
			}
			p = &Program{}
			q, k, v = p.Operand(b, h, t, d), p.Operand(b, h, t, d), p.Operand(b, h, t, d)
			y = p.With(Attr{Causal: causal}, "attention", q, k, v)
			works = append(works, &Work{
				Name: "attention-grad" + name[len("attention"):], Program: p.Backward(y, []int{b, h, t, d}, q, k, v),
				Rate: GFLOPS, Flops: 3.5 * flops, Bytes: 48 * float64(b*h*t*d), Tolerance: 1e-3, Goals: []Goal{atLeast(1, PyTorch)},
			})
		}
	}
	return append(works, decodeWorks()...)
}

// decodeWorks are a few queries against a cache of keys, as when a text is continued: the speed of
// reading the cache decides.
func decodeWorks() []*Work {
	var works []*Work
	for _, s := range [][4]int{{12, 1, 512, 64}, {12, 1, 4096, 64}, {12, 4, 4096, 64}, {8, 1, 32768, 64}} {
		h, m, n, d := s[0], s[1], s[2], s[3]
		p := &Program{}
		y := p.With(Attr{}, "attention", p.Operand(1, h, m, d), p.Operand(1, h, n, d), p.Operand(1, h, n, d))
		works = append(works, &Work{
			Name: fmt.Sprintf("attention-decode/%dx%dx%d-%d", h, m, d, n), About: "heads x queries x features, and keys", Program: p.Return(y),
			Rate: GBps, Flops: 4 * float64(h*m*n*d), Bytes: 8 * float64(h*(n+m)*d), Goals: []Goal{atLeast(1, ONNXRuntime)},
		})
	}
	return works
}
