//go:build linux && (amd64 || arm64) && !noopencl

package cldriver

import (
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// In a process of its own, because drivers install their handlers only once.
func TestHandlersAreTheSameAfterADriverHasStarted(t *testing.T) {
	if os.Getenv("ANYCL_TEST_SIGNALS") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "ANYCL_TEST_SIGNALS=1", "POCL_CACHE_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	var before, after snapshot
	before.take()
	f := newFixture(t) // loads, finds, builds with a cold cache
	c := f.command(OpSetArg)
	c.Object, c.Src, c.Size = f.kernel, f.buffer, 8
	c.Ptr = unsafe.Pointer(&c.Src)
	require.Zero(t, f.Submit(c))
	c = f.command(OpLaunch)
	c.Object, c.Dims, c.B[0] = f.kernel, 1, 1
	require.Zero(t, f.Submit(c))
	require.Zero(t, f.Submit(f.command(OpFinish)))
	after.take()
	for sig := range before {
		require.Equal(t, before[sig], after[sig], "signal %d", sig)
	}
	require.NotZero(t, before[syscall.SIGSEGV].handler)

	for range 100 { // in young goroutines with small stacks as well
		var wg sync.WaitGroup
		wg.Go(func() { require.True(t, nilDereferencePanics()) })
		wg.Wait()
	}
}

// With the workaround switched off, PoCL's handlers stay.
func TestHandlersAreReplacedWhereTheyAreNotRestored(t *testing.T) {
	if os.Getenv("ANYCL_TEST_SIGNALS") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "ANYCL_TEST_SIGNALS=1", "ANYCL_QUIRKS=-restore-signals", "POCL_CACHE_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		if strings.Contains(string(out), "SKIP") {
			t.Skip("needs PoCL")
		}
		return
	}
	var before, after snapshot
	before.take()
	f := newFixture(t)
	buf := make([]byte, 256)
	n, st := f.Info(QueryPlatform, f.platform, 0, 0x0902, buf)
	require.Zero(t, st)
	if !strings.HasPrefix(string(buf[:n]), "Portable Computing Language") {
		t.Skip("SKIP: not PoCL")
	}
	after.take()
	require.NotEqual(t, before, after)
	before.restore()
}

func nilDereferencePanics() (recovered bool) {
	defer func() {
		_, recovered = recover().(runtime.Error)
	}()
	var p *fixture
	p.device++
	return false
}

// The test replaces a handler as drivers do, without a driver.
func TestReplacedHandlerIsPutBackAndGosOwnIsKept(t *testing.T) {
	var before, after snapshot
	before.take()
	restore := keepSignals()
	overlapping := keepSignals()
	foreign := before[syscall.SIGSEGV]
	foreign.handler, foreign.flags = 1, foreign.flags&^0x08000000 // SIG_IGN, without SA_ONSTACK
	rtSigaction(int(syscall.SIGUSR2), &foreign, nil)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGUSR1)
	defer signal.Stop(ch)
	overlapping()
	after.take()
	require.Equal(t, before[syscall.SIGUSR2], after[syscall.SIGUSR2])

	rtSigaction(int(syscall.SIGUSR2), &foreign, nil)
	restore()
	after.take()
	require.Equal(t, before[syscall.SIGUSR2], after[syscall.SIGUSR2], "also by the last of several calls")
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGUSR1))
	require.Equal(t, syscall.SIGUSR1, <-ch)
}
