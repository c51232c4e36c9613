package offline_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/internal/ocl/draft"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/offline"
)

// The corpus holds the programs that every class of devices would compile for the samples of the ops, for
// gradients, random graphs and the works that are measured, in every variant. Nothing is compiled here.
//
//	ANYCL_CORPUS=FOLDER go test -run Corpus ./tools/internal/offline ./examples/...   keeps it for tools/cmd/offline

func TestTheCorpusHasEveryVariant(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plans thousands of programs")
	}
	ran, chosen, files := map[string]bool{}, map[string]bool{}, map[string]bool{}
	folder, extent := os.Getenv(corpus.Env), offline.Thin
	if folder != "" {
		extent = offline.Few
	}
	corpora, err := corpus.Gather(folder, "few", func(_ *draft.Class, p *corpus.Planner) error { return extent.Draft(t.Context(), p) })
	require.NoError(t, err)
	for name, c := range corpora {
		t.Logf("%-8s %d programs", name, c.Len())
		for _, d := range c.Drafts() {
			own := kernelFiles(d.Body) // a program may be of several: panels beside exchanges of rows
			for _, file := range own {
				files[file] = true
			}
			if d.Chosen {
				requireItsClass(t, name, own)
			}
			for _, v := range d.Variants {
				ran[v], chosen[v] = true, chosen[v] || d.Chosen
			}
		}
	}
	for _, v := range variant.Variants() {
		assert.True(t, ran[v], "no program is for %s", v)
		assert.True(t, chosen[v], "no rule chooses %s", v)
	}
	for _, v := range kernels.Variants() {
		if v.Family != "product" && v.Family != "custom" { // no tasks
			assert.True(t, files[v.File], "%s is in no program", v.File)
		}
	}
}

// requireItsClass asserts that the names of a program's kernel files, chosen by a rule, say that it is for devices of the class: a
// CPU driver's is of no file for GPUs, and the other way round.
func requireItsClass(t *testing.T, class string, files []string) {
	own, empty := kernels.GPU, []string{"rank/cpu_radix.cl", "unique/cpu_parts.cl", "suppress/cpu_lists.cl"} // which GPUs run where nothing is to be sorted
	if class == "cpu" {
		own, empty = kernels.CPU, nil
	}
	for _, file := range files {
		if !slices.Contains(empty, file) {
			require.Contains(t, []kernels.Class{kernels.Any, own}, kernels.ClassOf(file), "%s by rule on a device of class %s", file, class)
		}
	}
}

// kernelFiles are the files of kernels in the text of a program.
func kernelFiles(body string) []string {
	var files []string
	for {
		_, after, found := strings.Cut(body, "// ---- ")
		if !found {
			return files
		}
		line, rest, _ := strings.Cut(after, "\n")
		if file, whole := strings.CutSuffix(line, ".cl ----"); whole {
			files = append(files, file+".cl")
		}
		body = rest
	}
}

// A corpus that is written and read again is the same.
func TestCorpusComesBack(t *testing.T) {
	folder := t.TempDir()
	draftInto := func(_ *draft.Class, p *corpus.Planner) error {
		g := ops.NewGraph("softmax")
		x := g.Input("x", tensor.Float32, 40, 50)
		exe, err := g.Compile(t.Context(), ops.NewRuntime(p), ops.Target{Outputs: []*ops.Node{ops.Softmax(x, 1)}})
		if err != nil {
			return err
		}
		defer exe.Close()
		out, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(tensor.New(tensor.Float32, 40, 50))})
		if err == nil && math.Abs(out[0].Float64At(7)-1./50) > 1e-8 {
			err = errors.New(out[0].String())
		}
		return err
	}
	written, err := corpus.Gather(folder, "one", draftInto)
	require.NoError(t, err)
	_, err = corpus.Gather(folder, "two", draftInto)
	require.NoError(t, err)
	for _, class := range draft.Classes {
		c, err := corpus.Load(folder, class)
		require.NoError(t, err)
		require.NotEmpty(t, c.Drafts())
		require.Equal(t, written[class.Name].Drafts(), c.Drafts())
		for _, d := range c.Drafts() {
			source, suffixes := class.Text([]*draft.Draft{d})
			require.Equal(t, []string{""}, suffixes)
			require.Contains(t, source, "kernel void "+d.Kernels[0])
			require.True(t, slices.IsSorted(d.Variants))
		}
	}
	_, err = corpus.Load(t.TempDir(), draft.Classes[0])
	require.ErrorIs(t, err, os.ErrNotExist)
}
