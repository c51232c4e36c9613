package tokenizer_test

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tokenizer"
)

// recorded is what the originals made of texts: the library tokenizers of Hugging Face for bert, gpt2 and unigram.json, and SentencePiece for unigram and bpe.
// testdata/README.md says how.
var recorded = sync.OnceValues(func() (r struct {
	Texts  []string
	Models map[string][]struct {
		IDs, Pair, Types []int
		Text             string
	}
}, err error) {
	b, err := os.ReadFile("testdata/expected.json")
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	return r, err
})

func load(t testing.TB, name string) *tokenizer.Tokenizer {
	t.Helper()
	var x *tokenizer.Tokenizer
	var err error
	switch name {
	case "bert":
		x, err = tokenizer.LoadVocab("testdata/bert-vocab.txt", true)
	case "gpt2":
		x, err = tokenizer.LoadBPE("testdata/gpt2-vocab.json", "testdata/gpt2-merges.txt")
	case "unigram.json":
		x, err = tokenizer.Load("testdata/unigram.json")
	default:
		x, err = tokenizer.Load("testdata/" + name + ".model")
	}
	require.NoError(t, err)
	return x
}

func TestTokensAreThoseOfTheOriginals(t *testing.T) {
	t.Parallel()
	r, err := recorded()
	require.NoError(t, err)
	require.Len(t, r.Models, 5)
	for name, rows := range r.Models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := load(t, name)
			for i, text := range r.Texts {
				if rows[i].Pair == nil { // its program reads lines
					text = strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ").Replace(text)
				}
				e := x.Encode(text, tokenizer.Options{})
				require.Equal(t, rows[i].IDs, e.IDs, "%q: %q, and not %q", text, tokens(x, e.IDs), tokens(x, rows[i].IDs))
				require.Equal(t, rows[i].Text, x.Decode(e.IDs, false), "%q", text)
				if rows[i].Pair != nil {
					p := x.EncodePair(text, "second text", tokenizer.Options{})
					require.Equal(t, rows[i].Pair, p.IDs, "%q", text)
					require.Equal(t, rows[i].Types, p.Types, "%q", text)
				}
			}
		})
	}
}

func tokens(x *tokenizer.Tokenizer, ids []int) (all []string) {
	for _, id := range ids {
		all = append(all, x.Token(id))
	}
	return all
}
