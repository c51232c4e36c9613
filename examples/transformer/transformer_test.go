package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	text "github.com/anycl/anycl/examples/transformer/data"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/train"
)

// small are options of a training of seconds.
func small(device, dir string) options {
	return options{
		device: device, dir: filepath.Join(dir, "run"), save: filepath.Join(dir, "w.safetensors"),
		shape: shape{Layers: 1, Width: 32, Heads: 2, Context: 16}, batch: 8, steps: 60, every: 20, rate: 0.01,
		prompt: "The whale ", tokens: 24, temperature: 0.8, seed: 1, precision: tensor.Float32,
	}
}

// onEngines runs f on the CPU path, and on the best device if there is one.
func onEngines(t *testing.T, f func(t *testing.T, rt *ops.Runtime, device string)) {
	for _, device := range []string{"none", ""} {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, rt.Close()) })
		name := "the CPU path"
		if device == "" {
			if rt.Device() == nil {
				continue
			}
			name, device = rt.Device().ID, rt.Device().ID
		}
		t.Run(name, func(t *testing.T) { f(t, rt, device) })
	}
}

func TestTheTextIsTheOneThatItsLicenceNames(t *testing.T) {
	book, err := text.MobyDick()
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(book))
	licence, err := os.ReadFile(filepath.Join("data", "LICENSE"))
	require.NoError(t, err)
	require.Contains(t, string(licence), hex.EncodeToString(sum[:]))
	require.True(t, strings.HasPrefix(book, "CHAPTER 1. Loomings.\n\nCall me Ishmael."))
	known := alphabetOf(book)
	require.Len(t, known, 78)
	_, err = known.numbers("naïve")
	require.ErrorContains(t, err, "does not know the character 'ï'")
}

func TestTheNetworkLearnsAndWritesTheSameInAnotherProcess(t *testing.T) {
	onEngines(t, func(t *testing.T, _ *ops.Runtime, device string) {
		if device != "none" && testing.Short() {
			t.Skip("compiles some fifty kernels")
		}
		o := small(device, t.TempDir())
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), o, &out))
		losses := regexp.MustCompile(`valid ([0-9.]+)`).FindAllStringSubmatch(out.String(), -1)
		require.Len(t, losses, 3, out.String())
		first, err := strconv.ParseFloat(losses[0][1], 64)
		require.NoError(t, err)
		last, err := strconv.ParseFloat(losses[2][1], 64)
		require.NoError(t, err)
		require.Less(t, last, first)
		require.Less(t, last, 3.0, "the letters' frequencies alone have 3.1")
		require.Contains(t, out.String(), "a bigram model has a loss of 2.4")
		require.FileExists(t, filepath.Join(o.dir, "loss.png"))
		if device != "none" {
			return
		}
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), childVariable+"="+o.save)
		there, err := child.CombinedOutput()
		require.NoError(t, err, "%s", there)
		require.Equal(t, written(t, out.String()), written(t, string(there)))
	})
}

// written is the generated text in the program's output.
func written(t *testing.T, out string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)\n(The whale .*)\n\n\d+ characters a second`).FindStringSubmatch(out)
	require.NotNil(t, m, out)
	require.Len(t, []rune(m[1]), len("The whale ")+24)
	return m[1]
}

// stopper ends a context when a training says that it has made its number of steps.
type stopper struct {
	bytes.Buffer
	step string
	end  context.CancelFunc
}

func (s *stopper) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(s.step)) {
		s.end()
	}
	return s.Buffer.Write(b)
}

func TestAnInterruptedTrainingGoesOn(t *testing.T) {
	whole, parts := small("none", t.TempDir()), small("none", t.TempDir())
	whole.steps, parts.steps = 24, 24
	whole.every, parts.every = 8, 8
	require.NoError(t, run(t.Context(), whole, &bytes.Buffer{}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var interrupted *train.Interrupted
	require.ErrorAs(t, run(ctx, parts, &stopper{step: "step      8 ", end: cancel}), &interrupted)
	require.Equal(t, 8, interrupted.Step)
	require.ErrorContains(t, run(t.Context(), parts, &bytes.Buffer{}), "has a training of 8 steps: -resume goes on with it")
	parts.resume = true
	require.NoError(t, run(t.Context(), parts, &bytes.Buffer{}))
	a, err := os.ReadFile(whole.save)
	require.NoError(t, err)
	b, err := os.ReadFile(parts.save)
	require.NoError(t, err)
	require.True(t, bytes.Equal(a, b), "the weights differ")
}

// Also where the text is longer than the context of attention.
func TestScoresWithTheCacheAreThoseOfTheWholeText(t *testing.T) {
	onEngines(t, func(t *testing.T, rt *ops.Runtime, _ string) {
		const length = 9
		n := newNetwork(shape{Layers: 2, Width: 16, Heads: 2, Context: 4, Alphabet: "abcde"}, 1, tensor.Float32)
		g := n.Graph()
		ids := g.Input("ids", tensor.Int32, 1, length)
		all := tensor.Must(tensor.FromSlice([]int32{0, 3, 1, 4, 1, 2, 2, 0, 3}, 1, length))
		whole, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{n.scores(n.Eval(), ids, nil)}})
		require.NoError(t, err)
		want, err := whole.Run(t.Context(), ops.Feeds{ids: all})
		require.NoError(t, err)
		id, position, scores, updates := n.step(length)
		step, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{scores}, Updates: updates})
		require.NoError(t, err)
		for at := range length {
			got, err := step.Run(t.Context(), ops.Feeds{id: tensor.Must(all.Slice(1, at, at+1, 1)), position: tensor.Scalar(int32(at))})
			require.NoError(t, err)
			for c := range 5 {
				require.InDelta(t, want[0].Float64At(at*5+c), got[0].Float64At(c), 1e-5, "position %d, character %d", at, c)
			}
		}
	})
}

func TestABigramModelCountsPairs(t *testing.T) {
	learned, valid := []int32{0, 1, 0, 0, 1}, []int32{0, 1, 1, 0}
	require.InDelta(t, -(math.Log(3./5)+math.Log(1./3)+math.Log(2./3))/3, bigramLoss(learned, valid, 2), 1e-12)
}

func TestPiecesAreOneCharacterApart(t *testing.T) {
	p := pieces{text: []int32{5, 6, 7, 8, 9}, length: 2, every: 2}
	require.Equal(t, 2, p.Len())
	require.Zero(t, pieces{text: []int32{5, 6}, length: 2, every: 64}.Len())
	into := []*tensor.Tensor{tensor.Must(tensor.New(tensor.Int32, 2, 2)), tensor.Must(tensor.New(tensor.Int32, 2, 2))}
	require.NoError(t, p.Read([]int{1, 0}, into))
	require.Equal(t, "int32 [2 2]\n[[7 8]\n [5 6]]", into[0].String())
	require.Equal(t, "int32 [2 2]\n[[8 9]\n [6 7]]", into[1].String())
}

func TestMistakesAreSaid(t *testing.T) {
	for want, change := range map[string]func(o *options){
		"heads must divide features":      func(o *options) { o.Heads = 5 },
		"the loader has no batches":       func(o *options) { o.Context = 400_000 },
		"must be 1 or more":               func(o *options) { o.steps = 0 },
		"does not know the character":     func(o *options) { o.prompt, o.steps = "naïve", 1 },
		"open " + filepath.Join("no", ""): func(o *options) { o.load = filepath.Join("no", "file") },
	} {
		o := small("none", t.TempDir())
		change(&o)
		require.ErrorContains(t, run(t.Context(), o, &bytes.Buffer{}), want)
	}
}
