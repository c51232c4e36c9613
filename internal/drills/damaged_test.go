package drills

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

// checksummed is a file of the caches with this content, whole, as anybody may write it.
func checksummed(kind, content string) []byte {
	return fmt.Appendf(nil, "anycl/1 %s %d %x\n%s", kind, len(content), sha256.Sum256([]byte(content)), content)
}

// Files of the caches are cut, changed, replaced; the next program is right, and makes them anew.
func TestDamagedCaches(t *testing.T) {
	if testing.Short() {
		t.Skip("starts process after process, runtime after runtime")
	}
	r := sound(t)
	dir := filepath.Join(t.TempDir(), "caches")
	r.dir = dir
	t.Setenv(platform.EnvTune, "")
	require.NoError(t, measure(dir))
	use := func() error {
		rt := r.open(t)
		s := newStudent(9, 6)
		exe, err := s.graph.Compile(t.Context(), rt, s.target(ops.Auto))
		require.NoError(t, err)
		require.NoError(t, s.step(t.Context(), exe, 1))
		_, err = rt.Tune(t.Context(), &ops.TuneOptions{Budget: 1}, exe)
		require.NoError(t, err)
		require.NoError(t, s.step(t.Context(), exe, 2))
		return rt.Close()
	}
	require.NoError(t, use())
	o, err := openWith(t, r)
	require.NoError(t, err)
	require.NoError(t, o.SaveTuning([]byte(`{"version":1}`)))
	require.NoError(t, o.Close())
	files := filesIn(t, dir)
	require.GreaterOrEqual(t, len(files), 3, "capabilities, calibration, tuning at least: %v", files)
	lot := rand.New(rand.NewPCG(9, 10))
	n := 0
	for f, path := range files {
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		kind := strings.Fields(string(whole))[1]
		flipped := bytes.Clone(whole)
		flipped[lot.IntN(len(flipped))] ^= 1 << lot.IntN(8)
		damages := [][]byte{
			nil, whole[:lot.IntN(len(whole))], whole[:len(whole)-1], flipped, append(bytes.Clone(whole), 'x'), bytes.Repeat([]byte{0}, 4096),
			checksummed(kind, ""), checksummed(kind, "null"), checksummed(kind, "{}"), checksummed(kind, "[]"), checksummed(kind, `{"launch_ns":-1,"copy":1e999}`),
			checksummed("other", string(whole[bytes.IndexByte(whole, '\n')+1:])),
		}
		for range often(0, 20) {
			flipped := bytes.Clone(whole)
			flipped[lot.IntN(len(flipped))] ^= 1 << lot.IntN(8)
			damages = append(damages, flipped, whole[:lot.IntN(len(whole))])
		}
		for i, damage := range damages {
			if !full() && i%len(files) != f {
				continue
			}
			require.NoError(t, os.WriteFile(path, damage, 0o600))
			require.NoError(t, use(), "%s, damage %d", filepath.Ext(path), i)
			n++
		}
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.MkdirAll(filepath.Join(path, "folder"), 0o700)) // where the file was
		require.NoError(t, use(), "%s is a folder", filepath.Ext(path))
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.WriteFile(path, whole, 0o600))
		n++
	}
	figure(t, "%d damages of %d files: every program right", n, len(files))
}

func openWith(t *testing.T, r *rig) (*platform.Opened, error) {
	t.Helper()
	m, err := platform.Discover(t.Context(), &platform.Options{Library: r.lib, Spec: r.device, CacheDir: r.dir})
	require.NoError(t, err)
	d, err := m.Select("")
	require.NoError(t, err)
	return d.Open(t.Context(), nil)
}
