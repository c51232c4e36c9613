package anycl_test

import (
	"go/parser"
	"go/token"
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
