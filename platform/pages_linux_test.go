package platform

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ram"
)

// The kernel says of each mapping what it was advised of it: hg.
func TestLargeBlocksAskForLargePages(t *testing.T) {
	o := fresh(t, nil, &Options{Staging: stagingOff})
	if !o.Caps().Direct {
		t.Skip("needs a device whose memory is the process's")
	}
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("needs a kernel that has large pages")
	}
	m, err := o.Alloc(4 * ram.LargeFrom)
	require.NoError(t, err)
	mem, err := m.block.Load().see(o.queue)
	require.NoError(t, err)
	middle := unsafe.Pointer(&mem[len(mem)/2])
	m.block.Load().direct.mu.RUnlock()
	require.Contains(t, mappingFlags(t, middle), "hg")
	require.NoError(t, m.Close())
}

// mappingFlags returns the flags of the mapping in which the address at lies.
func mappingFlags(t *testing.T, at unsafe.Pointer) string {
	maps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	within := false
	for line := range bytes.Lines(maps) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(string(line), "%x-%x ", &from, &to); n == 2 {
			within = from <= uintptr(at) && uintptr(at) < to
		}
		if flags, ok := bytes.CutPrefix(line, []byte("VmFlags:")); ok && within {
			return string(flags)
		}
	}
	t.Fatalf("no mapping holds %p", at)
	return ""
}
