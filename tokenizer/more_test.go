package tokenizer_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tokenizer"
)

func TestBatch(t *testing.T) {
	t.Parallel()
	x := load(t, "bert")
	b, err := x.Batch([]string{"the whale", "a"}, tokenizer.BatchOptions{Multiple: 4})
	require.NoError(t, err)
	cls, _ := x.ID("[CLS]")
	sep, _ := x.ID("[SEP]")
	pad, _ := x.ID("[PAD]")
	a, _ := x.ID("a")
	require.Equal(t, []int{2, 8}, []int(b.IDs.Shape()))
	row, err := b.IDs.Index(0, 1)
	require.NoError(t, err)
	want := []int64{int64(cls), int64(a), int64(sep)}
	for len(want) < 8 {
		want = append(want, int64(pad))
	}
	require.True(t, tensor.Equal(row, tensor.Must(tensor.FromSlice(want, 8))), row)
	mask, err := b.Mask.Index(0, 1)
	require.NoError(t, err)
	require.True(t, tensor.Equal(mask, tensor.Must(tensor.FromSlice([]int64{1, 1, 1, 0, 0, 0, 0, 0}, 8))), mask)
	require.Len(t, b.Feeds(), 3)
	_, err = x.Batch([]string{"a"}, tokenizer.BatchOptions{Pairs: []string{}})
	require.Error(t, err)
	empty, err := x.Batch(nil, tokenizer.BatchOptions{})
	require.NoError(t, err)
	require.Zero(t, empty.IDs.Len())
}

// What is too long is cut off at the end of the longer text, and the tokens around stay.
func TestMaxLength(t *testing.T) {
	t.Parallel()
	x := load(t, "bert")
	long := strings.Repeat("the ", 50)
	whole := x.EncodePair(long, "a a a", tokenizer.Options{})
	e := x.EncodePair(long, "a a a", tokenizer.Options{MaxLength: 12})
	require.Len(t, e.IDs, 12)
	require.Equal(t, whole.IDs[len(whole.IDs)-4:], e.IDs[8:])
	require.Equal(t, []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, e.Types)
	require.Len(t, x.Encode(long, tokenizer.Options{MaxLength: 1}).IDs, 1)
	require.Equal(t, whole.IDs[1:51], x.Encode(long, tokenizer.Options{Plain: true}).IDs)
}

// A long word takes no time that grows with its square.
func TestLongWordsAreQuick(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bpe", "unigram", "gpt2", "bert"} {
		x := load(t, name)
		start := time.Now()
		x.Encode(strings.Repeat("whale", 20_000), tokenizer.Options{})
		require.Less(t, time.Since(start), 10*time.Second, name)
	}
}

func TestBytesThatAreNoText(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bpe", "unigram", "unigram.json", "gpt2", "bert"} {
		x := load(t, name)
		require.Equal(t, x.Encode("a\uFFFDb", tokenizer.Options{}), x.Encode("a\xffb", tokenizer.Options{}), name)
		require.Empty(t, x.Decode([]int{-1, 1 << 30}, true), name)
	}
}

func TestSeveralGoroutines(t *testing.T) {
	t.Parallel()
	x := load(t, "gpt2")
	r, err := recorded()
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, text := range r.Texts {
				if got := x.Encode(text, tokenizer.Options{}).IDs; fmt.Sprint(got) != fmt.Sprint(r.Models["gpt2"][i].IDs) {
					t.Errorf("%q gave %v", text, got)
				}
			}
		})
	}
	wg.Wait()
}

// What a file asks for and is not known is an error that names it.
func TestWhatIsNotKnownIsRefused(t *testing.T) {
	t.Parallel()
	model := `"model":{"type":"WordPiece","unk_token":"u","vocab":{"u":0}}`
	for file, want := range map[string]string{
		`{` + model + `,"normalizer":{"type":"Nmt"}}`:                                                                         `normalizer "Nmt"`,
		`{` + model + `,"pre_tokenizer":{"type":"New"}}`:                                                                      `pre-tokenizer "New"`,
		`{` + model + `,"decoder":{"type":"CTC"}}`:                                                                            `decoder "CTC"`,
		`{` + model + `,"post_processor":{"type":"X"}}`:                                                                       `post-processor "X"`,
		`{` + model + `,"pre_tokenizer":{"type":"Split","behavior":"Isolated","pattern":{"Regex":"a(?=b)"}}}`:                 "Split is not supported",
		`{` + model + `,"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[A]","type_id":0}}]}}`: `"[A]"`,
		`{"model":{"type":"WordLevel","vocab":{"a":0}}}`:                                                                      `model "WordLevel"`,
		`{"model":{"type":"WordPiece","unk_token":"x","vocab":{"a":0}}}`:                                                      `not have "x"`,
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}}`:                                                           `"b"`,
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a"]}}`:                                                             "no pair",
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":[],"byte_fallback":true}}`:                                           "<0x00>",
		`{"model":{"type":"BPE","vocab":{"a":99999999999},"merges":[]}}`:                                                      "has the id",
		`{"model":{"type":"Unigram","unk_id":3,"vocab":[["a",0]]}}`:                                                           "not known",
		`{"model":{"type":"Unigram","unk_id":0,"vocab":[["a"]]}}`:                                                             "token 0",
		``:         "SentencePiece",
		"\x0a\x7f": "ends early",
		`{`:        "JSON",
	} {
		_, err := tokenizer.Parse([]byte(file))
		require.ErrorIs(t, err, tokenizer.ErrFormat, file)
		require.ErrorContains(t, err, want, file)
	}
	_, err := tokenizer.Load(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	file := filepath.Join(t.TempDir(), "vocab.txt")
	require.NoError(t, os.WriteFile(file, []byte("a\nb\n"), 0o644))
	_, err = tokenizer.LoadVocab(file, true)
	require.ErrorIs(t, err, tokenizer.ErrFormat)
}

// Files that were changed at random are errors, or other tokenizers.
func TestDamagedFilesAreReadOrRefused(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"unigram.model", "bpe.model", "unigram.json"} {
		whole, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		for range 100 {
			b := bytes.Clone(whole)
			for range 1 + r.IntN(4) {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
			b = b[:len(b)-r.IntN(2)*r.IntN(len(b))]
			if x, err := tokenizer.Parse(b); err == nil {
				x.Decode(x.Encode("Call me Ishmael ﬁ é <sep> <mask> 日本", tokenizer.Options{}).IDs, true)
			} else {
				require.ErrorIs(t, err, tokenizer.ErrFormat)
			}
		}
	}
}

func FuzzEncode(f *testing.F) {
	r, err := recorded()
	require.NoError(f, err)
	for _, text := range r.Texts {
		f.Add(text)
	}
	var all []*tokenizer.Tokenizer
	for _, name := range []string{"bpe", "unigram", "unigram.json", "gpt2", "bert"} {
		all = append(all, load(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, x := range all {
			for _, id := range x.Encode(text, tokenizer.Options{}).IDs {
				if id < 0 || id >= x.Size() {
					t.Fatalf("%q gave %d", text, id)
				}
			}
		}
		gpt := all[3]
		if valid := strings.ToValidUTF8(text, "\uFFFD"); gpt.Decode(gpt.Encode(text, tokenizer.Options{}).IDs, true) != valid {
			t.Fatalf("%q does not come back", valid)
		}
	})
}
