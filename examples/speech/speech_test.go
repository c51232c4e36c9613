package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
)

// The sentence is written down as its transcript has it. It takes minutes where cores are busy: ANYCL_SPEECH=1 asks for it.
func TestTheProgramChecksItself(t *testing.T) {
	if os.Getenv("ANYCL_SPEECH") == "" {
		t.Skip("ANYCL_SPEECH is not set")
	}
	if _, err := load(); errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, "") })
	require.Contains(t, printed, "there might be prudently in his power to do for them.")
}

func TestWordsOfATranscript(t *testing.T) {
	t.Parallel()
	require.Equal(t, "and mister dashwood was ill disposed", words(" And Mr. Dashwood was ill-disposed!"))
}

func TestTokensAreSpelled(t *testing.T) {
	t.Parallel()
	require.Equal(t, " do\nit", spell([]string{"▁do", "<0x0A>", "it"}, []int64{0, 1, 2, 7}))
}

func TestBadRecordingsAreRefused(t *testing.T) {
	t.Parallel()
	for _, b := range []string{"", "RIFF", "RIFF....WAVE", "RIFF....WAVEdata\x04\x00\x00\x00abcd", "RIFF....WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00\x80\x3e\x00\x00\x00\x00\x00\x00\x04\x00\x10\x00"} {
		_, err := decode([]byte(b))
		require.Error(t, err, "%q", b)
	}
}
