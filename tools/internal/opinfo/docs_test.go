package opinfo

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/pytorch.md")

func TestDocsIndexHasTheTable(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "pytorch.md")
	var page strings.Builder
	require.NoError(t, WriteMarkdown(&page))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page.String()), 0o644))
		return
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(text), page.String(), "run make golden")
}

// TestRowsNameFunctions looks for every function that a row names in the source of package ops.
func TestRowsNameFunctions(t *testing.T) {
	known := map[string]bool{}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "ops", "*.go"))
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^(?:func|type) (?:\(g \*Graph\) )?([A-Z]\w*)|^\t([A-Z]\w*)\s+(?:\w+\s+)?= `).FindAllStringSubmatch(string(text), -1) {
			known[m[1]+m[2]] = true
		}
	}
	for _, r := range Table() {
		for _, m := range regexp.MustCompile(`\b(?:ops|g)\.([A-Z]\w*)`).FindAllStringSubmatch(r.Go+" "+r.Note, -1) {
			if !known[m[1]] {
				t.Errorf("%s: there is no ops.%s", r.Torch, m[1])
			}
		}
	}
}
