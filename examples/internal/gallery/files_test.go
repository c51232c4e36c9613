package gallery

import (
	"context"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFileThatCannotBeWrittenIsToldBeforeTheProgramRuns(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there.png")
	require.NoError(t, os.WriteFile(there, []byte("before"), 0o644))
	for _, file := range []string{"", filepath.Join(dir, "new.png"), there, os.DevNull} {
		require.NoError(t, Writable("out", file), file)
	}
	text, err := os.ReadFile(there)
	require.NoError(t, err)
	require.Equal(t, "before", string(text), "asking changes nothing")
	require.NoFileExists(t, filepath.Join(dir, "new.png"))

	for file, want := range map[string]string{
		filepath.Join(dir, "none", "x.png"): "-out: there is no folder " + filepath.Join(dir, "none"),
		dir:                                 "-out: ",
		filepath.Join(there, "x.png"):       "-out: ",
	} {
		p := &Program{Out: file, Stdout: t.Output(), Stderr: t.Output()}
		require.ErrorContains(t, p.Run(t.Context(), func(context.Context, *Program) error { panic("it runs") }), want)
	}
}

func TestAPictureThatCannotBeWrittenIsAnErrorAndLeavesNothing(t *testing.T) {
	picture := image.NewGray(image.Rect(0, 0, 300, 300))
	p := &Program{Stdout: t.Output(), Out: filepath.Join(t.TempDir(), "p.png")}
	require.NoError(t, p.WritePNG(picture))
	f, err := os.Open(p.Out)
	require.NoError(t, err)
	defer f.Close()
	again, _, err := image.Decode(f)
	require.NoError(t, err)
	require.Equal(t, picture.Bounds(), again.Bounds())

	p.Out = "/dev/full" // of Linux: every write finds the disk full
	if _, err := os.Stat(p.Out); err == nil {
		require.Error(t, p.WritePNG(picture))
		_, err := os.Stat(p.Out)
		require.NoError(t, err, "a device is not removed")
	}
}
