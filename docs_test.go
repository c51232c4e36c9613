package anycl_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages are the documents that people write, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	read := func(path string) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		all[path] = string(text)
	}
	read("README.md")
	read("CONTRIBUTING.md")
	require.NoError(t, filepath.WalkDir("docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			read(path)
		}
		return err
	}))
	return all
}

var (
	links    = regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	headings = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notWords = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	pathRows = regexp.MustCompile(`(?m)^\| [^|]* \| ([^|]*) \|$`)
	named    = regexp.MustCompile(`(?s)\n## Where things are\n(.*?)\n## `)
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// anchor is what a heading is linked by.
func anchor(heading string) string {
	return strings.ReplaceAll(notWords.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func TestDocsLinkToWhatExists(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			to := page
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(to); !assert.NoError(t, err, page) || m[2] == "" {
				continue
			}
			var found []string
			for _, h := range headings.FindAllStringSubmatch(all[to], -1) {
				found = append(found, "#"+anchor(h[1]))
			}
			assert.Contains(t, found, m[2], "%s links to %s", page, to)
		}
	}
}

func TestDocsNamePathsThatExist(t *testing.T) {
	table := named.FindStringSubmatch(pages(t)["CONTRIBUTING.md"])
	require.NotNil(t, table)
	rows := pathRows.FindAllStringSubmatch(table[1], -1)
	require.Greater(t, len(rows), 20)
	for _, row := range rows {
		for _, path := range quoted.FindAllStringSubmatch(row[1], -1) {
			if path[1] != strings.ToLower(path[1]) {
				continue // a Go identifier
			}
			found, err := filepath.Glob(path[1])
			require.NoError(t, err)
			assert.NotEmpty(t, found, "CONTRIBUTING.md: %s", path[1])
		}
	}
}

func TestDocsNameTestsThatExist(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func (Test|Benchmark)(\w+)\(`)
	var names []string
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
				names = append(names, m[1]+m[2])
			}
		}
		return err
	}))
	asked := regexp.MustCompile(`go test [^\n]*?-(run|bench) '?([\w|]+)`)
	for page, text := range pages(t) {
		for _, m := range asked.FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(m[2], "|") {
				assert.True(t, anyContains(names, name), "%s: go test -%s %s", page, m[1], name)
			}
		}
	}
}

func anyContains(names []string, part string) bool {
	for _, n := range names {
		if strings.Contains(n, part) {
			return true
		}
	}
	return false
}

func TestDocsHaveTheVariablesOfThePackageComment(t *testing.T) {
	name := regexp.MustCompile(`ANYCL_[A-Z_]+`)
	comment, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	of := func(text string) map[string]bool {
		all := map[string]bool{}
		for _, n := range name.FindAllString(text, -1) {
			all[n] = true
		}
		return all
	}
	require.Equal(t, of(string(comment)), of(pages(t)["docs/environment.md"]))
}

// The list of packages in the package comment, and that of what is supported, have all that other modules can import.
func TestDocsListEveryPublicPackage(t *testing.T) {
	comment, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	support := pages(t)["CONTRIBUTING.md"]
	support = support[strings.Index(support, "## Support"):]
	seen := map[string]bool{".": true}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(name, ".") || slices.Contains([]string{"internal", "testdata", "tools", "examples", "integrations"}, name)):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if !seen[dir] {
			seen[dir] = true
			assert.Contains(t, string(comment), "\n//\t"+dir+" ", "doc.go")
			assert.Contains(t, support, "`"+dir+"`", "CONTRIBUTING.md")
		}
		return nil
	}))
	require.Greater(t, len(seen), 30)
}
