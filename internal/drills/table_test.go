package drills

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
)

// drill is a row of docs/reliability.md.
type drill struct {
	test    string // without "Test"
	asserts string
}

const page = "../../docs/reliability.md"

// head stands above the table.
const head = `# Reliability

A drill is a test in ` + "`internal/drills`" + ` that runs for long or makes something fail, asserts that nothing leaks, hangs or gives a
wrong result, and reports a figure. ` + "`go test`" + ` runs a short version of all drills in less than a minute; ` + "`make drills`" + ` runs the long
one, whose figures these are, and writes this page. ` + "`make drills RUN=Launches`" + ` runs one of them. A *life* is: open, compile, train, Each,
Profile, compile a larger graph, close. *Nothing is left* means no OpenCL object, file or goroutine more than before.

Figures of %s.

| drill | what is asserted | figure |
| --- | --- | --- |
`

// figures are the results of this run's drills.
var figures struct {
	sync.Mutex
	of map[string]string
}

// figure records a drill's result, to be called at its end.
func figure(t *testing.T, format string, args ...any) {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	t.Log(text)
	if t.Failed() {
		return
	}
	figures.Lock()
	defer figures.Unlock()
	if figures.of == nil {
		figures.of = map[string]string{}
	}
	figures.of[strings.TrimPrefix(t.Name(), "Test")] = text
}

var rowOf = regexp.MustCompile(`(?m)^\| (\w+) \| .* \| (.*) \|$`)

var machineOf = regexp.MustCompile(`(?m)^Figures of (.*)\.$`)

// kept are the figures of a page, and whose they are.
func kept(page []byte) (of map[string]string, machine string) {
	of = map[string]string{}
	if m := machineOf.FindSubmatch(page); m != nil {
		machine = string(m[1])
	}
	for _, m := range rowOf.FindAllSubmatch(page, -1) {
		of[string(m[1])] = string(m[2])
	}
	return of, machine
}

// thisMachine says whose figures are found here.
func thisMachine() string {
	m, err := platform.Discover(context.Background(), nil)
	if err != nil {
		return err.Error()
	}
	device := "no device"
	if d, err := m.Select(""); err == nil {
		device = fmt.Sprintf("%s under %s %s", d.Name, d.PlatformName, d.Driver)
	}
	return fmt.Sprintf("%s, %d processors, %s", device, runtime.NumCPU(), runtime.Version())
}

// render is the page with these figures.
func render(of map[string]string, machine string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, head, machine)
	for _, d := range table {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", d.test, d.asserts, of[d.test])
	}
	b.WriteString(foot)
	return b.Bytes()
}

// record writes this run's results into the page.
func record() error {
	old, err := os.ReadFile(page)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	of, machine := kept(old)
	if here := thisMachine(); here != machine { // figures of two machines do not mix
		of, machine = map[string]string{}, here
	}
	for name, text := range figures.of {
		of[name] = text
	}
	return os.WriteFile(page, render(of, machine), 0o644)
}

// testsIn are the tests of a package.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}

func TestThePageIsTheTableOfTheDrills(t *testing.T) {
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	of, machine := kept(got)
	require.Equal(t, string(render(of, machine)), string(got), "run make drills")
	require.NotEmpty(t, machine)
	tests := testsIn(t, ".")
	delete(tests, "TestMain")
	delete(tests, t.Name())
	for _, d := range table {
		require.NotEmpty(t, of[d.test], "no figure of %s: run make drills RUN=%[1]s", d.test)
		require.Contains(t, tests, "Test"+d.test)
		delete(tests, "Test"+d.test)
	}
	require.Empty(t, tests, "drills that are in no table")

	// The drills named below the table exist in their packages.
	named := regexp.MustCompile("`(\\w[\\w/]*)`: (Test\\w+)").FindAllStringSubmatch(foot, -1)
	require.Len(t, named, strings.Count(foot, "\n- "))
	for _, m := range named {
		require.Contains(t, testsIn(t, "../../"+m[1]), m[2])
	}
}
