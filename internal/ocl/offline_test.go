package ocl

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// gpuPlans are plans of every variant for GPUs with their largest shapes, which need most
// registers, but for sub-groups, which have lanePlans.
func gpuPlans(t *testing.T) map[string]*variant.Plan {
	t.Helper()
	all := map[string]*variant.Plan{}
	add := func(name string, p *variant.Plan, err error) {
		require.NoError(t, err, name)
		require.NotContains(t, all, name)
		all[name] = p
	}
	for kind, cases := range map[string]map[string]goldenCase{"": goldens(), "contract-": contractGoldens(),
		"attention-": attentionGoldens()} {
		for name, c := range cases {
			if c.facts.CPU {
				continue
			}
			if p := c.plan(t); p.Variant != "subgroup" {
				add(kind+strings.TrimSuffix(name, ".cl"), p, nil)
			}
		}
	}
	ordinary := ocltest.WithMatrixUnits(0)
	for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Int32} {
		for i := range 4 {
			task := sample.Matmul(dt, 3, 5000, 5000, 5000, i&1 != 0, i&2 != 0)
			p, err := variant.MakePlan(ordinary, nil, task, "contract=tile")
			add(fmt.Sprintf("tile-%v-%02b", dt, i), p, err)
			if dt == tensor.Float16 || dt == tensor.BFloat16 {
				p, err := variant.MakePlan(ocltest.WithMatrixUnits(80), nil, task, "contract=mma")
				add(fmt.Sprintf("mma-%v-%02b", dt, i), p, err)
			}
		}
		p, err := variant.MakePlan(ordinary, nil, sample.Fused(dt), "contract=tile")
		add(fmt.Sprintf("tile-fused-%v", dt), p, err)
	}
	for i, s := range []kernels.MMAShape{
		{M: 128, N: 128, K: 64, X: 2, Y: 4, Stages: 2}, {M: 64, N: 64, K: 32, X: 2, Y: 2, Stages: 4},
		{M: 16, N: 64, K: 64, X: 4, Y: 1, Stages: 4},
	} {
		c := contract.Separate(ocltest.WithMatrixUnits(80), access.Collapse(sample.Matmul(tensor.Float16, 1, 5000, 5000, 5000, false, true)),
			false)
		p, err := c.PlanMMA(contract.MMAChoice{Shape: s, Chunk: 5024, Splits: 1})
		add(fmt.Sprintf("mma-shape-%d", i), p, err)
	}
	for i, dt := range [][2]tensor.DType{{tensor.Int8, tensor.Int8}, {tensor.Int8, tensor.Uint8}, {tensor.Uint8, tensor.Int8},
		{tensor.Uint8, tensor.Uint8}} {
		p, err := variant.MakePlan(sample.WithDot(ocltest.GPU(256), "ptx"), nil, sample.Bytes(dt[0], dt[1], 2, 5000, 5000, 5000+i, i&1 != 0,
			i&2 != 0), "")
		add(fmt.Sprintf("tile-%v-%v", dt[0], dt[1]), p, err)
	}
	for i := range 2 {
		for _, dt := range []tensor.DType{tensor.Float16, tensor.Float32, tensor.Float64} {
			p, err := variant.MakePlan(ordinary, nil, sample.Matmul(dt, 1, 1, 5000, 5000, false, i == 0), "")
			add(fmt.Sprintf("vector-%v-%d", dt, i), p, err)
		}
	}
	for _, dt := range []tensor.DType{tensor.Float16, tensor.Float32, tensor.Float64} {
		p, err := variant.MakePlan(ocltest.WithMatrixUnits(80), nil, sample.Rank(dt, engine.Rank{Rows: 1, Length: 100_000, Keep: 100_000}), "")
		add(fmt.Sprintf("rank-match-%v", dt), p, err)
	}
	far := ocltest.WithMatrixUnits(80)
	far.ForceWide = true
	p, err := variant.MakePlan(far, nil, sample.Matmul(tensor.BFloat16, 2, 5000, 5000, 5000, true, false), "")
	add("mma-long", p, err)
	for _, features := range []int{32, 64, 128} {
		for name, pass := range map[string]engine.AttentionPass{"": engine.AttentionForward, "-dq": engine.AttentionGradQ,
			"-dkv": engine.AttentionGradKV} {
			for _, dt := range []tensor.DType{tensor.Float16, tensor.Float32} {
				p, err := variant.MakePlan(ordinary, nil, sample.Attention{DType: dt, B: 4, G: 1, M: 500, N: 500, D: features, E: features, Pass: pass,
					Low: -500, High: 0}.Task(), "")
				add(fmt.Sprintf("attention%s-%v-%d", name, dt, features), p, err)
			}
		}
	}
	for _, dt := range []tensor.DType{tensor.Float16, tensor.Float32, tensor.Float64, tensor.Int8} {
		if dt != tensor.Int8 {
			p, err := variant.MakePlan(ordinary, nil, sample.Softmax(dt, 64, 8000), "")
			add(fmt.Sprintf("softmax-%v", dt), p, err)
			p, err = variant.MakePlan(ordinary, nil, sample.Softmax(dt, 64, 20000), "")
			add(fmt.Sprintf("softmax-long-%v", dt), p, err)
			p, err = variant.MakePlan(ordinary, nil, sample.Softmax(dt, 64, 8192), "")
			add(fmt.Sprintf("softmax-full-%v", dt), p, err)
		}
		for name, task := range map[string]*engine.Task{
			"copy": sample.Map(engine.Domain{1 << 24}, sample.Load(0, dt, engine.Domain{1 << 24}), sample.Whole(dt, engine.Domain{1 << 24})),
			"bias": sample.ScaledColumns(dt, engine.Domain{1 << 14, 1000}),
			"turn": sample.Transposed(dt, 4096, 4096), "turn-sum": sample.TransposedTimes(dt, 4096, 4096),
		} {
			p, err := variant.MakePlan(ordinary, nil, task, "")
			add(fmt.Sprintf("map-%s-%v", name, dt), p, err)
		}
	}
	return all
}

// lanePlans are products by sub-groups of a given number of lanes with their tallest tiles.
func lanePlans(t *testing.T, lanes int) map[string]*variant.Plan {
	t.Helper()
	all := map[string]*variant.Plan{}
	add := func(name string, d *facts.Device, task *engine.Task) {
		p, err := variant.MakePlan(d, nil, task, "")
		require.NoError(t, err, name)
		require.Equal(t, "subgroup", p.Variant, name)
		all[name] = p
	}
	d := ocltest.WithSubgroups(lanes)
	far := *d
	far.ForceWide = true
	for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Int32} {
		for i := range 4 {
			add(fmt.Sprintf("%v-%02b", dt, i), d, sample.Matmul(dt, 3, 5000, 5000, 5000, i&1 != 0, i&2 != 0))
		}
		add(fmt.Sprintf("fused-%v", dt), d, sample.Fused(dt))
	}
	add("windows", d, sample.Biased(sample.Convolution(4, 1, 64, 56, 56, 64, 3, 1, 1)))
	add("split", d, sample.Matmul(tensor.Float32, 1, 100, 100, 50_000, false, true))
	add("long", &far, sample.Matmul(tensor.Float32, 2, 5000, 5000, 5000, false, false))
	return all
}

// Compiles products by sub-groups for Intel's GPUs with ocloc, and wants no spill and
// no array in memory.
func TestProgramsForSubgroupsStayInRegisters(t *testing.T) {
	ocloc := os.Getenv("ANYCL_OCLOC")
	if ocloc == "" {
		t.Skip("ANYCL_OCLOC is not set")
	}
	for device, lanes := range map[string]int{"tgllp": 8, "dg2": 8, "pvc": 16, "bmg": 16} {
		for name, p := range lanePlans(t, lanes) {
			t.Run(device+" "+name, func(t *testing.T) {
				t.Parallel()
				l, base := p.Launches[0], filepath.Join(t.TempDir(), "k")
				source := "#define FMA(a, b, c) fma((a), (b), (c))\n" + l.Program.Text()
				require.NoError(t, os.WriteFile(base+".cl", []byte(source), 0o644))
				out, err := exec.CommandContext(t.Context(), ocloc, "compile", "-file", base+".cl", "-device", device,
					"-options", "-cl-std=CL1.2 "+l.Program.Options, "-output_no_suffix", "-output", base).CombinedOutput()
				require.NoError(t, err, "%s", out)
				out, err = exec.CommandContext(t.Context(), ocloc, "disasm", "-file", base+".bin", "-device", device, "-dump", base).CombinedOutput()
				require.NoError(t, err, "%s", out)
				info, err := os.ReadFile(filepath.Join(base, ".ze_info"))
				require.NoError(t, err)
				require.Regexp(t, fmt.Sprintf(`simd_size: +%d\n`, lanes), string(info))
				require.NotRegexp(t, `(spill|private)_size`, string(info))
			})
		}
	}
}

// Compiles every program for NVIDIA GPUs with Clang and ptxas, and wants no spill
// and no array in memory. The variables name the tools; make offline sets them up.
func TestProgramsForGPUsStayInRegisters(t *testing.T) {
	clang, libclc, ptxas := os.Getenv("ANYCL_CLANG"), os.Getenv("ANYCL_LIBCLC"), os.Getenv("ANYCL_PTXAS")
	if clang == "" || libclc == "" || ptxas == "" {
		t.Skip("ANYCL_CLANG, ANYCL_LIBCLC and ANYCL_PTXAS are not set")
	}
	for name, p := range gpuPlans(t) {
		for i, l := range p.Launches {
			t.Run(fmt.Sprintf("%s %s", name, l.Kernel), func(t *testing.T) {
				t.Parallel()
				base := filepath.Join(t.TempDir(), fmt.Sprint(i))
				source := "#define FMA(a, b, c) fma((a), (b), (c))\n" + l.Program.Text()
				require.NoError(t, os.WriteFile(base+".cl", []byte(source), 0o644))
				args := append(strings.Fields(l.Program.Options), "-target", "nvptx64-nvidia-nvcl", "-march=sm_80", "-x", "cl", "-cl-std=CL1.2", "-O3",
					"-S", "-w", "-fgnu-keywords", "-Xclang", "-target-feature", "-Xclang", "+ptx78", "-Xclang", "-mlink-builtin-bitcode",
					"-Xclang", libclc, base+".cl", "-o", base+".ptx")
				out, err := exec.CommandContext(t.Context(), clang, args...).CombinedOutput()
				require.NoError(t, err, "%s", out)
				out, err = exec.CommandContext(t.Context(), ptxas, "-v", "-arch=sm_80", base+".ptx", "-o", base+".cubin").CombinedOutput()
				require.NoError(t, err, "%s", out)
				t.Logf("%s", out)
				require.Contains(t, string(out), " registers")
				wrong := `[1-9]\d* bytes (stack frame|spill)`
				if strings.Contains(l.Program.Text(), "#define SUMS_FROM ") && !strings.Contains(l.Program.Text(), "#define LEVELS 0\n") {
					wrong = `[1-9]\d* bytes spill` // sums of blocks are meant to lie in memory
				}
				require.NotRegexp(t, wrong, string(out))
			})
		}
	}
}
