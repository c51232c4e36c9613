package diskcache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func cacheKey(n int) string { return Key("test", fmt.Sprint(n)) }

func TestProgramCacheEvictsTheLeastRecentlyUsed(t *testing.T) {
	c := NewPrograms(t.TempDir(), 5000)
	long := time.Now().Add(-time.Hour)
	for n := range 4 {
		require.NoError(t, c.Save(cacheKey(n), make([]byte, 1000)))
		require.NoError(t, os.Chtimes(c.path(cacheKey(n)), long, long.Add(time.Duration(n)*time.Minute)))
	}
	b, err := c.Load(cacheKey(0)) // makes the oldest the most recently used
	require.NoError(t, err)
	require.Len(t, b, 1000)
	require.NoError(t, c.Save(cacheKey(4), make([]byte, 1000)))
	for n, want := range []bool{true, false, true, true, true} {
		b, err := c.Load(cacheKey(n))
		require.NoError(t, err)
		assert.Equal(t, want, b != nil, "entry %d", n)
	}
}

func TestProgramCacheRefusesWhatIsAboveItsCap(t *testing.T) {
	c := NewPrograms(t.TempDir(), 100)
	require.NoError(t, c.Save(cacheKey(1), make([]byte, 101)))
	assert.NoFileExists(t, c.path(cacheKey(1)))
}

func TestProgramCacheSweepsOldTemporaryFilesOnly(t *testing.T) {
	c := NewPrograms(t.TempDir(), 10000)
	require.NoError(t, c.Save(cacheKey(1), []byte("x")))
	old := filepath.Join(filepath.Dir(c.path(cacheKey(1))), tempPrefix+"old")
	young := filepath.Join(filepath.Dir(c.path(cacheKey(1))), tempPrefix+"young")
	for _, f := range []string{old, young} {
		require.NoError(t, os.WriteFile(f, []byte("half"), 0o600))
	}
	require.NoError(t, os.Chtimes(old, time.Now(), time.Now().Add(-2*staleTemp)))
	require.NoError(t, c.Save(cacheKey(2), []byte("y")))
	assert.NoFileExists(t, old)
	assert.FileExists(t, young, "another process may be writing it")
}

func TestProgramCacheThatIsOffDoesNothing(t *testing.T) {
	c := NewPrograms("", 100)
	require.NoError(t, c.Save(cacheKey(1), []byte("x")))
	c.Drop(cacheKey(1))
	b, err := c.Load(cacheKey(1))
	assert.NoError(t, err)
	assert.Nil(t, b)
}

func TestUnwritableProgramCacheIsTriedOnce(t *testing.T) {
	c := NewPrograms(os.DevNull, 100) // a file where the folder should be
	assert.Error(t, c.Save(cacheKey(1), []byte("x")))
	assert.NoError(t, c.Save(cacheKey(2), []byte("x")))
	_, err := c.Load(cacheKey(1))
	assert.Error(t, err)
}

func TestDamagedProgramCacheEntryIsNotLoaded(t *testing.T) {
	c := NewPrograms(t.TempDir(), 1<<20)
	binary := bytes.Repeat([]byte("binary"), 100)
	require.NoError(t, c.Save(cacheKey(1), binary))
	require.NoError(t, os.Truncate(c.path(cacheKey(1)), 300))
	b, err := c.Load(cacheKey(1))
	assert.ErrorIs(t, err, errDamaged)
	assert.Nil(t, b)
	require.NoError(t, c.Save(cacheKey(1), binary))
	b, err = c.Load(cacheKey(1))
	require.NoError(t, err)
	assert.Equal(t, binary, b)
}
