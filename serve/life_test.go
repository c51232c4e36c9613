package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/serve"
)

// lifeVar makes the life of a server long: it is a duration, as 30m.
const lifeVar = "ANYCL_SERVE_LIFE"

// 1 to 64 clients ask, some go, some send nonsense or too much, and files change meanwhile: every right request gets its right answer, and
// in the end there are no more goroutines, no more memory and no more OpenCL objects than before.
func TestLifeOfAServer(t *testing.T) {
	t.Run("cpu", func(t *testing.T) { life(t, "none", ops.OnCPU) })
	t.Run("device", func(t *testing.T) { life(t, "", ops.OnDevice) })
}

func life(t *testing.T, device string, place ops.Place) {
	long := 2 * time.Second
	if v := os.Getenv(lifeVar); v != "" {
		var err error
		long, err = time.ParseDuration(v)
		require.NoError(t, err)
	}
	rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
	require.NoError(t, err)
	defer rt.Close()
	if place == ops.OnDevice && rt.Device() == nil {
		t.Skip("no OpenCL device: ", rt.Why())
	}
	held := func() (bytes int64, objects cl.Stats) {
		for _, e := range rt.Engines() {
			bytes += e.Stats().Bytes
		}
		if lib, err := cl.Default(); err == nil {
			objects = lib.Stats()
		}
		return bytes, objects
	}

	dir := t.TempDir()
	file := filepath.Join(dir, "model.onnx")
	put := func(factor float32) {
		require.NoError(t, os.WriteFile(file+".new", scaled(factor, "n"), 0o644))
		require.NoError(t, os.Rename(file+".new", file))
	}
	put(1)
	s := serve.New(serve.Options{MaxBody: 1 << 16})
	o := serve.LoadOptions{Runtime: rt, ModelOptions: serve.ModelOptions{MaxBatch: 16, Delay: 200 * time.Microsecond, Queue: 40}}
	o.ONNX.Target.Place = place
	require.NoError(t, s.Load(t.Context(), "m", dir, o))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	web := &httptest.Server{Listener: listener, Config: &http.Server{Handler: s, ReadTimeout: 5 * time.Second}}
	web.Start()
	ctx, cancel := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		_ = s.Watch(ctx, 20*time.Millisecond)
	}()

	var counts [600]atomic.Int64 // answers by code; 0: the client went
	clients := func(n int, until time.Time) {
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				c := client{t: t, url: web.URL, r: rand.New(rand.NewPCG(uint64(i), 7)), http: &http.Client{Transport: &http.Transport{}}}
				defer c.http.CloseIdleConnections()
				for time.Now().Before(until) {
					counts[c.ask(ctx)].Add(1)
				}
			})
		}
		wg.Wait()
	}
	served := func(factor int) {
		require.Eventually(t, func() bool {
			code, body := post(t.Context(), s, "m", three)
			return code == 200 && strings.Contains(body, fmt.Sprintf(`"data":[%d,%d,%d]`, factor, 2*factor, 3*factor))
		}, 10*time.Second, 10*time.Millisecond)
	}
	for _, factor := range []int{2, 3, 1} { // made once: programs of the kernels of all models, which the device keeps, and pools
		put(float32(factor))
		served(factor)
		clients(64, time.Now().Add(100*time.Millisecond))
	}
	runtime.GC()
	goroutines := runtime.NumGoroutine()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	bytesBefore, objectsBefore := held()

	swap := max(250*time.Millisecond, long/30)
	swaps := int64(0)
	for end := time.Now().Add(long); time.Now().Before(end); {
		for _, n := range []int{1, 8, 64} {
			clients(n, time.Now().Add(swap))
			swaps++
			if swaps%4 == 0 {
				require.NoError(t, os.WriteFile(file, []byte("broken"), 0o644))
			} else {
				put(float32(1 + swaps%3))
			}
		}
	}
	put(1)
	served(1)
	var after runtime.MemStats
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 }, 10*time.Second, 50*time.Millisecond,
		"goroutines: %d before", goroutines)
	runtime.GC()
	runtime.ReadMemStats(&after)
	bytesAfter, objectsAfter := held()
	var said []string
	for code := range counts {
		if n := counts[code].Load(); n > 0 {
			said = append(said, fmt.Sprintf("%d: %d", code, n))
		}
		if n := counts[code].Load(); n > 0 && code >= 500 {
			t.Errorf("%d answers with the code %d", n, code)
		}
	}
	require.Positive(t, counts[200].Load())
	require.Positive(t, counts[400].Load())
	require.Positive(t, counts[413].Load())
	require.LessOrEqual(t, bytesAfter, bytesBefore+1<<16, "memory of the engines")
	require.LessOrEqual(t, objectsAfter.Total(), objectsBefore.Total()+8, "OpenCL objects: %+v, before %+v", objectsAfter, objectsBefore)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20), "Go heap")
	t.Logf("%v, %d files, answers by code %s; engines %d to %d bytes, %+v to %+v, Go heap %d to %d KiB", long, swaps, strings.Join(said, ", "),
		bytesBefore, bytesAfter, objectsBefore, objectsAfter, before.HeapAlloc>>10, after.HeapAlloc>>10)
	cancel()
	<-watched
	web.Close()
	require.NoError(t, s.Shutdown(t.Context()))
	require.NoError(t, rt.Close())
	if lib, err := cl.Default(); err == nil {
		require.Zero(t, lib.Stats().Total(), "%+v", lib.Stats())
	}
}

// client asks in every way.
type client struct {
	t    *testing.T
	url  string
	r    *rand.Rand
	http *http.Client
}

// ask asks once and returns the code; 0: it went before there was one.
func (c *client) ask(ctx context.Context) int {
	n := 1 + c.r.IntN(4)
	body := []byte(fmt.Sprintf(`{"inputs":[{"name":"x","shape":[%d,3],"datatype":"FP32","data":[1%s]}]}`, n, strings.Repeat(",1", 3*n-1)))
	kind := c.r.IntN(20)
	want := []int{200, 429}
	switch kind {
	case 0: // goes
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(c.r.IntN(2000))*time.Microsecond)
		defer cancel()
		want = append(want, 0)
	case 1: // damaged
		for range 1 + c.r.IntN(3) {
			body[c.r.IntN(len(body))] = byte(c.r.Uint32())
		}
		want = append(want, 400)
	case 2: // too much
		body = bytes.Repeat([]byte(" "), 1<<16+1+c.r.IntN(1000))
		want = []int{413, 429, 0} // the server closes the connection while the client writes
	case 3:
		body = body[:c.r.IntN(len(body))]
		want = []int{400, 429}
	}
	r, err := http.NewRequestWithContext(ctx, "POST", c.url+"/v2/models/m/infer", bytes.NewReader(body))
	require.NoError(c.t, err)
	code := 0
	answer, err := c.http.Do(r)
	var text []byte
	if err == nil {
		code = answer.StatusCode
		text, err = io.ReadAll(answer.Body)
		answer.Body.Close()
	}
	switch {
	case err != nil && (kind == 0 || kind == 2 || errors.Is(err, context.Canceled)):
		return 0
	case err != nil:
		c.t.Errorf("%.100s: %v", body, err)
		return 0
	}
	for _, w := range want {
		if code == w {
			if kind > 3 && code == 200 && !same(string(text), 3*n) {
				c.t.Errorf("%s gave %s", body, text)
			}
			return code
		}
	}
	c.t.Errorf("%.100s: code %d: %s", body, code, text)
	return code
}

// same reports whether the data are n equal numbers.
func same(body string, n int) bool {
	_, data, ok := strings.Cut(body, `"data":[`)
	data, _, _ = strings.Cut(data, "]")
	words := strings.Split(data, ",")
	for _, w := range words {
		ok = ok && w == words[0] && w != "" && w != "0"
	}
	return ok && len(words) == n
}
