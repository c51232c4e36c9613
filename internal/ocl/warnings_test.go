package ocl

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/ocltest"
)

// PoCL writes "1 warning generated." to the standard error of the program that
// uses it. A compiler only speaks where it compiles: in a process of its own,
// with an empty cache.
func TestCompilersHaveNothingToSay(t *testing.T) {
	ocltest.NumbersOnly(t)
	const env = "POCL_CACHE_DIR"
	e := device(t, "", nil)
	if os.Getenv("ANYCL_OCL_TEST") != t.Name() {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		c.Env = append(os.Environ(), "ANYCL_OCL_TEST="+t.Name(), env+"="+t.TempDir(), "ANYCL_DEVICE="+e.dev.Device().ID)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: "+t.Name())
		if strings.HasPrefix(e.Name(), "pocl") {
			require.NotContains(t, string(out), "generated.")
		}
		return
	}
	parts := map[string][]*codegen.Program{} // by the options and head that programs must share
	forCPUs := map[string][]*codegen.Program{}
	for _, cases := range []map[string]goldenCase{goldens(), contractGoldens(), attentionGoldens()} {
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			c := cases[name]
			foreign := c.facts.MMA > e.facts.MMA || c.facts.DotUnit != "" && c.facts.DotUnit != e.facts.DotUnit || c.facts.SubgroupLanes > 0 &&
				c.facts.SubgroupLanes != e.facts.SubgroupLanes
			if foreign || !e.facts.FP64 && codegen.ComputesInDouble(c.task) {
				continue
			}
			for _, l := range c.plan(t).Launches {
				share := l.Program.Options + "\x00" + l.Program.Head
				if !slices.ContainsFunc(parts[share], func(p *codegen.Program) bool { return p.Key() == l.Program.Key() }) {
					parts[share] = append(parts[share], l.Program)
					if c.facts.CPU {
						forCPUs[share] = append(forCPUs[share], l.Program)
					}
				}
			}
		}
	}
	// The warning about vectors wider than the processor's, which platform switches off too.
	const quiet = "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wpsabi\"\n#endif\n"
	for key, share := range parts {
		ctx := e.dev.Context()
		prog, err := ctx.NewProgram(quiet+"#define FMA(a, b, c) fma(a, b, c)\n", codegen.Join(share))
		require.NoError(t, err)
		require.NoError(t, prog.Build("-cl-std=CL1.2 "+share[0].Options))
		log, err := prog.Log(e.dev.CL())
		require.NoError(t, err)
		require.Empty(t, strings.TrimSpace(strings.Trim(log, "\x00")))
		require.NoError(t, prog.Close())
		if h, share := newHostPath(e), forCPUs[key]; h != nil && len(share) > 0 { // no other kernels run there
			to := h.inline.target()
			_, err := to.programs.Program(t.Context(), t.Name(), to.head+codegen.Join(share), share[0].Options)
			require.NoError(t, err)
		}
	}
}

// Files of functions stand once before all kernels of a program, which may not define their macros again: a compiler warns, and what
// is expanded later has the other meaning.
func TestMacrosOfFunctionsAreNotDefinedByKernels(t *testing.T) {
	shared := regexp.MustCompile(`/lib/(math|math_double|random|draws|special_\w+)\.cl$`)
	define, undef := regexp.MustCompile(`(?m)^\s*#\s*define\s+(\w+)`), regexp.MustCompile(`(?m)^\s*#\s*undef\s+(\w+)`)
	quoted := regexp.MustCompile(`"([A-Z][A-Z0-9_]*)["(]`) // as codegen.Builder's Macro, Size and Hook take them
	owners := map[string]string{}
	each := func(root, pattern string, f func(path, text string)) {
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if ok, _ := filepath.Match(pattern, d.Name()); err != nil || !ok {
				return err
			}
			text, err := os.ReadFile(path)
			f(filepath.ToSlash(path), string(text))
			return err
		}))
	}
	each("../../kernels", "*.cl", func(path, text string) {
		if !shared.MatchString(path) {
			return
		}
		for _, m := range define.FindAllStringSubmatch(text, -1) {
			owners[m[1]] = path
		}
		for _, m := range undef.FindAllStringSubmatch(text, -1) {
			delete(owners, m[1])
		}
	})
	require.Contains(t, owners, "NEXT_WHOLE")
	each("../../kernels", "*.cl", func(path, text string) {
		for _, m := range define.FindAllStringSubmatch(text, -1) {
			if !shared.MatchString(path) {
				require.Empty(t, owners[m[1]], "%s defines %s", path, m[1])
			}
		}
	})
	each(".", "*.go", func(path, text string) {
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			if !strings.HasSuffix(path, "_test.go") {
				require.Empty(t, owners[m[1]], "%s defines %s", path, m[1])
			}
		}
	})
}
