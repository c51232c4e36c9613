package anycl_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/anycl/anycl/"

// The graph meets OpenCL's engine in one package, engines know nothing of graphs, and what is below them nothing of engines.
func TestImportsRunDownward(t *testing.T) {
	t.Parallel()
	for _, wall := range []struct{ from, mayNot []string }{
		{[]string{"ops", "internal/lower", "internal/plan", "internal/exec", "internal/place", "internal/pace", "internal/ir", "internal/report"}, []string{"internal/ocl"}},
		{[]string{"ops", "internal/plan", "internal/exec", "internal/place", "internal/ir"}, []string{"kernels"}},
		{[]string{"internal/ocl", "fallback", "engine", "internal/ir", "internal/lower", "internal/plan", "internal/exec"}, []string{"ops", "frame", "nn", "onnx"}},
		{[]string{"engine", "fallback", "tensor", "cl", "platform", "kernels"}, []string{"internal/ocl", "ops"}},
		{[]string{"engine", "tensor"}, []string{"cl", "platform", "fallback"}},
		{[]string{"cl", "platform"}, []string{"engine", "fallback"}},
	} {
		for _, dir := range wall.from {
			files, err := filepath.Glob(filepath.Join(dir, "*.go"))
			require.NoError(t, err)
			require.NotEmpty(t, files, dir)
			for _, file := range files {
				if strings.HasSuffix(file, "_test.go") {
					continue
				}
				f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
				require.NoError(t, err)
				for _, i := range f.Imports {
					path, err := strconv.Unquote(i.Path.Value)
					require.NoError(t, err)
					for _, not := range wall.mayNot {
						p, ours := strings.CutPrefix(path, module)
						require.False(t, ours && (p == not || strings.HasPrefix(p, not+"/")), "%s imports %s", file, path)
					}
				}
			}
		}
	}
}

// What a reader can hold in mind is bounded: lines of a package, and files of a folder. Package ops is longer, since it is the table of
// ops; that its folder is too is to end.
func TestPackagesAndFoldersAreBounded(t *testing.T) {
	t.Parallel()
	mayHold := map[string]int{"ops": 160} // files; the compiler's part of package ops belongs into packages below it, and small files to their families
	files, lines := map[string]int{}, map[string]int{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "corpus"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		files[dir]++
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		lines[dir] += bytes.Count(text, []byte("\n"))
		return err
	}))
	require.Positive(t, files["ops"])
	for dir, n := range files {
		require.LessOrEqual(t, n, max(60, mayHold[dir]), "files of %s", dir)
		if dir != "ops" {
			require.LessOrEqual(t, lines[dir], 6000, "lines of package %s, without tests", dir)
		}
	}
	for dir, n := range mayHold {
		require.Greater(t, files[dir], n-10, "%s holds fewer files: lower its bound", dir)
	}
}
