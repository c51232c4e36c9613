package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tools/internal/bench"
)

func TestDocsNameRowsOfTheBenchmark(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "..", pattern))
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	works := bench.Works()
	asked := regexp.MustCompile("`anycl bench -filter ([^` ]+)`")
	named := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range asked.FindAllStringSubmatch(string(text), -1) {
			assert.True(t, slices.ContainsFunc(works, func(w *bench.Work) bool { return strings.Contains(w.Name, m[1]) }), "%s: %s", page, m[0])
			named++
		}
	}
	require.Positive(t, named)
}
