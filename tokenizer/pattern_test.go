package tokenizer

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The patterns that are written as code cut as the expressions do.
func TestPatternsInCodeAreThoseOfTheExpressions(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Hello, world!", "  two  spaces   ", "it's I'LL 've 'S", "12345 6 ½", "a\n\n b\r\n\tc\n", "x=1;//y\n\n\n", "\u00a0é\u2003ü", "'", "!? \n \n", " ", "", "日本 語!", "_a_1",
		" 'tis", "a'b'c's", "\t\t", "\n\n\na", "e\u0301", "👍👍🏽 ok",
	}
	for _, expression := range []string{
		`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
		`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
		`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	} {
		p, ok := gptPatterns(&pattern{Regex: &expression})
		require.True(t, ok)
		re, trims, err := compilePattern(expression)
		require.NoError(t, err)
		for _, text := range append(texts, strings.Join(texts, ""), strings.Join(texts, "\n ")) {
			want := cut(nil, text, isolated, finder(re, trims))
			got := cut(nil, text, isolated, p.next)
			require.Equal(t, want, slices.Clip(got), "%q", text)
		}
	}
}
