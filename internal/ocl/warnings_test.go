package ocl

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// PoCL writes "1 warning generated." to the standard error of the program that
// uses it. A compiler only speaks where it compiles: in a process of its own,
// with an empty cache.
func TestCompilersHaveNothingToSay(t *testing.T) {
	numbersOnly(t)
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
	parts := map[string][]*program{} // by what programs must share
	for _, cases := range []map[string]goldenCase{goldens(), contractGoldens(), attentionGoldens()} {
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			c := cases[name]
			foreign := c.facts.mma > e.facts.mma || c.facts.dot != "" && c.facts.dot != e.facts.dot || c.facts.lanes > 0 && c.facts.lanes != e.facts.lanes
			if foreign || !e.facts.fp64 && computesInDouble(c.task) {
				continue
			}
			for _, l := range c.plan(t).launches {
				share := l.prog.options + "\x00" + l.prog.head
				if !slices.ContainsFunc(parts[share], func(p *program) bool { return p.key() == l.prog.key() }) {
					parts[share] = append(parts[share], l.prog)
				}
			}
		}
	}
	for _, share := range parts {
		ctx := e.dev.Context()
		prog, err := ctx.NewProgram("#define FMA(a, b, c) fma(a, b, c)\n", join(share))
		require.NoError(t, err)
		require.NoError(t, prog.Build("-cl-std=CL1.2 "+share[0].options))
		log, err := prog.Log(e.dev.CL())
		require.NoError(t, err)
		require.Empty(t, strings.TrimSpace(strings.Trim(log, "\x00")))
		require.NoError(t, prog.Close())
		if near := newNear(e.dev, e.facts); near != nil {
			_, err := near.programs.Program(t.Context(), t.Name(), near.head+join(share), share[0].options)
			require.NoError(t, err)
		}
	}
}
