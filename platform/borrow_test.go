package platform

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBorrowedMemoryIsTheHostsOwn(t *testing.T) {
	o := openedWith(t, &Options{CacheDir: t.TempDir()})
	host := make([]byte, 4096)
	for i := range host {
		host[i] = byte(i)
	}
	var pin runtime.Pinner
	pin.Pin(&host[0])
	defer pin.Unpin()
	b, err := o.Borrow(host)
	if !o.Borrows() {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	back := make([]byte, len(host))
	require.NoError(t, o.Queue().Read(b, 0, back, nil))
	require.Equal(t, host, back)
	require.NoError(t, o.Queue().Fill(b, []byte{7}, 0, 64, nil))
	require.NoError(t, o.Queue().Finish())
	require.Equal(t, byte(7), host[63], "a command writes where the host reads")
	require.Equal(t, byte(64), host[64])
	require.NoError(t, b.Close())
	_, err = o.Borrow(nil)
	require.Error(t, err)
}

func TestWhatWasMeasuredIsKeptByKindAndVersion(t *testing.T) {
	o := openedWith(t, &Options{CacheDir: t.TempDir()})
	var got []int
	require.False(t, o.LoadMeasured("speeds", 1, &got))
	require.NoError(t, o.SaveMeasured("speeds", 1, []int{3, 4}))
	require.True(t, o.LoadMeasured("speeds", 1, &got))
	require.Equal(t, []int{3, 4}, got)
	require.False(t, o.LoadMeasured("speeds", 2, &got), "another version")
	require.False(t, o.LoadMeasured("others", 1, &got), "another kind")
}
