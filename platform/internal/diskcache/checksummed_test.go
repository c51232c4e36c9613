package diskcache

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChecksummedFileComesBackWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for _, payload := range [][]byte{{}, []byte("x"), bytes.Repeat([]byte{0, 10, 255}, 10000)} {
		require.NoError(t, Write(path, Program, payload))
		got, err := Read(path, Program)
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

// Every single-byte change and every truncation of a checksummed file must be seen.
func TestDamagedFileIsNeverRead(t *testing.T) {
	whole := Checksummed(Program, []byte("a program binary"))
	for i := range whole {
		for _, flip := range []byte{1, 0x80} {
			bad := bytes.Clone(whole)
			bad[i] ^= flip
			_, err := verified(Program, bad)
			require.ErrorIs(t, err, errDamaged, "byte %d", i)
		}
		_, err := verified(Program, whole[:i])
		require.ErrorIs(t, err, errDamaged, "truncated to %d", i)
	}
	_, err := verified(Program, append(bytes.Clone(whole), 0))
	require.ErrorIs(t, err, errDamaged, "longer")
	_, err = verified(Caps, whole)
	require.ErrorIs(t, err, errDamaged, "another kind")
	_, err = verified(Program, bytes.Repeat([]byte("x"), 1000))
	require.ErrorIs(t, err, errDamaged)
}

func TestDamagedFileIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, []byte("anycl/1 program 3 00\nabc"), 0o600))
	_, err := Read(path, Program)
	require.ErrorIs(t, err, errDamaged)
	assert.NoFileExists(t, path)
	_, err = Read(path, Program)
	assert.True(t, Missing(err))
}

func TestWriteLeavesNothingBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "taken")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "inside"), 0o700)) // a folder in the way of the rename
	require.Error(t, Write(path, Program, []byte("x")))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)
	require.Error(t, Write(filepath.Join(os.DevNull, "x"), Program, nil))
}

// The folder's name may hold what patterns for names give a meaning.
func TestLeftOverFilesAreSweptInAnyFolder(t *testing.T) {
	for _, name := range []string{"plain", "a[b", "a*", "a?"} {
		dir := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		old, young := filepath.Join(dir, tempPrefix+"1"), filepath.Join(dir, tempPrefix+"2")
		for _, f := range []string{old, young} {
			require.NoError(t, os.WriteFile(f, nil, 0o600))
		}
		past := time.Now().Add(-2 * staleTemp)
		require.NoError(t, os.Chtimes(old, past, past))
		SweepTemp(filepath.Join(dir, "file"))
		assert.NoFileExists(t, old, name)
		assert.FileExists(t, young, name)
	}
}

func TestHashKeyFieldsDoNotRunTogether(t *testing.T) {
	assert.NotEqual(t, Key("ab", "c"), Key("a", "bc"))
	assert.NotEqual(t, Key("a"), Key("a", ""))
	assert.Equal(t, Key("a", "b"), Key("a", "b"))
	assert.Len(t, Key(), 64)
}
