package platform

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSealedFileComesBackWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for _, payload := range [][]byte{{}, []byte("x"), bytes.Repeat([]byte{0, 10, 255}, 10000)} {
		require.NoError(t, writeSealed(path, kindProgram, payload))
		got, err := readSealed(path, kindProgram)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(payload, got))
	}
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no temporary file stays")
	info, err := os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077, "nobody else may put code here")
}

// Every single-byte change and every truncation of a sealed file must be seen.
func TestDamagedSealedFileIsNeverRead(t *testing.T) {
	whole := seal(kindProgram, []byte("a program binary"))
	for i := range whole {
		for _, flip := range []byte{1, 0x80} {
			bad := bytes.Clone(whole)
			bad[i] ^= flip
			_, err := unseal(kindProgram, bad)
			require.ErrorIs(t, err, errNotSealed, "byte %d", i)
		}
		_, err := unseal(kindProgram, whole[:i])
		require.ErrorIs(t, err, errNotSealed, "truncated to %d", i)
	}
	_, err := unseal(kindProgram, append(bytes.Clone(whole), 0))
	require.ErrorIs(t, err, errNotSealed, "longer")
	_, err = unseal(kindCaps, whole)
	require.ErrorIs(t, err, errNotSealed, "another kind")
	_, err = unseal(kindProgram, bytes.Repeat([]byte("x"), 1000))
	require.ErrorIs(t, err, errNotSealed)
}

func TestDamagedSealedFileIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, []byte("anycl/1 program 3 00\nabc"), 0o600))
	_, err := readSealed(path, kindProgram)
	require.ErrorIs(t, err, errNotSealed)
	assert.NoFileExists(t, path)
	_, err = readSealed(path, kindProgram)
	assert.True(t, missing(err))
}

func TestWriteSealedLeavesNothingBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "taken")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "inside"), 0o700)) // a folder in the way of the rename
	require.Error(t, writeSealed(path, kindProgram, []byte("x")))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)
	require.Error(t, writeSealed(filepath.Join(os.DevNull, "x"), kindProgram, nil))
}

func TestHashKeyFieldsDoNotRunTogether(t *testing.T) {
	assert.NotEqual(t, hashKey("ab", "c"), hashKey("a", "bc"))
	assert.NotEqual(t, hashKey("a"), hashKey("a", ""))
	assert.Equal(t, hashKey("a", "b"), hashKey("a", "b"))
	assert.Len(t, hashKey(), 64)
}

func TestFilesThatKilledProcessesLeftBesideMeasurementsGo(t *testing.T) {
	dir := t.TempDir()
	o := openedWith(t, &Options{CacheDir: dir})
	old, young := filepath.Join(dir, "devices", tempPrefix+"old"), filepath.Join(dir, "devices", tempPrefix+"young")
	for _, f := range []string{old, young} {
		require.NoError(t, os.WriteFile(f, []byte("half"), 0o600))
	}
	require.NoError(t, os.Chtimes(old, time.Now(), time.Now().Add(-2*staleTemp)))
	require.NoError(t, o.SaveMeasured("half", 1, 1))
	assert.NoFileExists(t, old)
	assert.FileExists(t, young, "another process may be writing it")
}
