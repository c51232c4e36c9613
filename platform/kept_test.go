package platform

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatWasLearnedIsKeptAndDamageIsNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := fresh(t, nil, &Options{CacheDir: dir})
	var got json.RawMessage
	require.False(t, o.Learned(&got), "nothing is there")
	o.KeepLearned(json.RawMessage(`[1]`))
	require.True(t, o.Learned(&got))
	require.JSONEq(t, "[1]", string(got))
	path := o.device.devicePath(dir, diskcache.Learned, learnedVersion)
	for _, bad := range []string{"", "anycl/1 learned 3", string(diskcache.Checksummed(diskcache.Calibration, []byte("[1]"))),
		string(diskcache.Checksummed(diskcache.Learned, []byte("{")))} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		require.False(t, o.Learned(&got), "%q", bad)
	}
	off := fresh(t, nil, &Options{CacheDir: CacheOff})
	off.KeepLearned(json.RawMessage(`[1]`))
	require.False(t, off.Learned(&got))
}

func TestAFolderThatCannotBeWrittenIsNoError(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/file"
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	o := fresh(t, nil, &Options{CacheDir: file})
	o.KeepLearned(json.RawMessage(`[1]`))
	var got json.RawMessage
	require.False(t, o.Learned(&got))
}

// openedWith is the best device with folders of its own.
func openedWith(t *testing.T, o *Options) *Opened {
	t.Helper()
	m, err := Discover(t.Context(), o)
	require.NoError(t, err)
	d, err := m.Select("")
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	dev, err := d.Open(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

func TestTunedParametersAreKeptAndForgotten(t *testing.T) {
	t.Setenv(EnvTune, "")
	dev := openedWith(t, &Options{CacheDir: t.TempDir()})
	require.True(t, dev.UsesTuning())
	require.Nil(t, dev.LoadTuning())
	require.NoError(t, dev.SaveTuning(nil), "there is nothing to forget")
	require.NoError(t, dev.SaveTuning([]byte("one")))
	require.NoError(t, dev.SaveTuning([]byte("two")))
	require.Equal(t, "two", string(dev.LoadTuning()))
	require.NoError(t, dev.SaveTuning(nil))
	require.Nil(t, dev.LoadTuning())
}

func TestDamagedTunedParametersAreAsIfThereWereNone(t *testing.T) {
	t.Setenv(EnvTune, "")
	dev := openedWith(t, &Options{CacheDir: t.TempDir()})
	require.NoError(t, dev.SaveTuning([]byte("whole")))
	b, err := os.ReadFile(dev.tuningPath())
	require.NoError(t, err)
	for name, damaged := range map[string][]byte{
		"cut": b[:len(b)-1], "empty": nil, "changed": append(b[:len(b)-1:len(b)-1], '!'), "longer": append(b[:len(b):len(b)], 'x'),
	} {
		require.NoError(t, os.WriteFile(dev.tuningPath(), damaged, 0o600))
		require.Nil(t, dev.LoadTuning(), name)
	}
	require.NoError(t, dev.SaveTuning([]byte("again")))
	require.Equal(t, "again", string(dev.LoadTuning()))
}

func TestTuningHasAFolderOfItsOwnOrNone(t *testing.T) {
	t.Setenv(EnvTune, "")
	shared := t.TempDir()
	dev := openedWith(t, &Options{CacheDir: t.TempDir(), TuneDir: shared})
	require.NoError(t, dev.SaveTuning([]byte("shared")))
	other := openedWith(t, &Options{CacheDir: t.TempDir(), TuneDir: shared})
	require.Equal(t, "shared", string(other.LoadTuning()))

	off := openedWith(t, &Options{CacheDir: t.TempDir(), TuneDir: CacheOff})
	require.False(t, off.UsesTuning())
	require.Nil(t, off.LoadTuning())
	require.Error(t, off.SaveTuning([]byte("nowhere")))

	t.Setenv(EnvTune, CacheOff)
	require.False(t, openedWith(t, &Options{CacheDir: t.TempDir()}).UsesTuning())
	uncached := openedWith(t, &Options{CacheDir: CacheOff, TuneDir: shared})
	require.Equal(t, "shared", string(uncached.LoadTuning()), "what a program asks for comes before the environment")
}

func TestFilesThatKilledProcessesLeftBesideMeasurementsGo(t *testing.T) {
	dir := t.TempDir()
	o := openedWith(t, &Options{CacheDir: dir})
	old, young := filepath.Join(dir, "devices", ".tmp-old"), filepath.Join(dir, "devices", ".tmp-young")
	for _, f := range []string{old, young} {
		require.NoError(t, os.WriteFile(f, []byte("half"), 0o600))
	}
	require.NoError(t, os.Chtimes(old, time.Now(), time.Now().Add(-2*time.Hour)))
	require.NoError(t, o.SaveMeasured("half", 1, 1))
	assert.NoFileExists(t, old)
	assert.FileExists(t, young, "another process may be writing it")
}
