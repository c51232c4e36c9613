package ocl

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
)

// covered counts the cells that run a variant.
type covered struct {
	cells   int
	kernels map[string]bool
}

var (
	macroValue = regexp.MustCompile(`(?m)^#define (\w+) (\d+)$`)
)

// coverage plans every cell; nothing is compiled.
func coverage(t *testing.T) (by map[string]covered, values map[string]map[string]bool) {
	t.Helper()
	by, values = map[string]covered{}, map[string]map[string]bool{}
	for _, c := range checkedCells() {
		p, err := c.plan()
		require.NoError(t, err, c.id())
		key := c.family + "=" + c.variant
		of := by[key]
		if of.cells++; of.kernels == nil {
			of.kernels = map[string]bool{}
		}
		for _, l := range p.Launches {
			of.kernels[l.Kernel] = true
			if values[l.Kernel] == nil {
				values[l.Kernel] = map[string]bool{}
			}
			for _, m := range macroValue.FindAllStringSubmatch(l.Program.Text(), -1) {
				values[l.Kernel][m[1]+"="+m[2]] = true
			}
		}
		by[key] = of
	}
	return by, values
}

// A variant, a kernel or a flag of one that no cell runs under the checker is missing here.
func TestEveryVariantHasCellsForTheChecker(t *testing.T) {
	ocltest.NumbersOnly(t)
	by, values := coverage(t)
	for _, v := range variant.Variants() {
		require.Contains(t, by, v, "write a cell for it in checker_*_test.go")
	}
	var text strings.Builder
	for _, v := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(&text, "%s: %d cells of %s\n", v, by[v].cells, strings.Join(slices.Sorted(maps.Keys(by[v].kernels)), ", "))
	}
	// By TestCheckerFindsNothingInTheHost, and in triangles.
	ran := map[string]bool{"store_row": true, "triangle": true}
	for _, of := range by {
		maps.Copy(ran, of.kernels)
	}
	text.WriteString("\nOf these kernels there are no cells:\n")
	files, err := filepath.Glob("../../kernels/*/*.cl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`void (\w+)\((?:PARAMS\) \{|__global)`).FindAllStringSubmatch(string(b), -1) {
			if strings.Contains(string(b), "kernel void "+m[1]+"(") || strings.Contains(string(b), "\nvoid "+m[1]+"(PARAMS)") {
				if !ran[m[1]] {
					fmt.Fprintf(&text, "%s in %s\n", m[1], filepath.Base(f))
				}
			}
		}
	}
	text.WriteString("\nOf these macros no cell has this value:\n")
	for _, v := range kernels.Variants() {
		for _, m := range v.Macros {
			if len(m.Values) != 2 {
				continue
			}
			for _, want := range m.Values {
				for _, k := range v.Kernels {
					if m.Name == "SPLIT" && want == 0 && strings.HasSuffix(k, "_sums") || (k == "rank_first_merge" || k == "rank_pick_merge") && m.Name == "SPLIT" {
						continue // they run where rows are cut, and only there
					}
					if m.Name == "SORTED" && want == 1 && (k == "unique_firsts" || k == "unique_number") {
						continue // they number by first positions, and only that
					}
					if k == "triangle" {
						continue // in TestCheckerFindsNothingInTriangles
					}
					if is := fmt.Sprintf("%s=%d", m.Name, want); !values[k][is] {
						fmt.Fprintf(&text, "%s of %s\n", is, k)
					}
				}
			}
		}
	}
	requirePinned(t, filepath.Join("testdata", "checked.txt"), text.String())
}
