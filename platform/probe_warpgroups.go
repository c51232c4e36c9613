package platform

import (
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/mmaprobe"
	"github.com/anycl/anycl/platform/internal/programtext"
	"github.com/anycl/anycl/tensor"
)

//go:embed probe_warpgroups.cl
var warpgroupsSource string

// warpgroupsForms are the programs by which warpgroups are proven: every order of elements in local memory, and every swizzle
// that kernels may use.
var warpgroupsForms = []warpgroupsForm{
	{128, 32, 1, 0, 0},
	{64, 64, 0, 1, 1},
	{256, 16, 1, 1, 1},
}

type warpgroupsForm struct{ columns, depth, aByK, bByK, bf16 int }

func (f warpgroupsForm) options() string {
	return fmt.Sprintf("%s -DTN=%d -DTK=%d -DA_BY_K=%d -DB_BY_K=%d -DBF16=%d", defaultStd, f.columns, f.depth, f.aByK, f.bByK, f.bf16)
}

// tryWarpgroups proves that four warps multiply matrices in local memory.
func (p *prober) tryWarpgroups() {
	var err error
	if p.caps.MMA < 80 {
		err = errNotOffered
	}
	for _, f := range warpgroupsForms {
		if err == nil {
			err = p.runWarpgroups(f)
		}
	}
	if err == nil {
		p.caps.MMA = 90
	}
	p.record("mma90", false, err)
}

func (p *prober) runWarpgroups(f warpgroupsForm) error {
	columns, depth := f.columns, f.depth
	prog := p.compile(programtext.Include(warpgroupsSource), f.options())
	if prog == nil {
		return errors.New("does not build")
	}
	k, err := prog.Kernel("warpgroups")
	if err != nil {
		return err
	}
	defer func() { p.o.warn("probe", k.Close()) }()
	in := warpgroupsMatrices(columns, depth)
	out := make([]float32, 64*columns)
	b, err := p.o.context.NewBuffer(cl.MemReadWrite, int64(4*len(out)), nil)
	if err != nil {
		return err
	}
	defer func() { p.o.warn("probe", b.Close()) }()
	err = errors.Join(
		p.queue.Write(p.buffer, 0, cl.Bytes(in), nil), p.queue.Write(b, 0, cl.Bytes(out), nil),
		k.SetBuffer(0, p.buffer), k.SetBuffer(1, b),
	)
	if err != nil {
		return err
	}
	if err := p.queue.Launch(k, cl.Range1(128, 128), nil); err != nil {
		return err
	}
	if err := p.queue.Read(b, 0, cl.Bytes(out), nil); err != nil {
		return err
	}
	if !rightWarpgroups(out, columns, depth) {
		return errors.New("computes a wrong result")
	}
	return nil
}

// warpgroupsMatrices are A, 64 x depth, and after it Bt, columns x depth.
func warpgroupsMatrices(columns, depth int) []uint16 {
	in := make([]uint16, (64+columns)*depth)
	for i := range in {
		in[i] = mmaprobe.Value(i)
	}
	return in
}

// rightWarpgroups checks their product.
func rightWarpgroups(out []float32, columns, depth int) bool {
	at := func(row, k int) float64 { return tensor.Half(mmaprobe.Value(row*depth + k)).Float64() }
	for i, got := range out {
		var sum float64
		for k := range depth {
			sum += at(i/columns, k) * at(64+i%columns, k)
		}
		if math.Float32bits(got) != math.Float32bits(float32(sum)) {
			return false
		}
	}
	return true
}
