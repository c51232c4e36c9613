package wholefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var errFull = errors.New("no space left on device")

// full has room for that many bytes.
type full struct {
	w    io.Writer
	left int
}

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n, _ := f.w.Write(p[:f.left])
		f.left = 0
		return n, errFull
	}
	f.left -= len(p)
	return f.w.Write(p)
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWhatFailsLeavesTheFileAsItWas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "with [brackets]")
	require.NoError(t, os.Mkdir(dir, 0o755))
	path := filepath.Join(dir, "file")
	require.NoError(t, Write(path, text("first"), nil))
	for left := range len("second") {
		err := Write(path, text("second"), &Options{Through: func(w io.Writer) io.Writer { return &full{w, left} }})
		require.ErrorIs(t, err, errFull)
	}
	err := Write(path, func(io.Writer) error { return errFull }, nil)
	require.ErrorIs(t, err, errFull)

	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "first", string(got))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing else is left")

	require.NoError(t, Write(path, text("second"), &Options{Through: func(w io.Writer) io.Writer { return &full{w, 6} }}))
	got, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "second", string(got))
}

func TestSweepRemovesWhatAKillLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "with [brackets]")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for _, name := range []string{".file.123.part", "file", ".other"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, Sweep(dir))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Error(t, Write(filepath.Join(dir, "none", "file"), text(""), nil))
}
