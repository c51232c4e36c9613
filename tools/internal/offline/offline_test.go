package offline

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/internal/ocl/draft"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// drafted is the corpus of a small graph for a class.
func drafted(t *testing.T, class *draft.Class) []*draft.Draft {
	t.Helper()
	c := corpus.New(class)
	p := corpus.NewPlanner(c)
	g := ops.NewGraph("small")
	x := g.Input("x", tensor.Float32, 40, 50)
	var outs []*ops.Node
	for _, f := range []func(*ops.Node) *ops.Node{ops.Exp, ops.Tanh, ops.Neg, ops.Sqrt, ops.Log} {
		outs = append(outs, ops.Softmax(f(x), 1), f(ops.Transpose(x)), ops.MatMul(f(x), ops.Transpose(x)))
	}
	exe, err := g.Compile(t.Context(), ops.NewRuntime(p), ops.Target{Outputs: outs})
	require.NoError(t, err)
	require.NoError(t, exe.Close())
	require.NoError(t, p.Close())
	return c.Drafts()
}

// fake refuses programs with a word and tells of all kernels that they need as many registers as
// their program has kernels.
type fake struct {
	refuse string
	fail   error
	called atomic.Int32
}

func (f *fake) Version() string { return "fake" }
func (f *fake) Close() error    { return nil }

func (f *fake) Compile(_ context.Context, source, _ string) (map[string]Usage, error) {
	f.called.Add(1)
	switch {
	case f.fail != nil:
		return nil, f.fail
	case f.refuse != "" && strings.Contains(source, f.refuse):
		return nil, &Refusal{By: "fake", Log: "line 1\nline 2\nline 3\nline 4"}
	}
	all := map[string]Usage{}
	for _, name := range strings.FieldsFunc(source, func(r rune) bool { return !strings.ContainsRune(letters, r) }) {
		all[name] = Usage{Registers: 7}
	}
	return all, nil
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

func TestEveryDraftIsInOneBatchOfItsLike(t *testing.T) {
	for _, class := range draft.Classes {
		all := drafted(t, class)
		seen := map[string]bool{}
		batches := batches(all)
		for _, batch := range batches {
			require.LessOrEqual(t, len(batch), batchSize)
			source, suffixes := class.Text(batch)
			for i, d := range batch {
				require.False(t, seen[d.Print()])
				seen[d.Print()] = true
				require.True(t, len(batch) == 1 || batch[0].Joins(d))
				for _, k := range d.Kernels {
					require.Contains(t, source, k+suffixes[i])
				}
			}
		}
		require.Len(t, seen, len(all))
		require.Less(t, 3*len(batches), len(all), "they are joined")
	}
}

func TestARefusedProgramIsFoundAmongThoseThatCompile(t *testing.T) {
	class := draft.Classes[0]
	all := drafted(t, class)
	c := &fake{refuse: "sqrt("}
	outcomes, err := Run(t.Context(), c, class, all, 2, nil)
	require.NoError(t, err)
	require.Len(t, outcomes, len(all))
	refused := 0
	for i, o := range outcomes {
		require.Equal(t, all[i].Print(), o.Print)
		text, _ := class.Text(all[i : i+1])
		require.Equal(t, strings.Contains(text, c.refuse), o.Refused != "", text)
		if o.Refused != "" {
			refused++
			continue
		}
		for _, k := range all[i].Kernels {
			require.Equal(t, 7, o.Kernels[k].Registers)
		}
	}
	require.Positive(t, refused)
	require.Less(t, refused, len(all))

	broken := errors.New("broken")
	_, err = Run(t.Context(), &fake{fail: broken}, class, all, 2, nil)
	require.ErrorIs(t, err, broken)
}

func TestWhatPtxasSaysIsRead(t *testing.T) {
	require.Equal(t, map[string]Usage{
		"a_0": {Registers: 31, Local: 2176, Lanes: 32},
		"b":   {Registers: 255, Spill: 5872, Private: 6000, Lanes: 32},
	}, readPtxas(`ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a_0' for 'sm_80'
ptxas info    : Function properties for a_0
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 31 registers, 2176 bytes smem, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'b' for 'sm_80'
ptxas info    : Function properties for b
    6000 bytes stack frame, 5872 bytes spill stores, 5000 bytes spill loads
ptxas info    : Used 255 registers, 400 bytes cmem[0]
`))
}
