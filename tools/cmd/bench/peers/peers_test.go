package peers

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// small is a program with every step, so that translations are held to ours.
func small() map[string]*bench.Program {
	all := map[string]*bench.Program{}
	one := func(name string, build func(p *bench.Program) bench.Ref) {
		p := &bench.Program{}
		all[name] = p.Return(build(p))
	}
	for _, op := range []string{"relu", "exp", "tanh", "sigmoid", "gelu", "gelu_tanh", "silu", "copy", "relu6"} {
		one(op, func(p *bench.Program) bench.Ref { return p.Do(op, p.Operand(3, 7)) })
	}
	for _, op := range []string{"add", "sub", "mul", "div"} {
		one(op, func(p *bench.Program) bench.Ref {
			return p.Do(op, p.Operand(3, 7), p.Leaf(bench.Operand, tensor.Float32, bench.Fill{Shift: 9}, 7))
		})
	}
	one("sqrt", func(p *bench.Program) bench.Ref {
		x := p.Operand(9)
		return p.Do("sqrt", p.Do("mul", x, x))
	})
	one("scale", func(p *bench.Program) bench.Ref { return p.With(bench.Attr{Value: 0.3}, "scale", p.Operand(5)) })
	one("cast", func(p *bench.Program) bench.Ref {
		return p.With(bench.Attr{CastType: "float32"}, "cast", p.Leaf(bench.Operand, tensor.Float16, bench.Fill{}, 6))
	})
	one("matmul", func(p *bench.Program) bench.Ref { return p.Do("matmul", p.Operand(5, 4), p.Operand(4, 6)) })
	one("batched matmul", func(p *bench.Program) bench.Ref { return p.Do("matmul", p.Operand(3, 5, 4), p.Operand(3, 4, 6)) })
	one("float64 matmul", func(p *bench.Program) bench.Ref {
		return p.Do("matmul", p.Leaf(bench.Operand, tensor.Float64, bench.Fill{}, 5, 4), p.Leaf(bench.Operand, tensor.Float64, bench.Fill{}, 4, 6))
	})
	one("matmul_integer", func(p *bench.Program) bench.Ref {
		return p.Do("matmul_integer", p.Leaf(bench.Operand, tensor.Uint8, bench.Fill{Below: 256}, 5, 4), p.Leaf(bench.Operand, tensor.Int8, bench.Fill{Below: 256}, 4, 6))
	})
	for _, form := range []string{"nt", "tn", "tt"} {
		one("matmul "+form, func(p *bench.Program) bench.Ref {
			side := func(rows, cols int, t bool) bench.Ref {
				if !t {
					return p.Operand(rows, cols)
				}
				return p.With(bench.Attr{Axes: []int{1, 0}}, "transpose", p.Operand(cols, rows))
			}
			return p.Do("matmul", side(5, 4, form[0] == 't'), side(4, 6, form[1] == 't'))
		})
	}
	one("matrix times vector", func(p *bench.Program) bench.Ref { return p.Do("matmul", p.Operand(5, 4), p.Operand(4, 1)) })
	one("matrix turned times vector", func(p *bench.Program) bench.Ref {
		return p.Do("matmul", p.With(bench.Attr{Axes: []int{1, 0}}, "transpose", p.Operand(4, 5)), p.Operand(4, 1))
	})
	one("conv2d", func(p *bench.Program) bench.Ref {
		return p.With(bench.Attr{Stride: 2, Pad: 1, Groups: 2}, "conv2d", p.Operand(2, 4, 7, 7), p.Weight(9, 6, 2, 3, 3), p.Weight(1, 6))
	})
	for _, op := range []string{"max_pool2d", "avg_pool2d"} {
		one(op, func(p *bench.Program) bench.Ref { return p.With(bench.Attr{Size: 2}, op, p.Operand(2, 3, 6, 6)) })
	}
	for _, op := range []string{"sum", "mean", "max"} {
		one(op, func(p *bench.Program) bench.Ref { return p.Do(op, p.Operand(4, 5)) })
		one(op+" of axes", func(p *bench.Program) bench.Ref { return p.With(bench.Attr{Axes: []int{0, 2}}, op, p.Operand(4, 5, 3)) })
	}
	one("argmax", func(p *bench.Program) bench.Ref { return p.With(bench.Attr{Axis: 1}, "argmax", p.Operand(4, 5)) })
	one("sort", func(p *bench.Program) bench.Ref { return p.With(bench.Attr{Axis: 1}, "sort", p.Operand(4, 50)) })
	one("top_k", func(p *bench.Program) bench.Ref {
		return p.With(bench.Attr{Axis: 1, Size: 3}, "top_k", p.Operand(4, 50))
	})
	one("cumsum", func(p *bench.Program) bench.Ref { return p.With(bench.Attr{Axis: 1}, "cumsum", p.Operand(4, 50)) })
	one("softmax", func(p *bench.Program) bench.Ref { return p.With(bench.Attr{Axis: 1}, "softmax", p.Operand(4, 5)) })
	one("layer_norm", func(p *bench.Program) bench.Ref {
		return p.With(bench.Attr{Value: 1e-5}, "layer_norm", p.Operand(4, 8), p.Weight(2, 8), p.Weight(2, 8))
	})
	one("reshape", func(p *bench.Program) bench.Ref {
		return p.With(bench.Attr{Shape: []int{2, 6}}, "reshape", p.Operand(3, 4))
	})
	one("transpose", func(p *bench.Program) bench.Ref {
		return p.With(bench.Attr{Axes: []int{2, 0, 1}}, "transpose", p.Operand(3, 4, 5))
	})
	one("slice", func(p *bench.Program) bench.Ref {
		return p.With(bench.Attr{Axis: 1, Start: 1, Stop: 3}, "slice", p.Operand(3, 4))
	})
	one("gather", func(p *bench.Program) bench.Ref {
		return p.Do("gather", p.Operand(9, 4), p.Leaf(bench.Operand, tensor.Int32, bench.Fill{Below: 9}, 5))
	})
	for _, causal := range []bool{false, true} {
		one(fmt.Sprintf("attention causal=%v", causal), func(p *bench.Program) bench.Ref {
			return p.With(bench.Attr{Causal: causal}, "attention", p.Operand(2, 3, 6, 4), p.Operand(2, 3, 6, 4), p.Operand(2, 3, 6, 4))
		})
	}
	one("tiny", func(p *bench.Program) bench.Ref { return p.Do("tiny", p.Do("tiny", p.Operand(bench.TinyItems))) })
	for _, w := range bench.Works() {
		if slices.Contains(ofOthers, w.Name) {
			all[w.Name] = w.Program
		}
	}
	p := &bench.Program{}
	x, w := p.Operand(4, 6), p.Weight(6, 6, 3)
	all["gradients"] = p.Backward(p.Do("tanh", p.Do("matmul", x, w)), []int{4, 3}, w, x)
	p = &bench.Program{Train: true}
	labels := p.Leaf(bench.Input, tensor.Int64, bench.Fill{Below: 3}, 4)
	all["training"] = p.Return(p.Do("cross_entropy", p.Do("matmul", p.Input(4, 6), p.Weight(6, 6, 3)), labels))
	return all
}

// ofOthers are works of peers that have nothing else: transforms, decompositions, sparse products.
var ofOthers = []string{"fft-f32/256x1024", "cholesky-f32/512", "lu-f64/100x64x64", "svdvals-f32/1000x32x32", "spmv-f32/laplacian-1000"}

// Each peer that is installed agrees with ours in every step that it has.
func TestPeersAgreeWithOurs(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	others, missing := All(rt, []string{"../../../../bench/.peers"})
	for _, m := range missing {
		t.Log(m)
	}
	ours := bench.NewOurs(rt, ops.OnCPU)
	for _, name := range ofOthers {
		require.Contains(t, small(), name)
	}
	brief := bench.Method{Turns: 1, Slice: time.Nanosecond, Pause: -1, Warm: time.Nanosecond}
	ran := map[string]int{}
	for name, p := range small() {
		results, err := bench.Measure(t.Context(), &bench.Work{Name: name, Program: p, Tolerance: 1e-5}, append([]bench.Contender{ours}, others...), brief)
		require.NoError(t, err, name)
		for _, r := range results[1:] {
			if r.Skipped == nil {
				ran[r.Contender]++
			} else {
				require.ErrorIs(t, r.Skipped, bench.ErrCannot, name)
			}
		}
	}
	for _, c := range others {
		require.Positive(t, ran[c.Name()], "%s ran nothing", c.Name())
		require.NoError(t, c.Close())
	}
	t.Log(ran)
}

func TestEveryForwardWorkHasAModel(t *testing.T) {
	t.Parallel()
	for _, w := range bench.Quick(bench.Works()) {
		if len(w.Program.Weights()) > 0 {
			continue // its constants would have to be drawn
		}
		_, _, err := onnxModel(w, nil)
		if err != nil && !errors.Is(err, bench.ErrCannot) {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
}

func TestAMissingLibraryNamesTheVariable(t *testing.T) {
	t.Setenv("ANYCL_CLBLAST", "/nowhere/lib.so")
	_, err := NewCLBlast("x")
	require.ErrorContains(t, err, "ANYCL_CLBLAST")
}
