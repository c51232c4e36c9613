package anycl_test

import (
	"context"
	"errors"
	"math"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/bench"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/offline"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
)

// What every class of devices would compile for the samples of the ops, for gradients, random
// graphs and the works that are measured, in every variant. Nothing is compiled here.
//
//	ANYCL_CORPUS=FOLDER go test -run Corpus . ./examples/...     keeps it for compilers

// worksOf are works with the shapes that people measure; the rest of them differ in sizes alone.
func worksOf(which string) *regexp.Regexp {
	return map[string]*regexp.Regexp{
		"few": regexp.MustCompile(`^(sgemm/1024|conv|depthwise|attention|mlp/1|mobilenetv2/1|train-cnn/128)`),
		"all": regexp.MustCompile(`^(sgemm/(256|1024|2048)|batched|conv|dense|attention|decode|reduce|softmax|layernorm|sort|cumsum|` +
			`train|transformer|gpt2|resnet18/1|mobilenetv2/1|mlp|pool|transpose|gather)`),
	}[which]
}

func TestTheCorpusHasEveryVariant(t *testing.T) {
	t.Parallel()
	folder := os.Getenv(offline.EnvCorpus)
	many, works, graphs := []*optest.Options{{Bundle: true}}, worksOf("few"), uint64(4)
	if folder != "" {
		many, works, graphs = append(many, &optest.Options{DTypes: []tensor.DType{tensor.Float32}}), worksOf("all"), 24
	}
	ran, chosen, files := map[string]bool{}, map[string]bool{}, map[string]bool{}
	corpora, err := offline.Gather(folder, "ops", func(class *ocl.Class, p *offline.Planner) error {
		p.Instead = optest.ErrKnown
		var parts []*optest.Part
		for _, o := range many {
			parts = append(parts, optest.Parts(p, o)...)
		}
		parts = append(parts, optest.GradientParts(p, p, many[len(many)-1])...)
		for _, part := range parts {
			for _, o := range part.Check(t.Context()) {
				if o.State == optest.Failed {
					return errors.Join(errors.New(class.Name+": "+part.Op.Name+" "+part.DType.String()+" "+o.Sample), o.Err)
				}
			}
		}
		for seed := range graphs {
			if err := optest.GraphError(t.Context(), p, seed); !errors.Is(err, optest.ErrKnown) && !errors.Is(err, engine.ErrUnsupported) {
				return err
			}
		}
		return draftWorks(t.Context(), p, works)
	})
	require.NoError(t, err)
	for name, c := range corpora {
		t.Logf("%-8s %d programs", name, c.Len())
		for _, d := range c.Drafts() {
			files[d.File] = true
			for _, v := range d.Variants {
				ran[v], chosen[v] = true, chosen[v] || d.Chosen
			}
		}
	}
	for _, v := range ocl.Variants() {
		assert.True(t, ran[v], "no program is for %s", v)
		assert.True(t, chosen[v], "no rule chooses %s", v)
	}
	for _, v := range kernels.Variants {
		assert.True(t, files[v.File], "%s is in no program", v.File)
	}
}

// draftWorks compiles what is measured, with operands that nobody reads.
func draftWorks(ctx context.Context, e engine.Engine, works *regexp.Regexp) error {
	ours := bench.NewOurs(ops.NewRuntime(e), ops.Auto)
	for _, w := range bench.Works() {
		if w.Program == nil || !works.MatchString(w.Name) {
			continue
		}
		var operands []*tensor.Tensor
		for _, r := range w.Program.Leaves() {
			n := w.Program.Nodes[r]
			t, err := tensor.New(n.DType, n.Dims...)
			if err != nil {
				return err
			}
			operands = append(operands, t)
		}
		if _, err := ours.Load(ctx, w, operands); !errors.Is(err, optest.ErrKnown) && !errors.Is(err, bench.ErrCannot) {
			return errors.Join(errors.New(w.Name), err)
		}
	}
	return nil
}

// A corpus that is written and read again is the same.
func TestCorpusComesBack(t *testing.T) {
	folder := t.TempDir()
	draft := func(_ *ocl.Class, p *offline.Planner) error {
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
	written, err := offline.Gather(folder, "one", draft)
	require.NoError(t, err)
	_, err = offline.Gather(folder, "two", draft)
	require.NoError(t, err)
	for _, class := range ocl.Classes {
		c, err := offline.Load(folder, class)
		require.NoError(t, err)
		require.NotEmpty(t, c.Drafts())
		require.Equal(t, written[class.Name].Drafts(), c.Drafts())
		for _, d := range c.Drafts() {
			source, suffixes := class.Text([]*ocl.Draft{d})
			require.Equal(t, []string{""}, suffixes)
			require.Contains(t, source, "kernel void "+d.Kernels[0])
			require.True(t, slices.IsSorted(d.Variants))
		}
	}
	_, err = offline.Load(t.TempDir(), ocl.Classes[0])
	require.ErrorIs(t, err, os.ErrNotExist)
}
