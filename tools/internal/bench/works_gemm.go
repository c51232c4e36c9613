package bench

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

func gemmWorks() []*Work {
	var works []*Work
	level := []Goal{atLeast(1, OpenBLAS, ONNXRuntime), atLeast(10, CLBlast)}
	for _, n := range []int{256, 512, 1000, 1023, 1024, 2048, 4096} {
		w := gemm(fmt.Sprintf("sgemm/%d", n), tensor.Float32, n, n, n, level)
		w.Slow = n > 2048
		works = append(works, w)
	}
	works = append(works, gemm("sgemm/333x777x555", tensor.Float32, 333, 777, 555, level))
	for _, n := range []int{512, 1023} {
		for _, form := range []string{"tn", "nt", "tt"} {
			w := gemm(fmt.Sprintf("sgemm/%d-%s", n, form), tensor.Float32, n, n, n, level)
			w.Program = gemmProgram(tensor.Float32, n, n, n, form[0] == 't', form[1] == 't')
			works = append(works, w)
		}
	}
	for _, n := range []int{512, 1024, 4096} {
		for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float64} {
			if n > 1024 && dt == tensor.Float64 {
				continue
			}
			goals := []Goal{atLeast(1, OpenBLAS)}
			if dt != tensor.Float64 {
				goals = []Goal{atLeast(0.8, NameFloat32)}
			}
			w := gemm(fmt.Sprintf("gemm-%v/%d", dt, n), dt, n, n, n, goals)
			w.Tolerance = map[tensor.DType]float64{tensor.Float16: 2e-3, tensor.BFloat16: 2e-2, tensor.Float64: 1e-10}[dt]
			works = append(works, w)
		}
	}
	for _, s := range [][3]int{{512, 512, 512}, {1024, 1024, 1024}, {16, 1024, 4096}} {
		m, k, n := s[0], s[1], s[2]
		p := &Program{}
		a, b := p.Leaf(Operand, tensor.Uint8, Fill{Below: 256}, m, k), p.Leaf(Operand, tensor.Int8, Fill{Below: 256}, k, n)
		w := gemm(fmt.Sprintf("gemm-int8/%d", n), tensor.Float32, m, k, n, []Goal{atLeast(1, ONNXRuntime), atLeast(2, NameFloat32)})
		if m != n {
			w.Name = fmt.Sprintf("gemm-int8/%dx%dx%d", m, k, n)
		}
		w.About = "uint8 times int8, summed in int32"
		w.Program, w.Bytes = p.Return(p.Do("matmul_integer", a, b)), float64(m*k+k*n+4*m*n)
		works = append(works, w)
	}
	near := []Goal{atLeast(0.9, OpenBLAS)}
	for _, s := range [][3]int{{16, 1024, 1024}, {4096, 1024, 16}, {16, 1024, 4096}, {4096, 16, 1024}, {64, 8192, 64}, {1, 4096, 1000}} {
		works = append(works, gemm(fmt.Sprintf("skinny/%dx%dx%d", s[0], s[1], s[2]), tensor.Float32, s[0], s[1], s[2], near))
	}
	for _, s := range [][2]int{{1024, 1024}, {4096, 4096}, {16384, 1024}} {
		w := gemm(fmt.Sprintf("gemv/%dx%d", s[0], s[1]), tensor.Float32, s[0], s[1], 1, []Goal{atLeast(0.9, OpenBLAS, LimitCopy)})
		w.Rate, w.Reads = GBps, true
		t := gemm(fmt.Sprintf("gemv/%dx%d-t", s[0], s[1]), tensor.Float32, s[1], s[0], 1, w.Goals)
		t.Rate, t.Reads, t.Program = GBps, true, gemmProgram(tensor.Float32, s[1], s[0], 1, true, false)
		works = append(works, w, t)
	}
	for _, s := range [][4]int{{64, 64, 64, 64}, {256, 32, 32, 32}, {48, 256, 64, 256}, {12, 1024, 64, 1024}} {
		p := &Program{}
		b, m, k, n := s[0], s[1], s[2], s[3]
		p.Return(p.Do("matmul", p.Operand(b, m, k), p.Operand(b, k, n)))
		works = append(works, &Work{
			Name: fmt.Sprintf("batched/%dx%dx%dx%d", b, m, k, n), Program: p, Rate: GFLOPS, Goals: near,
			Flops: 2 * float64(b*m*k*n), Bytes: 4 * float64(b*(m*k+k*n+m*n)),
		})
	}
	for _, s := range [][3]int{{128, 784, 512}, {2048, 768, 3072}} {
		p := &Program{}
		m, k, n := s[0], s[1], s[2]
		p.Return(p.Do("relu", p.Do("add", p.Do("matmul", p.Operand(m, k), p.Weight(k, k, n)), p.Weight(n, n))))
		works = append(works, &Work{
			Name: fmt.Sprintf("dense/%dx%dx%d", m, k, n), About: "with bias and ReLU, constant weights", Program: p, Rate: GFLOPS,
			Flops: 2 * float64(m*k*n), Bytes: 4 * float64(m*k+k*n+n+m*n), Goals: []Goal{atLeast(1, ONNXRuntime)},
		})
	}
	return works
}

// gemm is the product of [m k] and [k n].
func gemm(name string, dt tensor.DType, m, k, n int, goals []Goal) *Work {
	return &Work{
		Name: name, Program: gemmProgram(dt, m, k, n, false, false), Rate: GFLOPS, Goals: goals,
		Flops: 2 * float64(m) * float64(k) * float64(n),
		Bytes: float64(dt.Size()) * (float64(m)*float64(k) + float64(k)*float64(n) + float64(m)*float64(n)),
	}
}

// gemmProgram stores operands that are to be transposed the other way round.
func gemmProgram(dt tensor.DType, m, k, n int, ta, tb bool) *Program {
	p := &Program{}
	operand := func(rows, cols int, t bool) Ref {
		if t {
			rows, cols = cols, rows
		}
		return p.Leaf(Operand, dt, Fill{}, rows, cols)
	}
	turned := func(x Ref, t bool) Ref {
		if !t {
			return x
		}
		return p.With(Attr{Axes: []int{1, 0}}, "transpose", x)
	}
	a, b := operand(m, k, ta), operand(k, n, tb)
	return p.Return(p.Do("matmul", turned(a, ta), turned(b, tb)))
}
