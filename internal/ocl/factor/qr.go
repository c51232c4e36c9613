package factor

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

func init() {
	variant.Register(variant.Family{
		Name: "qr", Kind: engine.Routine, Algorithm: (*engine.QR)(nil), Variants: []string{"blocks"},
		Choose: func(d *facts.Device, t *engine.Task) []variant.Variant {
			return []variant.Variant{{Name: "blocks", Why: "blocks of reflectors, each the product of halves, until a group can take a panel",
				Plan: func() (*variant.Plan, error) {
					return newQR(d, t).write()
				}}}
		},
		Check: func(d *facts.Device, t *engine.Task) string {
			if n := newQR(d, t).scratch[0]; n > d.MaxAlloc {
				return fmt.Sprintf("it needs %d bytes of memory beside, the largest allocation is %d", n, d.MaxAlloc)
			}
			return ""
		},
		Cost: func(t *engine.Task, l variant.AlgorithmCost) variant.AlgorithmCost {
			a := t.Algorithm.(*engine.QR)
			return factorCost(t, l, 7*blocks(min(a.M, a.N), qrPanel))
		},
	})
}

const (
	qrPanel  = 16  // columns of a panel
	qrBlock  = 128 // reflectors that are applied together
	qrChunks = 32  // parts of a matrix whose extremes are looked for apart
)

type qr struct {
	*job
	m, n, k, c    int64
	nb            int64
	wg            int
	prog          *codegen.Program
	step          int64            // of scratch memory, from matrix to matrix
	f, v, t, q    contract.Part    // in there
	tmp           [2]contract.Part // products of reflectors with columns
	inner         *contract.Update // C = Aᵀ B
	set, subtract *contract.Update // C = A B, C -= A B
}

func newQR(d *facts.Device, t *engine.Task) *qr {
	a := t.Algorithm.(*engine.QR)
	f := &qr{job: newJob(d, t, a.Batch), m: a.M, n: a.N, k: min(a.M, a.N), c: a.Columns}
	f.nb = min(variant.RoundUp(max(f.k, 1), qrPanel), qrBlock)
	take := func(rows, ld int64) contract.Part {
		p := contract.Part{From: f.step, LD: ld}
		f.step += rows * ld
		return p
	}
	f.f = take(f.m, apart(f.n, qrPanel, f.size()))
	f.v = take(f.m, apart(f.k, qrPanel, f.size()))
	f.t = take(f.k, f.nb)
	f.q = take(f.m, f.c)
	wide := variant.RoundUp(max(f.n, f.c), qrPanel)
	f.tmp = [2]contract.Part{take(f.nb, wide), take(f.nb, wide)}
	f.step += qrPanel // a vector may begin at the last element
	for _, p := range []*contract.Part{&f.f, &f.v, &f.t, &f.q, &f.tmp[0], &f.tmp[1]} {
		p.Step = f.step
	}
	f.scratch = []int64{max(a.Batch*f.step, 1) * f.size(), max(a.Batch, 1) * qrChunks * 2 * f.size()}
	update := func(trans, set bool, longest int64) *contract.Update {
		return &contract.Update{Device: d, Task: t, DType: f.dt, ATrans: trans, Set: set, Longest: longest, Limits: []int64{f.step},
			Begin: func(g *codegen.Builder) (string, string, string) {
				g.ScratchArg("S", 0, f.ctype())
				return "S", "S", "S"
			}}
	}
	f.inner, f.set, f.subtract = update(true, true, f.m), update(false, true, f.nb), update(false, false, f.nb)
	return f
}

// apart is how far apart rows of n elements of so many bytes are laid: whole vectors, and not at distances at which a cache would hold
// few of them.
func apart(n, vector, size int64) int64 {
	ld := variant.RoundUp(n, vector)
	if ld*size%1024 == 0 {
		ld += vector
	}
	return ld
}

// at is p from row i and column j on.
func at(p contract.Part, i, j int64) contract.Part {
	p.From += i*p.LD + j
	return p
}

func (f *qr) write() (*variant.Plan, error) {
	f.wg = f.group(128)
	g := f.program(f.wg, f.step)
	g.Macro("IN", f.input(g, 0))
	limits := map[tensor.DType][4]string{
		tensor.Float32: {"1e14f", "1e-14f", "0x1p-90f", "126"}, tensor.Float64: {"1e140", "1e-140", "0x1p-950", "1022"},
	}[f.dt]
	for i, name := range []string{"LARGE", "SMALL", "LOST", "UP_MOST"} {
		g.Macro(name, limits[i])
	}
	g.Macro("CHUNKS", qrChunks)
	g.Macro("NB", f.nb)
	g.ScratchArg("S", 0, f.ctype())
	g.ScratchArg("PART", 1, f.ctype())
	for i, name := range []string{"Q", "R"} {
		put := "(void)0"
		if f.task.Reads(i) {
			put = f.output(g, i, f.ctype()) + "[i] = (v)"
		}
		g.Macro("PUT_"+name+"(i, v)", put)
	}
	for _, s := range []struct {
		name  string
		value int64
	}{
		{"M", f.m}, {"N", f.n}, {"K", f.k}, {"C", f.c}, {"STEP", f.step}, {"LD", f.f.LD}, {"V_AT", f.v.From}, {"V_LD", f.v.LD},
		{"T_AT", f.t.From}, {"Q_AT", f.q.From}, {"FROM", 0}, {"W", 0}, {"T_FROM", 0},
	} {
		g.Size(s.name, s.value)
	}
	f.prog = g.Assemble("factor/any_qr.cl")
	f.rows(f.prog, "qr_measure", f.wg, qrChunks)
	f.rows(f.prog, "qr_begin", f.wg, max(f.m, f.k))
	for k := int64(0); k < f.k; k += f.nb {
		w := min(f.nb, f.k-k)
		f.decompose(k, k, w)
		f.apply(k, k, w, f.f, k+w, f.n, f.inner)
	}
	if f.task.Reads(0) && f.k > 0 {
		for k := (f.k - 1) / f.nb * f.nb; k >= 0; k -= f.nb {
			f.apply(k, k, min(f.nb, f.k-k), f.q, k, f.c, f.set)
		}
	}
	f.rows(f.prog, "qr_end", f.wg, max(f.m, f.c))
	return f.plan(fmt.Sprintf("block=%d launches=%d", f.nb, len(f.launches)))
}

// decompose makes the w reflectors of the columns from k on, and their T in that of the block that begins at column block.
func (f *qr) decompose(block, k, w int64) {
	if w <= qrPanel {
		f.matrices(f.prog, "qr_panel", f.wg, map[string]int64{"FROM": k, "W": w, "T_FROM": at(f.t, k, k-block).From})
		return
	}
	h := half(w, qrPanel)
	f.decompose(block, k, h)
	f.apply(block, k, h, f.f, k+h, k+w, f.inner)
	f.decompose(block, k+h, w-h)
	// The T of both blocks together has -T₁ V₁ᵀ V₂ T₂ beside T₁ and above T₂.
	x, y := f.tmp[0], f.tmp[1]
	f.add(f.inner.Launch(f.batch, h, w-h, f.m-k-h, at(f.v, k+h, k), at(f.v, k+h, k+h), x, false))
	f.add(f.set.Launch(f.batch, h, w-h, w-h, x, at(f.t, k+h, k+h-block), y, false))
	f.add(f.subtract.Launch(f.batch, h, w-h, h, at(f.t, k, k-block), y, at(f.t, k, k+h-block), false))
}

// apply multiplies columns from first to last of c from the left by the w reflectors from k on: by their product where times is set, by its
// transpose where times is inner.
func (f *qr) apply(block, k, w int64, c contract.Part, first, last int64, times *contract.Update) {
	n := last - first
	if n <= 0 || f.batch == 0 {
		return
	}
	v, to := at(f.v, k, k), at(c, k, first)
	f.add(f.inner.Launch(f.batch, w, n, f.m-k, v, to, f.tmp[0], false))
	f.add(times.Launch(f.batch, w, n, w, at(f.t, k, k-block), f.tmp[0], f.tmp[1], false))
	f.add(f.subtract.Launch(f.batch, f.m-k, n, w, v, f.tmp[1], to, false))
}
