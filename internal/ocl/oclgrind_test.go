package ocl

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testoclgrind"
)

// oclgrindVar names Oclgrind's ICD, such as /usr/lib/oclgrind/liboclgrind-rt-icd.so, and says
// that the tests of the checker are meant. They run in processes of their own, since Oclgrind
// reads its environment once and only one of its contexts may write a log.
const oclgrindVar = "ANYCL_OCLGRIND"

// checkerErrors names the file with the standard error of a process of the checker, where Oclgrind
// tells of calls that are wrong.
const checkerErrors = "ANYCL_OCLGRIND_ERRORS"

// Every check of Oclgrind, over every cell; with -short one of each variant.
func TestNothingIsFoundUnderOclgrind(t *testing.T) {
	icd := os.Getenv(oclgrindVar)
	if icd == "" {
		t.Skipf("%s is not set: make check-kernels", oclgrindVar)
	}
	require.FileExists(t, icd)
	mended := testoclgrind.Mended(t)
	for _, shard := range checkerShards {
		t.Run(shard.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			errors, err := os.Create(filepath.Join(dir, "errors"))
			require.NoError(t, err)
			defer errors.Close()
			args := []string{"-test.run", shard.tests, "-test.v", "-test.timeout=30m"}
			if testing.Short() {
				args = append(args, "-test.short")
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
			cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+icd, "LD_LIBRARY_PATH="+mended,
				checkerLog+"="+filepath.Join(dir, "log"), checkerErrors+"="+errors.Name(),
				// Unoptimised code keeps private variables, which are checked then, and has no masks of
				// vectors, which Oclgrind does not know. Nor does it know prefetches, which are no accesses,
				// except where prefetches are checked, nor restrict pointers after inlining.
				"OCLGRIND_BUILD_OPTIONS=-cl-opt-disable -D__builtin_prefetch(...)=(void)0 -DBODIES_APART=1",
				"OCLGRIND_CHECK_API=1", "OCLGRIND_MAX_ERRORS=1000000", "OCLGRIND_LOCAL_MEM_SIZE=1048576")
			if !shard.partly {
				cmd.Env = append(cmd.Env, "OCLGRIND_UNINITIALIZED=1")
			}
			if !shard.racing {
				cmd.Env = append(cmd.Env, "OCLGRIND_DATA_RACES=1")
			}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, errors
			err = cmd.Run()
			said, _ := os.ReadFile(errors.Name())
			for line := range strings.Lines(out.String()) {
				if err != nil || strings.HasPrefix(strings.TrimSpace(line), "--- ") {
					t.Log(strings.TrimRight(line, "\n"))
				}
			}
			record(t, out.String())
			require.NoError(t, err, "%s", said)
			require.Contains(t, out.String(), "--- PASS", "nothing ran")
		})
	}
}

// checksVar names a file of results that a run over all targets joins (tools/cmd/targets).
const checksVar = "ANYCL_CHECKS"

var cellResult = regexp.MustCompile(`(?m)^ +--- (PASS|FAIL): [^/]+/(\S+)`)

// record adds the cells that a process printed to the file of results, where there is one.
func record(t *testing.T, printed string) {
	t.Helper()
	name := os.Getenv(checksVar)
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	defer f.Close()
	var lines bytes.Buffer
	for _, m := range cellResult.FindAllStringSubmatch(printed, -1) {
		state := map[string]string{"PASS": "passed", "FAIL": "failed"}[m[1]]
		require.NoError(t, json.NewEncoder(&lines).Encode(map[string]string{"name": m[2], "state": state}))
	}
	_, err = f.Write(lines.Bytes())
	require.NoError(t, err)
}

// checkerShard is the part of the tests that one process runs.
type checkerShard struct {
	name, tests string
	partly      bool // without reads of uninitialised memory
	racing      bool // without races
}

var checkerShards = func() (all []checkerShard) {
	all = append(all,
		checkerShard{name: "planted bugs", tests: "^TestCheckerFindsWhatIsPlanted$"},
		checkerShard{name: "triangles", tests: "^TestCheckerFindsNothingInTriangles$"},
		// A line that one item asks for, another may write.
		checkerShard{name: "prefetches", tests: "^TestCheckerFindsPrefetchesNearBuffers$", partly: true, racing: true})
	for _, f := range []string{"contract=(block|tile)", "contract=(panel|row|dot|stream|item)", "reduce=[^w]", "attention",
		"contract=[wlmsu][^t]", "contract=strip", "map", "row", "scan|running|scatter|trees|join", "rank", "unique|suppress", "lu|qr|triangle"} {
		all = append(all, checkerShard{name: f, tests: "^TestCheckerFindsNothingInAnyVariant$/^(" + f + ")"})
	}
	// Windows work out lanes beyond the end of a row of whatever stands there, and drop them by a
	// mask, which Oclgrind takes for arithmetic.
	all = append(all, checkerShard{name: "engine", tests: "^TestCheckerFindsNothingInTheHost$", partly: true})
	// Tiles of products that cross the diagonal of a symmetric matrix are stored whole, and nobody reads the elements above it.
	for _, f := range []string{"cholesky", "svd|eigh"} { // halves of vectors count as never written too
		all = append(all, checkerShard{name: f, tests: "^TestCheckerFindsNothingInAnyVariant$/^(" + f + ")", partly: true})
	}
	return append(all, checkerShard{name: "windows", tests: "^TestCheckerFindsNothingInAnyVariant$/^reduce=window", partly: true})
}()
