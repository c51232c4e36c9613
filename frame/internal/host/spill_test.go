package host

import (
	"bufio"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/table"
)

func TestAFullDiskIsAnErrorThatSaysWhere(t *testing.T) {
	t.Parallel()
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	s := &spill{f: f, dir: "/var/rows", w: bufio.NewWriterSize(f, 64), starts: []int64{0}}
	rows := &table.Table{Names: []string{"x"}, Cols: []*column.Column{column.Of(make([]int64, 100))}, Rows: 100}
	if err = s.write(rows); err == nil {
		err = s.flush()
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "/var/rows")
	require.NoError(t, s.close())
}

func TestASpillThatWasCutOffIsAnError(t *testing.T) {
	t.Parallel()
	rows := &table.Table{Names: []string{"t"}, Cols: []*column.Column{column.Of([]string{"a", "", "long"})}, Rows: 3}
	s, err := newSpill(t.TempDir(), rows.Schema())
	require.NoError(t, err)
	require.NoError(t, s.write(rows))
	require.NoError(t, s.flush())
	back, err := s.read(0)
	require.NoError(t, err)
	require.True(t, column.Equal(rows.Cols[0], back.Cols[0]))
	require.NoError(t, s.f.Truncate(20))
	_, err = s.read(0)
	require.Error(t, err)
	require.NoError(t, s.close())
}
