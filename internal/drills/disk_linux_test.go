package drills

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

// The disk of the caches is full, or nothing can be written there.
func TestDisks(t *testing.T) {
	if testing.Short() {
		t.Skip("finds out everything about the device anew")
	}
	r := sound(t)
	t.Setenv(platform.EnvTune, "")
	use := func(what string) {
		rt := r.open(t)
		s := newStudent(9, 6)
		exe, err := s.graph.Compile(t.Context(), rt, s.target(ops.OnDevice))
		require.NoError(t, err, what)
		require.NoError(t, s.step(t.Context(), exe, 1), what)
		require.NoError(t, rt.Settle(t.Context()), what)
		require.NoError(t, rt.Close(), what)
	}
	var tried []string
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	r.dir = filepath.Join(file, "caches")
	use("a file where the folder should be")
	tried = append(tried, "a file in the way")

	if os.Getuid() != 0 {
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o500))
		r.dir = filepath.Join(dir, "caches")
		use("a folder that is not ours")
		tried = append(tried, "a folder that is not ours")
	}

	for _, c := range []struct {
		name, data string
		flags      uintptr
	}{{"a full disk", "size=16k", 0}, {"a disk that is read-only", "size=16k", syscall.MS_RDONLY}} {
		if c.flags != 0 && !full() {
			continue
		}
		dir := t.TempDir()
		if err := syscall.Mount("none", dir, "tmpfs", c.flags, c.data); err != nil {
			t.Logf("%s: %v", c.name, err)
			continue
		}
		t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
		r.dir = dir
		if c.flags == 0 {
			require.NoError(t, os.Mkdir(filepath.Join(dir, "devices"), 0o700))
			err := os.WriteFile(filepath.Join(dir, "devices", "filler"), bytes.Repeat([]byte{1}, 1<<20), 0o600)
			require.ErrorIs(t, err, syscall.ENOSPC)
		}
		use(c.name)
		o, err := openWith(t, r)
		require.NoError(t, err)
		require.Error(t, o.SaveTuning(bytes.Repeat([]byte("tuned"), 1000)), "who asked for it is told")
		require.Nil(t, o.LoadTuning())
		require.NoError(t, o.Close())
		for _, f := range filesIn(t, dir) {
			require.NotContains(t, f, ".tmp-", "half a file")
		}
		if c.flags == 0 && full() { // and when there is room again
			require.NoError(t, os.Remove(filepath.Join(dir, "devices", "filler")))
			use("room again")
			require.NotEmpty(t, filesIn(t, dir))
		}
		tried = append(tried, c.name)
	}
	figure(t, "%d kinds: %s", len(tried), fmt.Sprintf("%q", tried))
}
