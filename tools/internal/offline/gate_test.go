package offline

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/draft"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tools/internal/matrix"
)

// excusing has these excuses in place of the real ones.
func excusing(t *testing.T, these ...excuse) {
	kept := excuses
	t.Cleanup(func() { excuses = kept })
	excuses = these
}

func states(r *Report) map[string]optest.State {
	all := map[string]optest.State{}
	for _, c := range r.Checks() {
		all[c.Name] = c.State
	}
	return all
}

// Programs that a rule chooses must compile and not spill; forced ones must compile.
func TestChecksAreOfWhatRulesChoose(t *testing.T) {
	r := &Report{Target: "ptx-sm_80", Outcomes: []*Outcome{
		{Print: "1", File: "map/gpu_item.cl", Variants: []string{"map=item"}, Chosen: true, Kernels: map[string]Usage{"map_item": {Registers: 10}}},
		{Print: "2", File: "map/gpu_item.cl", Variants: []string{"map=item"}, Chosen: true, Kernels: map[string]Usage{"map_item": {Registers: 30, Local: 64}}},
		{Print: "3", File: "row/gpu_group.cl", Chosen: true, Kernels: map[string]Usage{"row_group": {Registers: 255, Spill: 16, Private: 32}}},
		{Print: "4", File: "row/cpu_block.cl", Kernels: map[string]Usage{"row_block": {Registers: 255, Spill: 64}}},
		{Print: "5", File: "row/cpu_band.cl", Refused: "no"},
	}}
	require.Equal(t, map[string]optest.State{
		"ptx-sm_80 map_item": optest.Passed, "ptx-sm_80 row_group": optest.Failed,
		"ptx-sm_80 row_block (forced)": optest.Passed, "ptx-sm_80 row/cpu_band (forced)": optest.Failed,
	}, states(r))
	require.Equal(t, [3]int{10, 30, 30}, r.Rows()[0].Registers)

	file := filepath.Join(t.TempDir(), "checks")
	require.NoError(t, WriteChecks(file, r.Checks()))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(string(text), "\n"))
	var first matrix.Check
	line, _, _ := strings.Cut(string(text), "\n")
	require.NoError(t, json.Unmarshal([]byte(line), &first))
	require.Equal(t, matrix.Check{
		Name: "ptx-sm_80 map_item", State: optest.Passed, Why: "2 programs, 10 to 30 registers, up to 64 bytes of local memory",
		Needs: &matrix.Needs{Family: "map", Kernel: "map_item", Programs: 2, Registers: [2]int{10, 30}, Local: 64},
	}, first)
}

// An excuse is for one family of programs on the targets that it names, and only as long as it is needed.
func TestAnExcuseIsAsNarrowAsItSays(t *testing.T) {
	excusing(t, excuse{name: "wide", targets: []string{"amd-a", "amd-b"}, kernel: "map_item", holds: regexp.MustCompile(`p12_`), spill: 8, why: "because"})
	wide, slim := &draft.Draft{Body: "p12_ p1_", File: "map/gpu_item.cl"}, &draft.Draft{Body: "p1_", File: "map/gpu_item.cl"}
	report := func(target string, d *draft.Draft, usage map[string]Usage) *Report {
		r := &Report{Target: target, Whole: true, Outcomes: []*Outcome{{Print: d.Print(), File: d.File, Chosen: true, Kernels: usage}}}
		r.Excuse([]*draft.Draft{wide, slim})
		return r
	}
	spilling := func(n int) map[string]Usage { return map[string]Usage{"map_item": {Registers: 9, Spill: n}} }
	require.Equal(t, map[string]optest.State{"amd-a map_item": optest.Passed, "amd-a excuse: wide": optest.Passed}, states(report("amd-a", wide, spilling(8))))
	require.Equal(t, optest.Failed, states(report("amd-a", wide, spilling(9)))["amd-a map_item"], "more than is excused")
	require.Equal(t, optest.Failed, states(report("amd-a", slim, spilling(8)))["amd-a map_item"], "another program")
	require.Equal(t, optest.Failed, states(report("amd-c", wide, spilling(8)))["amd-c map_item"], "another target")
	both := map[string]Usage{"map_item": {Spill: 8}, "map_tile": {Spill: 1}}
	require.Equal(t, optest.Failed, states(report("amd-a", wide, both))["amd-a map_tile"], "another kernel of the program")

	deadly := &draft.Draft{Body: "p12_ forced", File: "map/gpu_item.cl", Kernels: []string{"map_item"}}
	excusing(t, excuse{name: "deadly", targets: []string{"amd-a"}, kernel: "map_item", dies: true, why: "because"})
	dead := func(chosen, died bool) map[string]optest.State {
		r := &Report{Target: "amd-a", Outcomes: []*Outcome{{Print: deadly.Print(), File: "map/gpu_item.cl", Variants: []string{"map=item"}, Chosen: chosen, Refused: "no", Died: died}}}
		r.Excuse([]*draft.Draft{deadly})
		return states(r)
	}
	require.Equal(t, map[string]optest.State{"amd-a map/gpu_item (forced)": optest.Passed, "amd-a excuse: deadly": optest.Passed}, dead(false, true))
	require.Equal(t, optest.Failed, dead(false, false)["amd-a map/gpu_item (forced)"], "refused, and alive")
	require.Equal(t, optest.Failed, dead(true, true)["amd-a map/gpu_item"], "a rule chooses it")
	excusing(t, excuse{name: "wide", targets: []string{"amd-a", "amd-b"}, kernel: "map_item", holds: regexp.MustCompile(`p12_`), spill: 8, why: "because"})

	r := report("amd-b", wide, spilling(0))
	require.Equal(t, map[string]optest.State{"amd-b map_item": optest.Passed, "amd-b excuse: wide": optest.Failed}, states(r), "not needed any more")
	r.Whole = false
	require.Equal(t, map[string]optest.State{"amd-b map_item": optest.Passed}, states(r), "nothing is known of what was left out")
}

func TestExcusesHaveReasonsAndLimits(t *testing.T) {
	names := map[string]bool{}
	for _, x := range excuses {
		require.NotEmpty(t, x.why, x.name)
		require.NotEmpty(t, x.targets, x.name)
		require.NotEmpty(t, x.kernel, x.name)
		require.Equal(t, x.dies, x.spill == 0, "%s excuses nothing, or too much", x.name)
		require.False(t, names[x.name], x.name)
		names[x.name] = true
	}
}

// Of forced programs one stands for those that differ in numbers alone; a feature that a target
// lacks is proven to be lacking.
func TestProgramsThatStandForOthersAreCompiled(t *testing.T) {
	drafted := func(chosen bool, body string, library ...string) *draft.Draft {
		return &draft.Draft{Chosen: chosen, File: "map/gpu_item.cl", Head: "h", Body: body, Library: library, Kernels: []string{"k"}}
	}
	a, b := drafted(true, "#define TM 64\n#define SPLIT 0\n#define ACC float\nk"), drafted(true, "#define TM 32\n#define SPLIT 0\n#define ACC float\nk")
	alike, split, half := drafted(false, "#define TM 16\n#define SPLIT 0\n#define ACC float\nk(x)"), drafted(false, "#define TM 64\n#define SPLIT 1\n#define ACC float\nk"), drafted(false, "#define TM 64\n#define SPLIT 0\n#define ACC half\nk")
	again := drafted(false, "#define TM 2\n#define SPLIT 1\n#define ACC float\nk")
	require.Equal(t, []*draft.Draft{a, b, split, half}, Share([]*draft.Draft{alike, split, a, again, b, half}))

	class := draft.Classes[0]
	dot := drafted(true, "int dot4 k", "contract/gpu_dot4_amd.cl")
	lanes := drafted(true, "// ---- sub.cl ----\n#define LANES 16\nk")
	require.True(t, dot.Has("contract/gpu_dot4_amd.cl") && lanes.Has("sub.cl") && lanes.Has("sub.cl:LANES=16"))
	require.False(t, a.Has("contract/gpu_dot4_amd.cl") || lanes.Has("sub.cl:LANES=8") || lanes.Has("LANES"))
	for refuse, compiles := range map[string]bool{"dot4 k": false, "nothing at all": true} {
		rest, lacks, err := Without(context.Background(), &fake{refuse: refuse}, class, []*draft.Draft{a, dot, lanes}, []string{"contract/gpu_dot4_amd.cl", "other.cl"})
		require.NoError(t, err)
		require.Equal(t, []*draft.Draft{a, lanes}, rest)
		require.Equal(t, map[string]Lack{"contract/gpu_dot4_amd.cl": {Programs: 1, Compiles: compiles}}, lacks)
		want := map[bool]optest.State{false: optest.Absent, true: optest.Failed}[compiles]
		require.Equal(t, want, states(&Report{Target: "t", Lacks: lacks})["t without contract/gpu_dot4_amd.cl"])
	}
}
