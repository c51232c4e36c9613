package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tools/internal/matrix"
)

func TestStepsOnTheHostAreRunCountedAndJoined(t *testing.T) {
	at := &place{repo: t.TempDir(), work: t.TempDir()}
	script := filepath.Join(at.repo, "step.sh")
	require.NoError(t, os.WriteFile(script, []byte(`
case $1 in
checks) echo '{"name":"a","state":"passed"}' > "$ANYCL_CHECKS"; echo '{"name":"b","state":"failed","why":"spills"}' >> "$ANYCL_CHECKS" ;;
dirty) echo 'a race' > "$LOG" ;;
code) echo "it said this"; exit 3 ;;
env) test "$GREETING" = "hello $PWD" ;;
slow) sleep 100 ;;
esac`), 0o755))
	tab, err := parseTable([]byte(`targets:
- {name: good, about: x, kind: check, root: host, clean: LOG, env: {GREETING: hello $OUT}, full: [exec sh ` + script + ` env]}
- {name: bad, about: x, kind: check, root: host, clean: LOG, limit: 2s, full: [exec sh ` + script + ` checks, exec sh ` + script + ` dirty, exec sh ` + script + ` code, exec sh ` + script + ` slow]}
- {name: noted, about: x, kind: compile, root: host, info: true, full: [exec false]}`))
	require.NoError(t, err)
	run := func(name string) (bool, string) {
		chosen, err := tab.choose([]string{name}, full)
		require.NoError(t, err)
		require.NoError(t, at.build(t.Context(), chosen, full))
		var b bytes.Buffer
		failed, err := at.run(t.Context(), &b, chosen, full, 2)
		require.NoError(t, err)
		return failed, b.String()
	}
	failed, out := run("good")
	require.False(t, failed, out)
	failed, out = run("bad")
	require.True(t, failed)
	require.Contains(t, out, "b: spills")
	require.Contains(t, out, "a race")
	require.Contains(t, out, "it said this")
	require.Contains(t, out, "did not end in 2s")
	failed, out = run("noted")
	require.False(t, failed, "it is for information")
	require.Contains(t, out, "FAIL")

	require.NoError(t, at.join(&bytes.Buffer{}, tab, ""))
	text, err := os.ReadFile(at.out("report.json"))
	require.NoError(t, err)
	var j matrix.Joint
	require.NoError(t, json.Unmarshal(text, &j))
	require.Len(t, j.Targets, 3)
	require.True(t, j.Failed())
	require.Equal(t, 1, j.Targets[1].Steps[0].Passed)
	require.Equal(t, 1, j.Targets[1].Steps[0].Failed)
	require.Len(t, j.Targets[1].Steps[0].Checks, 2)
	require.Contains(t, j.Verdict(), "1 of 2 targets that must pass do")
	require.Contains(t, j.Verdict(), "failing: bad; failing, for information: noted")
	page, err := os.ReadFile(at.out("report.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "spills")

	// Another machine, on which only one of them runs, keeps the results of the others.
	next := &place{repo: at.repo, work: t.TempDir()}
	at, earlier := next, at.out("report.json")
	run("good")
	require.NoError(t, at.join(&bytes.Buffer{}, tab, earlier))
	var kept matrix.Joint
	require.NoError(t, readJSON(at.out("report.json"), &kept))
	require.Len(t, kept.Targets, 3)
	require.True(t, kept.Targets[0].Time.After(j.Targets[0].Time))
	require.Equal(t, j.Targets[1], kept.Targets[1])
	require.Error(t, at.join(&bytes.Buffer{}, tab, at.out("none.json")))
}

func TestTestsAreCounted(t *testing.T) {
	got := countTests([]byte("=== RUN   TestA\n=== RUN   TestA/b\n--- FAIL: TestOfAChild (0.00s)\n--- PASS: TestA (0.00s)\n    --- SKIP: TestA/b (0.00s)\n=== RUN   TestB\n--- FAIL: TestB (1s)\nPASS\n"))
	require.Equal(t, matrix.Tally{Passed: 1, Failed: 1, Absent: 1}, got)
}

func TestAChecksFileIsCheckedItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checks")
	none, err := readChecks(path)
	require.NoError(t, err)
	require.Empty(t, none)
	require.NoError(t, os.WriteFile(path, []byte(`{"name":"a","state":"fine"}`), 0o644))
	_, err = readChecks(path)
	require.ErrorContains(t, err, `no state "fine"`)
	require.NoError(t, os.WriteFile(path, []byte(`{"name":"a","state":"absent","why":"no such device"}`), 0o644))
	got, err := readChecks(path)
	require.NoError(t, err)
	require.Equal(t, []matrix.Check{{Name: "a", State: optest.Absent, Why: "no such device"}}, got)
}
