package modelserver

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/serve"
)

// Identity of rows of three numbers, an ONNX file.
func identity() []byte {
	field := func(n int, parts ...[]byte) (b []byte) {
		size := 0
		for _, p := range parts {
			size += len(p)
		}
		b = binary.AppendUvarint(binary.AppendUvarint(nil, uint64(n)<<3|2), uint64(size))
		for _, p := range parts {
			b = append(b, p...)
		}
		return b
	}
	number := func(n, v int) []byte {
		return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(n)<<3), uint64(v))
	}
	text := func(n int, s string) []byte { return field(n, []byte(s)) }
	value := func(name string) [][]byte {
		shape := field(2, field(1, text(2, "n")), field(1, number(1, 3)))
		return [][]byte{text(1, name), field(2, field(1, number(1, 1), shape))}
	}
	node := field(1, text(1, "x"), text(2, "y"), text(4, "Neg"))
	graph := field(7, node, text(2, "g"), field(11, value("x")...), field(12, value("y")...))
	return append(append(number(1, 8), graph...), field(8, number(2, 17))...)
}

// A server that is told to end says that it is not ready, answers the requests that have begun, and returns no error;
// its metrics count all.
func TestRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, os.WriteFile(file, identity(), 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started := make(chan net.Addr, 1)
	ended := make(chan error, 1)
	o := Options{
		Addr: "127.0.0.1:0", Device: "none", Models: []Model{{"neg", file}}, Reload: 10 * time.Millisecond,
		Drain: 10 * time.Second, Wait: 300 * time.Millisecond, Started: func(a net.Addr) { started <- a },
	}
	o.Load.ModelOptions = serve.ModelOptions{Delay: 200 * time.Millisecond, MaxBatch: 8}
	go func() { ended <- Run(ctx, o) }()
	var url string
	select {
	case a := <-started:
		url = "http://" + a.String()
	case err := <-ended:
		require.NoError(t, err)
	}
	get := func(path string) (int, string) {
		r, err := http.Get(url + path)
		require.NoError(t, err)
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return r.StatusCode, string(b)
	}
	post := func(body string) (int, string) {
		r, err := http.Post(url+"/v2/models/neg/infer", "application/json", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		return r.StatusCode, string(b)
	}
	code, body := get("/v2/health/ready")
	require.Equal(t, 200, code, body)
	var wg sync.WaitGroup
	ask := func() {
		wg.Go(func() {
			code, body := post(`{"inputs":[{"name":"x","shape":[1,3],"datatype":"FP32","data":[1,2,3]}]}`)
			if code != 200 || !strings.Contains(body, "[-1,-2,-3]") {
				t.Errorf("%d %s", code, body)
			}
		})
	}
	for range 3 {
		ask()
	}
	wg.Wait()
	code, _ = post(`{`)
	require.Equal(t, 400, code)
	code, body = get("/metrics")
	require.Equal(t, 200, code)
	for _, want := range []string{
		`anycl_requests_total{code="200",model="neg",version="1"} 3`, `anycl_requests_total{code="400",model="neg",version="1"} 1`,
		`anycl_batch_rows_sum{model="neg",version="1"} 3`, `anycl_queue_length{model="neg",version="1"} 0`, `anycl_memory_bytes{device="cpu"}`,
		`anycl_request_duration_seconds_count{model="neg",version="1"} 4`,
	} {
		require.Contains(t, body, want)
	}
	ask() // waits for others, when the server is told to end
	time.Sleep(50 * time.Millisecond)
	cancel()
	require.Eventually(t, func() bool { code, _ := get("/v2/health/ready"); return code == 400 }, 5*time.Second, time.Millisecond)
	wg.Wait()
	require.NoError(t, <-ended)
}

// A model that cannot be served is an error at once.
func TestRunRefuses(t *testing.T) {
	t.Parallel()
	o := Options{Addr: "127.0.0.1:0", Device: "none", Models: []Model{{"m", filepath.Join(t.TempDir(), "none.onnx")}}}
	require.ErrorContains(t, Run(t.Context(), o), `model "m"`)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	o.Addr = l.Addr().String()
	require.ErrorContains(t, Run(t.Context(), o), "address already in use")
}
