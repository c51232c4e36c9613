//go:build unix

package drills

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

func init() { roles["signals"] = signalsRole }

// nilPanics dereferences nil in a given number of new goroutines and counts the panics that Go raises for it.
func nilPanics(n int) (recovered int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range n {
		wg.Go(func() {
			defer func() {
				if _, ok := recover().(runtime.Error); ok {
					mu.Lock()
					defer mu.Unlock()
					recovered++
				}
			}()
			var s *student
			s.rows++
		})
	}
	wg.Wait()
	return recovered
}

// signalsRole opens every device of the machine, each beside those before, and after each step of
// its life tries the signal handling that drivers are known to break.
func signalsRole() error {
	ctx := context.Background()
	m, err := platform.Discover(ctx, nil)
	if err != nil {
		return err
	}
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGUSR1)
	panics, signals, devices := 0, 0, 0
	platforms := map[string]bool{}
	try := func(after string) error {
		const n = 50
		if got := nilPanics(n); got != n {
			return fmt.Errorf("after %s: %d of %d panics", after, got, n)
		}
		panics += n
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			return err
		}
		select {
		case <-heard:
			signals++
			return nil
		case <-time.After(10 * time.Second):
			return fmt.Errorf("after %s: a signal did not arrive", after)
		}
	}
	if err := try("the drivers were asked for devices"); err != nil {
		return err
	}
	for _, d := range m.Devices {
		if d.Class == platform.Simulator {
			continue
		}
		rt, err := ops.Open(ctx, &ops.Options{Device: d.ID})
		if err != nil {
			fmt.Printf("%s cannot be opened: %v\n", d, err)
			continue
		}
		defer rt.Close() // all of them side by side
		devices++
		platforms[d.PlatformName] = true
		if err := try("open of " + d.ID); err != nil {
			return err
		}
		s := newStudent(16, 8)
		exe, err := s.graph.Compile(ctx, rt, s.target(ops.OnDevice))
		if err == nil {
			err = s.step(ctx, exe, 1)
		}
		if err := errors.Join(err, try("a run on "+d.ID)); err != nil {
			return err
		}
	}
	fmt.Printf("%d device(s) of %d driver(s): %d panics recovered, %d signals heard\n", devices, len(platforms), panics, signals)
	return nil
}

func TestSignals(t *testing.T) {
	_, _ = library(t)
	said := child(t, "signals", platform.EnvDevice+"=", platform.EnvCache+"="+t.TempDir())
	require.Regexp(t, `^([^\n]* cannot be opened: [^\n]*\n)*[1-9]\d* device.s. of [^\n]* heard\n$`, said)
	figure(t, "%s", said[strings.LastIndexByte(said[:len(said)-1], '\n')+1:len(said)-1])
}
