package tokenizer_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tokenizer"
)

// recordVar names a file that testdata/record.js wrote: what the originals make of texts with whole vocabularies, which are too large to be here.
const recordVar = "ANYCL_TOKENIZERS"

func TestWholeVocabularies(t *testing.T) {
	t.Parallel()
	path := os.Getenv(recordVar)
	if path == "" {
		t.Skip(recordVar + " names no file of testdata/record.js")
	}
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var r struct {
		Texts  []string
		Models map[string]struct {
			File string
			Rows []struct {
				IDs  []int
				Text string
			}
		}
	}
	require.NoError(t, json.Unmarshal(b, &r))
	require.NotEmpty(t, r.Models)
	bytes := 0
	for _, text := range r.Texts {
		bytes += len(text)
	}
	for name, m := range r.Models {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			x, err := tokenizer.Load(m.File)
			require.NoError(t, err)
			loaded := time.Since(start)
			var took time.Duration
			for i, text := range r.Texts {
				start := time.Now()
				e := x.Encode(text, tokenizer.Options{})
				took += time.Since(start)
				require.Equal(t, m.Rows[i].IDs, e.IDs, "%q: %q, and not %q", text, tokens(x, e.IDs), tokens(x, m.Rows[i].IDs))
				require.Equal(t, m.Rows[i].Text, x.Decode(e.IDs, false), "%q", text)
			}
			t.Logf("%d tokens, loaded in %v, %.1f MB/s", x.Size(), loaded, float64(bytes)/1e6/took.Seconds())
		})
	}
}
