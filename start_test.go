package anycl_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tables bounds the bytes that packages allocate at start to enter their ops or rules in a table; those of others are bounded by
// smallStart.
var tables = map[string]int{
	"ops":                  192 << 10, // half a KiB for each op
	"ops/linalg":           64 << 10,  // of attributes, which are checked
	"ops/special":          40 << 10,
	"ops/fft":              32 << 10,
	"sparse":               16 << 10,
	"ops/nbody":            12 << 10,
	"ops/stencil":          12 << 10,
	"onnx/internal/export": 20 << 10,
}

const smallStart = 10 << 10

// A program that imports a package pays for what its variables and init functions compute, used or not, and those
// of the modules that it requires.
func TestPackagesCostNextToNothingAtStart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("links a program")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go tool is not there: ", err)
	}
	program := filepath.Join(t.TempDir(), "start")
	out, err := exec.CommandContext(t.Context(), goTool, "build", "-o", program, "./testdata/start").CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)

	seen := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		path, rest, ok := strings.Cut(strings.TrimPrefix(lines.Text(), "init "), " @")
		module, _, _ := strings.Cut(path, "/")
		name := strings.TrimPrefix(path, "github.com/anycl/anycl/")
		if !ok || !strings.Contains(module, ".") { // others are Go's own
			continue
		}
		var ms, clock float64
		var size, allocs int
		_, err := fmt.Sscanf(rest, "%f ms, %f ms clock, %d bytes, %d allocs", &ms, &clock, &size, &allocs)
		require.NoError(t, err, lines.Text())
		limit := smallStart
		if n, ok := tables[name]; ok {
			limit = n
		}
		require.LessOrEqual(t, size, limit, "package %s allocates at start: %s", name, rest)
		seen++
	}
	require.Greater(t, seen, 3, "%s", out) // packages without initialisation do not appear
}
