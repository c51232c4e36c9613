package drills

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
)

// drillsVar set to "full" makes the drills long.
const drillsVar = "ANYCL_DRILLS"

// full is for the long versions.
func full() bool { return os.Getenv(drillsVar) == "full" }

// often is how many times something is done: at most n, in the short version, and a fifth of that
// with the race detector.
func often(n, long int) int {
	switch {
	case full():
		return long
	case raceEnabled:
		return max(1, n/5)
	}
	return n
}

// roleVar says what a process that a drill starts is to do.
const roleVar = "ANYCL_DRILL_ROLE"

var roles = map[string]func() error{}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		if err := roles[role](); err != nil {
			fmt.Println("FAILED:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if v := os.Getenv(drillsVar); v != "" && !full() {
		fmt.Fprintf(os.Stderr, "%s=%s: must be full, or not set\n", drillsVar, v)
		os.Exit(2)
	}
	code := testcache.Run(m, testdevices.Hold)
	if code == 0 && full() {
		if err := record(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// process is this test binary in a role, not yet started.
func process(ctx context.Context, role string, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(append(os.Environ(), roleVar+"="+role), env...)
	return cmd
}

// child runs a role to its end and returns its output.
func child(t *testing.T, role string, env ...string) string {
	t.Helper()
	out, err := process(t.Context(), role, env...).CombinedOutput()
	require.NoError(t, err, "role %q printed:\n%s", role, out)
	return string(out)
}
