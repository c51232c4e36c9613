package ocl

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A device of small work-groups, made of PoCL by its own setting, in a process
// of its own because the setting is read once.
func TestSmallWorkGroupsGiveTheSameResults(t *testing.T) {
	const env, tests = "POCL_MAX_WORK_GROUP_SIZE", "^(TestNaNWinsAndTheFirstOfEqualsIsChosen|TestScatterInPlaceReadsBeforeItWrites|TestInPlaceMaps.*|TestSmallWorkGroups.*)$"
	e := device(t, "", nil)
	if os.Getenv(env) != "" {
		require.LessOrEqual(t, e.facts.WorkGroup, 16)
		return
	}
	if !strings.HasPrefix(e.Name(), "pocl") {
		t.Skipf("%s takes no smaller limits", e.Name())
	}
	if testing.Short() {
		t.Skip("compiles everything again")
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", tests)
	c.Env = append(os.Environ(), env+"=16")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s=16 go test -run '%s'\n%s", env, tests, out)
	require.NotContains(t, string(out), "no tests to run")
}
