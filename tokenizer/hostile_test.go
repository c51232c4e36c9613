package tokenizer

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// words is a tokenizer.json of a BPE model of two letters, with more members.
func words(more string) []byte {
	return fmt.Appendf(nil, `{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}%s}`, more)
}

// within fails where f does not end soon.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

func TestATemplateForOneTextHasNoSecond(t *testing.T) {
	t.Parallel()
	_, err := Parse(words(`,"post_processor":{"type":"TemplateProcessing","single":[{"Sequence":{"id":"B","type_id":0}}],"pair":[],"special_tokens":{}}`))
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorContains(t, err, "second text")
}

func TestAMetaspaceHasACharacter(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"pre_tokenizer", "decoder"} {
		_, err := Parse(words(`,"` + part + `":{"type":"Metaspace","prepend_scheme":"always"}`))
		require.ErrorIs(t, err, ErrFormat, part)
	}
}

func TestAStripOfManyCharactersEnds(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"a", ""} {
		x, err := Parse(words(`,"decoder":{"type":"Strip","content":"` + content + `","start":9223372036854775807,"stop":9223372036854775807}`))
		require.NoError(t, err)
		within(t, func() { x.Decode([]int{0, 1}, false) })
	}
}

// A table of characters may put bytes in place of a text that are no UTF-8.
func TestWordsThatAreNoUTF8AreEncoded(t *testing.T) {
	t.Parallel()
	v, err := newVocab(map[string]int{"a": 0, "?": 1})
	require.NoError(t, err)
	none := func(int, int, string) (int, float64, bool) { return 0, 0, false }
	m := &bpe{vocab: v, unk: 1, merge: none}
	require.Equal(t, []int{0, 1, 0}, m.encode(nil, "a\xffa"))
	require.Equal(t, []int{1}, m.encode(nil, "\xe3"))
}
