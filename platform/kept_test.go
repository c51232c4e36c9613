package platform

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/anycl/anycl/platform/internal/diskcache"
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
	for _, bad := range []string{"", "anycl/1 learned 3", string(diskcache.Seal(diskcache.Calibration, []byte("[1]"))), string(diskcache.Seal(diskcache.Learned, []byte("{")))} {
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
