package drills

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

func init() {
	roles["writer"] = writerRole
	roles["life"] = lifeRole
}

// openBest opens the best device with the caches that the environment names.
func openBest(ctx context.Context) (*platform.Opened, error) {
	m, err := platform.Discover(ctx, nil)
	if err != nil {
		return nil, err
	}
	d, err := m.Select("")
	if err != nil {
		return nil, err
	}
	return d.Open(ctx, nil)
}

// note is the content of a file that a writer stores: it is whole only if all its numbers are equal.
type note []int

func (n note) whole() bool {
	for _, v := range n {
		if v != n[0] || len(n) != 1000+v%5000 {
			return false
		}
	}
	return len(n) > 0
}

func newNote(v int) note {
	n := make(note, 1000+v%5000)
	for i := range n {
		n[i] = v
	}
	return n
}

// writerRole writes files of every kind into the caches until it is killed.
func writerRole() error {
	o, err := openBest(context.Background())
	if err != nil {
		return err
	}
	fmt.Println("writing")
	var wg sync.WaitGroup
	for range 2 { // and they write over each other
		wg.Go(func() {
			for i := 0; ; i++ {
				b, err := json.Marshal(newNote(i))
				if err == nil {
					o.KeepLearned(json.RawMessage(b))
					err = errors.Join(o.SaveTuning(b), o.SaveMeasured("drill", 1, newNote(i)))
				}
				if err != nil {
					panic(err)
				}
			}
		})
	}
	wg.Wait()
	return nil
}

// filesIn are the files below a folder.
func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// Processes that write the caches are killed at random moments. Each file that they leave holds the
// last content written, whole.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts process after process, runtime after runtime")
	}
	_, id := library(t)
	t.Setenv(platform.EnvDevice, id)
	t.Setenv(platform.EnvTune, "")
	dir := filepath.Join(t.TempDir(), "caches")
	t.Setenv(platform.EnvCache, dir)
	require.NoError(t, measure(dir))
	lot := rand.New(rand.NewPCG(5, 6))
	n, found, left := often(6, 100), 0, 0
	for i := range n {
		cmd := process(t.Context(), "writer")
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "writing\n", line)
		time.Sleep(time.Duration(lot.IntN(30_000)) * time.Microsecond)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())

		o, err := openBest(t.Context())
		require.NoError(t, err)
		var learned json.RawMessage
		var all []note
		if o.Learned(&learned) {
			var n note
			require.NoError(t, json.Unmarshal(learned, &n))
			all = append(all, n)
		}
		if b := o.LoadTuning(); b != nil {
			var n note
			require.NoError(t, json.Unmarshal(b, &n))
			all = append(all, n)
		}
		var measured note
		if o.LoadMeasured("drill", 1, &measured) {
			all = append(all, measured)
		}
		for _, n := range all {
			require.True(t, n.whole(), "process %d left half a note: %v", i, n[:min(10, len(n))])
			found++
		}
		require.NoError(t, o.Close())
	}
	require.Positive(t, found)
	for _, f := range filesIn(t, dir) {
		if strings.Contains(f, ".tmp-") {
			left++
		}
	}

	// A later process removes the half-written files of killed processes.
	for _, f := range filesIn(t, dir) {
		if strings.Contains(f, ".tmp-") {
			require.NoError(t, os.Chtimes(f, time.Now(), time.Now().Add(-48*time.Hour)))
		}
	}
	o, err := openBest(t.Context())
	require.NoError(t, err)
	require.NoError(t, o.SaveTuning([]byte("[]")))
	require.NoError(t, o.Close())
	for _, f := range filesIn(t, dir) {
		require.NotContains(t, f, ".tmp-")
	}
	figure(t, "%d processes killed while they wrote: %d files read, each whole; %d half-written ones beside them, swept later", n, found, left)
}

// lifeRole is a whole program with the caches that the environment names.
func lifeRole() error {
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil)
	if err != nil {
		return err
	}
	if rt.Device() == nil {
		return errors.New(rt.Why())
	}
	s := newStudent(12, 7)
	exe, err := s.graph.Compile(ctx, rt, s.target(ops.OnDevice))
	if err == nil {
		err = s.step(ctx, exe, 4)
	}
	fmt.Println("ran")
	return errors.Join(err, rt.Settle(ctx), rt.Close())
}

// Four processes start at once where nothing of ours is cached, and in the long version nothing of
// the driver's either.
func TestColdCaches(t *testing.T) {
	_, id := library(t)
	n := often(1, 2)
	if testing.Short() {
		t.Skip("compiles everything anew")
	}
	var longest time.Duration
	for range n {
		dir, driver := t.TempDir(), t.TempDir()
		env := []string{platform.EnvDevice + "=" + id, platform.EnvCache + "=" + dir}
		if full() { // to compile everything takes a minute
			env = append(env, "POCL_CACHE_DIR="+driver, "XDG_CACHE_HOME="+driver)
		}
		start := time.Now()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if out, err := process(t.Context(), "life", env...).CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "ran\n") {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		wg.Wait()
		longest = max(longest, time.Since(start))
		files := filesIn(t, dir)
		require.NotEmpty(t, files, "something is kept")
		for _, f := range files {
			require.NotContains(t, f, ".tmp-")
		}
		require.Contains(t, child(t, "life", env...), "ran", "the next process")
	}
	figure(t, "%d times four processes: all right, in at most %.1f s", n, longest.Seconds())
}

// A process is killed at a random moment of its whole life on cold caches; the next is right.
func TestKilledAnywhere(t *testing.T) {
	_, id := library(t)
	if testing.Short() {
		t.Skip("compiles everything anew")
	}
	lot := rand.New(rand.NewPCG(7, 8))
	dir, driver := t.TempDir(), t.TempDir()
	env := []string{platform.EnvDevice + "=" + id, platform.EnvCache + "=" + dir}
	if full() {
		env = append(env, "POCL_CACHE_DIR="+driver)
	}
	n, killed := often(4, 20), 0
	for range n {
		cmd := process(t.Context(), "life", env...)
		require.NoError(t, cmd.Start())
		timer := time.AfterFunc(time.Duration(lot.IntN(2000))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		if cmd.Wait() != nil {
			killed++
		}
		timer.Stop()
	}
	require.Contains(t, child(t, "life", env...), "ran")
	figure(t, "%d of %d processes killed within 2 s of their start: the next is right", killed, n)
}
