package opinfo

import (
	"flag"
	"os"
	"path/filepath"
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
