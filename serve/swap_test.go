package serve_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/serve"
	"github.com/anycl/anycl/tensor"
)

// post asks for inference as a client that can go.
func post(ctx context.Context, h http.Handler, model, body string) (int, string) {
	r := httptest.NewRequestWithContext(ctx, "POST", "/v2/models/"+model+"/infer", strings.NewReader(body))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// Requests that have begun end on the old model, which is closed after them; later ones are answered by the new one.
func TestAModelIsReplacedAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{})
	gate := opened(2)
	old := doubled(gate)
	var closed atomic.Bool
	old.closed = func() { closed.Store(true) }
	require.NoError(t, s.Add(t.Context(), "m", "1", old, serve.ModelOptions{MaxBatch: 1}))
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			q, _ := rows(1, 1)
			code, body := post(t.Context(), s, "m", q)
			require.Equal(t, 200, code, body)
			require.Contains(t, body, `"model_version":"1"`)
		})
	}
	require.Eventually(t, func() bool { m := s.Models()[0]; return m.Running == 1 && m.Queued == 1 }, 5*time.Second, time.Millisecond)
	require.NoError(t, s.Add(t.Context(), "m", "2", doubled(nil), serve.ModelOptions{MaxBatch: 1}))
	q, _ := rows(1, 1)
	code, body := post(t.Context(), s, "m", q)
	require.Equal(t, 200, code)
	require.Contains(t, body, `"model_version":"2"`)
	require.False(t, closed.Load())
	gate <- struct{}{}
	gate <- struct{}{}
	wg.Wait()
	require.Eventually(t, closed.Load, 5*time.Second, time.Millisecond)
}

// While the server drains it refuses new requests, says that it is not ready, and ends those that have begun.
func TestDrain(t *testing.T) {
	t.Parallel()
	s := serve.New(serve.Options{})
	gate := opened(2)
	require.NoError(t, s.Add(t.Context(), "m", "1", doubled(gate), serve.ModelOptions{MaxBatch: 1}))
	q, _ := rows(1, 1)
	done := make(chan int)
	go func() {
		code, _ := post(context.Background(), s, "m", q)
		done <- code
	}()
	require.Eventually(t, func() bool { return s.Models()[0].Running == 1 }, 5*time.Second, time.Millisecond)
	s.Drain()
	code, _ := post(t.Context(), s, "m", q)
	require.Equal(t, http.StatusServiceUnavailable, code)
	r, _ := ask(t, s, "GET", "/v2/health/ready", nil)
	require.Equal(t, 400, r.StatusCode)
	r, _ = ask(t, s, "GET", "/v2/health/live", nil)
	require.Equal(t, 200, r.StatusCode)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Shutdown(ctx), context.DeadlineExceeded)
	gate <- struct{}{}
	require.Equal(t, 200, <-done)
	require.NoError(t, s.Shutdown(t.Context()))
	require.ErrorIs(t, s.Add(t.Context(), "m", "1", doubled(nil), serve.ModelOptions{}), serve.ErrClosed)
}

// A run whose request has gone does not keep Shutdown beyond its context; the model is closed when the run ends, for which a later call
// waits.
func TestShutdownDoesNotOutlastItsContext(t *testing.T) {
	t.Parallel()
	s := serve.New(serve.Options{})
	m := doubled(nil)
	double, gate, began := m.run, opened(2), make(chan struct{}, 3)
	m.run = func(ctx context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) { // deaf to its context
		began <- struct{}{}
		<-gate
		return double(ctx, in)
	}
	var closed atomic.Bool
	m.closed = func() { closed.Store(true) }
	require.NoError(t, s.Add(t.Context(), "m", "1", m, serve.ModelOptions{MaxBatch: 1}))
	<-began
	<-began
	gone, leave := context.WithCancel(t.Context())
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		q, _ := rows(1, 1)
		post(gone, s, "m", q)
	}()
	<-began
	leave()
	<-answered

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- s.Shutdown(ctx) }()
	select {
	case err := <-result:
		require.ErrorIs(t, err, context.DeadlineExceeded)
	case <-time.After(10 * time.Second):
		gate <- struct{}{}
		t.Fatal("Shutdown waits for a run that was given up")
	}
	require.False(t, closed.Load())
	gate <- struct{}{}
	require.NoError(t, s.Shutdown(t.Context()))
	require.True(t, closed.Load())
}

const three = `{"inputs":[{"name":"x","shape":[1,3],"datatype":"FP32","data":[1,2,3]}]}`

// A file that changes is loaded again; one that is broken is not, which the index says, and the old one goes on.
func TestFilesAreLoadedAgain(t *testing.T) {
	t.Parallel()
	o := &seen{}
	s := newServer(t, serve.Options{Observer: o})
	dir := t.TempDir()
	write := func(name string, b []byte) {
		file := filepath.Join(dir, name, "model.onnx")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file+".new", b, 0o644))
		require.NoError(t, os.Rename(file+".new", file))
	}
	lo := serve.LoadOptions{Runtime: open(t)}
	require.ErrorContains(t, s.Load(t.Context(), "m", dir, lo), "no model.onnx")
	write("1", scaled(2, "n"))
	require.NoError(t, s.Load(t.Context(), "m", dir, lo))
	require.True(t, s.Models()[0].Batched)
	ctx, cancel := context.WithCancel(t.Context())
	watched := make(chan error)
	go func() { watched <- s.Watch(ctx, 5*time.Millisecond) }()
	answers := func(want string) func() bool {
		return func() bool {
			code, body := post(t.Context(), s, "m", three)
			require.Equal(t, 200, code, body)
			return strings.Contains(body, want)
		}
	}
	require.True(t, answers(`"data":[2,4,6]`)())
	write("1", scaled(3, "n"))
	require.Eventually(t, answers(`"data":[3,6,9]`), 10*time.Second, 5*time.Millisecond)
	write("1", []byte("broken"))
	failed := func() bool { return s.Models()[0].Failed != nil }
	require.Eventually(t, failed, 10*time.Second, 5*time.Millisecond)
	require.True(t, answers(`"data":[3,6,9]`)())
	_, index := ask(t, s, "POST", "/v2/repository/index", nil)
	require.Contains(t, index, "cannot be loaded")
	write("1", scaled(4, "n"))
	require.Eventually(t, answers(`"data":[4,8,12]`), 10*time.Second, 5*time.Millisecond)
	require.False(t, failed())
	write("10", scaled(5, "n"))
	require.Eventually(t, answers(`"model_version":"10"`), 10*time.Second, 5*time.Millisecond)
	require.NoError(t, os.RemoveAll(dir))
	require.Eventually(t, failed, 10*time.Second, 5*time.Millisecond)
	require.True(t, answers(`"data":[5,10,15]`)())
	cancel()
	require.ErrorIs(t, <-watched, context.Canceled)
	require.NoError(t, s.Remove("m"))
	require.Error(t, s.Remove("m"))
}

// A model that was exported for one row is batched where that is asked for and right.
func TestABatchOfOneIsOpened(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{})
	file := filepath.Join(t.TempDir(), "one.onnx")
	require.NoError(t, os.WriteFile(file, scaled(2, 1), 0o644))
	lo := serve.LoadOptions{Runtime: open(t)}
	require.NoError(t, s.Load(t.Context(), "one", file, lo))
	lo.OpenBatch = true
	require.NoError(t, s.Load(t.Context(), "opened", file, lo))
	six := `{"inputs":[{"name":"x","shape":[2,3],"datatype":"FP32","data":[1,2,3,4,5,6]}]}`
	code, _ := post(t.Context(), s, "one", six)
	require.Equal(t, 400, code)
	code, body := post(t.Context(), s, "opened", six)
	require.Equal(t, 200, code, body)
	require.Contains(t, body, `"data":[2,4,6,8,10,12]`)
}

// A program's own model stays when the files of the one that it has replaced change.
func TestAModelOfTheProgramIsNotReplacedByFiles(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{})
	dir := t.TempDir()
	file := filepath.Join(dir, "model.onnx")
	require.NoError(t, os.WriteFile(file, scaled(2, "n"), 0o644))
	lo := serve.LoadOptions{Runtime: open(t)}
	require.NoError(t, s.Load(t.Context(), "m", file, lo))
	m, err := onnx.Read(bytes.NewReader(scaled(7, "n")))
	require.NoError(t, err)
	p, err := m.Compile(t.Context(), lo.Runtime, nil)
	require.NoError(t, err)
	require.NoError(t, s.Add(t.Context(), "m", "own", p, serve.ModelOptions{}))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	require.NoError(t, os.WriteFile(file, scaled(3, "n"), 0o644))
	require.ErrorIs(t, s.Watch(ctx, 5*time.Millisecond), context.DeadlineExceeded)
	code, body := post(t.Context(), s, "m", three)
	require.Equal(t, 200, code, body)
	require.Contains(t, body, `"data":[7,14,21]`)
}

// A version may be a link to a folder elsewhere, and is loaded again when the link names another.
func TestAVersionThatIsALinkIsWatched(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{})
	dir := t.TempDir()
	for i, name := range []string{"old", "new"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "model.onnx"), scaled(float32(2+i), "n"), 0o644))
	}
	model := filepath.Join(dir, "model")
	require.NoError(t, os.MkdirAll(model, 0o755))
	link := func(to string) {
		require.NoError(t, os.Symlink(filepath.Join(dir, to), filepath.Join(model, "next")))
		require.NoError(t, os.Rename(filepath.Join(model, "next"), filepath.Join(model, "1")))
	}
	link("old")
	require.NoError(t, s.Load(t.Context(), "m", model, serve.LoadOptions{Runtime: open(t)}))
	ctx, cancel := context.WithCancel(t.Context())
	watched := make(chan error)
	go func() { watched <- s.Watch(ctx, 5*time.Millisecond) }()
	answers := func(want string) func() bool {
		return func() bool {
			code, body := post(t.Context(), s, "m", three)
			require.Equal(t, 200, code, body)
			return strings.Contains(body, want)
		}
	}
	require.True(t, answers(`"data":[2,4,6]`)())
	link("new")
	require.Eventually(t, answers(`"data":[3,6,9]`), 10*time.Second, 5*time.Millisecond)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new", "model.onnx"), scaled(4, "n"), 0o644))
	require.Eventually(t, answers(`"data":[4,8,12]`), 10*time.Second, 5*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-watched, context.Canceled)
}
