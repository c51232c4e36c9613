package offline

import (
	"regexp"
	"slices"

	"github.com/anycl/anycl/internal/ocl/draft"
)

// excuse is why programs that a rule chooses may spill on some targets, or why a compiler may end its
// process at programs that are only forced.
type excuse struct {
	name    string // in reports
	targets []string
	kernel  string         // that spills
	holds   *regexp.Regexp // found in the text of the program, which is the family that is meant; nil: all of the kernel
	spill   int            // at most
	dies    bool           // of programs that are forced: the compiler ends its process
	why     string
}

// excuses are all excuses; on a whole run of a target one that no program needs fails. Forced programs may
// spill without one: no rule chooses them for the class, so that they cost time in tests and in the tuner only.
var excuses = []excuse{
	{
		name: "no boxes", targets: []string{"amd-gfx1100", "amd-gfx1030", "amd-gfx900", "amd-gfx90a", "amd-gfx942", "amd-gfx1201", "intel-tgllp",
			"intel-dg2", "intel-mtl", "intel-lnl", "intel-bmg"}, kernel: "suppress_lists", spill: 1024,
		why: "a kernel for CPU drivers, which a GPU is given where there are no boxes at all",
	},
	{
		name: "no boxes, 32 lanes", targets: []string{"intel-pvc"}, kernel: "suppress_lists", spill: 16384,
		why: "the same kernel, whose arrays are those of 32 items there",
	},
	{
		name: "sums across", targets: []string{"amd-gfx1100", "amd-gfx1030", "amd-gfx900", "amd-gfx90a", "amd-gfx942"}, kernel: "reduce_stripe",
		holds: regexp.MustCompile(`(?s)#define FOLD FOLD_SUM\n.*#define VAL float\n.*#define VECTORS 1\n`), dies: true,
		why: "AMD's compiler of ROCm 5.7 ends at a kernel for CPU drivers where it sums floats, one vector at a time",
	},
	{
		name: "small blocks", targets: []string{"intel-tgllp", "intel-dg2"}, kernel: "contract_block",
		holds: regexp.MustCompile(`#define MR (1\n#define NV 1|6\n#define NV 2)\n#define VL 4\n`), dies: true,
		why: "IGC of 2022 runs out of stack, 64 MiB too, in a kernel for CPU drivers",
	},
	{
		name: "tall tiles", targets: []string{"intel-tgllp", "intel-dg2"}, kernel: "contract_subgroup",
		holds: regexp.MustCompile(`#define (RM (16|24)|ACC u?long)\n`), spill: 4096,
		why: "IGC of 2022 spills tiles of 16 and 24 rows by sub-groups, which IGC 2.40 keeps in registers in every layout (make offline), and sums of 64-bit integers",
	},
	{
		name: "long products", targets: []string{"intel-tgllp", "intel-dg2", "intel-mtl", "intel-pvc"}, kernel: "contract_tile",
		holds: regexp.MustCompile(`#define ACC ulong\n`), spill: 16384,
		why: "7 products of 64-bit integers, which are computed in steps, take more registers than there are with IGC of 2022, which may even choose 32 lanes for them, and with that of 2026",
	},
	{
		name: "windows of halves", targets: []string{"intel-dg2"}, kernel: "contract_tile",
		holds: regexp.MustCompile(`(?s)#define TM 32\n#define TN 32\n.*#define B_BY_K 1\n.*__global const half \*p0.* = \(int\)FASTDIV\(n, .* = \(int\)FASTDIV\(k, `), spill: 1024,
		why: "one program spills with IGC of 2022: a convolution whose 8 elements of each window are each found by two divisions",
	},
	{
		name: "many lanes", targets: []string{"intel-pvc"}, kernel: "contract_tile", spill: 1152,
		why: "six programs spill with IGC of 2026, which gives their items 32 lanes; asked for 16, they do not",
	},
	{
		name: "eleven operands", targets: []string{"intel-pvc"}, kernel: "map_item",
		holds: regexp.MustCompile(`__global const \w+ \*restrict p10_`), spill: 256,
		why: "a fused map of eleven operands, of a random graph, spills two registers with IGC of 2026",
	},
	{
		name: "tiles beside others", targets: []string{"intel-mtl"}, kernel: "contract_tile", spill: 256,
		why: "eight programs spill with IGC of 2026, and three where only tiles are compiled together: which kernels it gives more registers depends on those beside them",
	},
	{
		name: "gradients beside others", targets: []string{"intel-mtl"}, kernel: "attention_tile_dq", spill: 512,
		why: "two programs spill with IGC of 2026, though it may give them more registers",
	},
	{
		name: "16 features", targets: []string{"intel-tgllp"}, kernel: "attention_tile_dkv", holds: regexp.MustCompile(`#define [DE] 16\n`),
		spill: 1024,
		why:   "one program spills with IGC of 2022",
	},
}

// excuseOf finds the excuse of a kernel of a program that spills, or at which the compiler dies.
func excuseOf(target string, d *draft.Draft, kernel string, dies bool, spill int) *excuse {
	for i := range excuses {
		x := &excuses[i]
		if slices.Contains(x.targets, target) && x.kernel == kernel && x.dies == dies && spill <= x.spill &&
			(x.holds == nil || x.holds.MatchString(d.Body)) {
			return x
		}
	}
	return nil
}

// excuse marks a program all of whose kernels that spill are excused.
func (o *Outcome) excuse(target string, d *draft.Draft) {
	if o.Excused = ""; o.Died && !o.Chosen {
		for _, kernel := range d.Kernels {
			if x := excuseOf(target, d, kernel, true, 0); x != nil {
				o.Excused = x.name
			}
		}
	}
	for kernel, u := range o.Kernels {
		if u.Spill == 0 || !o.Chosen {
			continue
		}
		x := excuseOf(target, d, kernel, false, u.Spill)
		if x == nil {
			o.Excused = ""
			return
		}
		o.Excused = x.name
	}
}

// Excuse marks the outcomes that are excused, of which drafts are the programs.
func (r *Report) Excuse(drafts []*draft.Draft) {
	by := map[string]*draft.Draft{}
	for _, d := range drafts {
		by[d.Print()] = d
	}
	for _, o := range r.Outcomes {
		if d := by[o.Print]; d != nil {
			o.excuse(r.Target, d)
		}
	}
}
