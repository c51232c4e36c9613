package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/serve"
	"github.com/anycl/anycl/tensor"
)

// seen is an observer that keeps the events that it is told of.
type seen struct {
	mu       sync.Mutex
	requests []serve.RequestInfo
	batches  []serve.BatchInfo
	reloads  []error
}

func (o *seen) Request(r serve.RequestInfo) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests = append(o.requests, r)
}

func (o *seen) Batch(b serve.BatchInfo) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.batches = append(o.batches, b)
}

func (o *seen) Reload(_ string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reloads = append(o.reloads, err)
}

// rows is a request of n rows of two numbers from v on, and the data of its answer if rows are doubled.
func rows(v, n int) (q, want string) {
	for i := range 2 * n {
		if i > 0 {
			q, want = q+",", want+","
		}
		q, want = q+strconv.Itoa(v+i), want+strconv.Itoa(2*(v+i))
	}
	return fmt.Sprintf(`{"inputs":[{"name":"x","shape":[%d,2],"datatype":"INT32","data":[%s]}]}`, n, q), "[" + want + "]"
}

// doubled doubles its input, at most once between two receptions from gate, where there is one.
func doubled(gate <-chan struct{}) *runner {
	r := echo(tensor.Int32, -1, 2)
	r.run = func(ctx context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		if gate != nil {
			select {
			case <-gate:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		y := in["x"].Clone()
		for i, v := range in["x"].All() {
			y.SetFloat64(i, 2*v)
		}
		return map[string]*tensor.Tensor{"y": y}, nil
	}
	return r
}

// opened is a gate that lets n runs pass, which are those before a model is served.
func opened(n int) chan struct{} {
	gate := make(chan struct{}, 1000)
	for range n {
		gate <- struct{}{}
	}
	return gate
}

// before is how many runs come before a model of that MaxBatch is served: two of each size, and of the check.
func before(maxBatch int) int {
	n := 2 * 3
	for size := 1; size < maxBatch; size *= 2 {
		n += 2
	}
	return n + 2
}

// Requests of several rows that wait together run together, and each gets its own rows.
func TestRequestsAreBatched(t *testing.T) {
	t.Parallel()
	o := &seen{}
	s := newServer(t, serve.Options{Observer: o})
	gate := opened(before(8))
	require.NoError(t, s.Add(t.Context(), "m", "1", doubled(gate), serve.ModelOptions{MaxBatch: 8}))
	require.Empty(t, gate)
	var wg sync.WaitGroup
	for i, n := range []int{1, 3, 2, 1, 1, 1, 3, 4} { // the first runs alone, and the others wait meanwhile
		if i > 0 {
			require.Eventually(t, func() bool { m := s.Models()[0]; return m.Running == 1 && m.Queued == i-1 }, 5*time.Second, time.Millisecond)
		}
		wg.Go(func() {
			q, want := rows(100*i, n)
			r, body := ask(t, s, "POST", "/v2/models/m/infer", []byte(q))
			if r.StatusCode != 200 || !jsonHas(body, want) {
				t.Errorf("%s gave %s", q, body)
			}
		})
	}
	require.Eventually(t, func() bool { return s.Models()[0].Queued == 7 }, 5*time.Second, time.Millisecond)
	for range 4 {
		gate <- struct{}{}
	}
	wg.Wait()
	total := 0
	for _, b := range o.batches {
		require.NoError(t, b.Err)
		require.LessOrEqual(t, b.Rows, b.Size)
		require.Contains(t, []int{1, 2, 4, 8}, b.Size)
		total += b.Rows
	}
	require.Equal(t, 16, total)
	require.Less(t, len(o.batches), 6, "%+v", o.batches)
	require.Equal(t, 1, o.batches[0].Requests)
}

func jsonHas(body, data string) bool {
	var r struct {
		Outputs []struct{ Data json.RawMessage }
	}
	return json.Unmarshal([]byte(body), &r) == nil && len(r.Outputs) == 1 && string(r.Outputs[0].Data) == data
}

// The first request waits for others while the model is free, and not longer than Delay.
func TestARequestWaitsForOthersUpToDelay(t *testing.T) {
	t.Parallel()
	o := &seen{}
	s := newServer(t, serve.Options{Observer: o})
	require.NoError(t, s.Add(t.Context(), "m", "1", doubled(nil), serve.ModelOptions{MaxBatch: 4, Delay: 300 * time.Millisecond}))
	start := time.Now()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			q, _ := rows(1, 1)
			r, _ := ask(t, s, "POST", "/v2/models/m/infer", []byte(q))
			require.Equal(t, 200, r.StatusCode)
		})
	}
	wg.Wait()
	require.Less(t, time.Since(start), 290*time.Millisecond, "a full batch does not wait")
	require.Len(t, o.batches, 1)
	start = time.Now()
	q, _ := rows(1, 1)
	ask(t, s, "POST", "/v2/models/m/infer", []byte(q))
	require.GreaterOrEqual(t, time.Since(start), 290*time.Millisecond)
}

// A full queue refuses at once, with the time to come back.
func TestAFullQueueRefuses(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{})
	gate := opened(before(1) - 6)
	require.NoError(t, s.Add(t.Context(), "m", "1", doubled(gate), serve.ModelOptions{MaxBatch: 1, Queue: 2}))
	var wg sync.WaitGroup
	q, _ := rows(1, 1)
	for i := range 3 {
		wg.Go(func() {
			r, body := ask(t, s, "POST", "/v2/models/m/infer", []byte(q))
			require.Equal(t, 200, r.StatusCode, body)
		})
		require.Eventually(t, func() bool { m := s.Models()[0]; return m.Running == 1 && m.Queued == i }, 5*time.Second, time.Millisecond)
	}
	r, body := ask(t, s, "POST", "/v2/models/m/infer", []byte(q))
	require.Equal(t, http.StatusTooManyRequests, r.StatusCode, body)
	n, err := strconv.Atoi(r.Header.Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, n)
	for range 3 {
		gate <- struct{}{}
	}
	wg.Wait()
}

// Times are the server's, or less where the request says so; a client that has gone leaves no job.
func TestTimeIsOverAndClientsGo(t *testing.T) {
	t.Parallel()
	o := &seen{}
	s := newServer(t, serve.Options{Observer: o, Timeout: time.Minute})
	gate := opened(2)
	require.NoError(t, s.Add(t.Context(), "m", "1", doubled(gate), serve.ModelOptions{MaxBatch: 1}))
	for range 2 { // the model runs, and the queue holds one
		r, body := ask(t, s, "POST", "/v2/models/m/infer",
			[]byte(`{"parameters":{"timeout":20000},"inputs":[{"name":"x","shape":[1,2],"datatype":"INT32","data":[1,2]}]}`))
		require.Equal(t, http.StatusGatewayTimeout, r.StatusCode, body)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		q, _ := rows(1, 1)
		post(ctx, s, "m", q)
	}()
	require.Eventually(t, func() bool { return s.Models()[0].Running == 1 }, 5*time.Second, time.Millisecond)
	cancel()
	<-done
	require.Eventually(t, func() bool { m := s.Models()[0]; return m.Running == 0 && m.Queued == 0 }, 5*time.Second, time.Millisecond)
	require.Equal(t, 499, o.requests[len(o.requests)-1].Code)
}

// Rows that change each other's results, outputs without rows, and models that fail are not batched.
func TestRowsThatAreNotIndependentAreNotBatched(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{})
	sums := echo(tensor.Float32, -1, 2)
	sums.run = func(_ context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		y, sum := in["x"].Clone(), 0.0
		for _, v := range y.All() {
			sum += v
		}
		for i := range y.Len() {
			y.SetFloat64(i, sum)
		}
		return map[string]*tensor.Tensor{"y": y}, nil
	}
	total := echo(tensor.Float32, -1, 2)
	total.out = []onnx.Info{info("y", tensor.Float32)}
	two := echo(tensor.Float32, 2, 2)
	for name, c := range map[string]struct {
		r    *runner
		want string
	}{"sums": {sums, "beside other rows"}, "total": {total, "no axes"}, "two": {two, "2, and not open"}} {
		require.NoError(t, s.Add(t.Context(), name, "1", c.r, serve.ModelOptions{}), name)
		for _, m := range s.Models() {
			if m.Name == name {
				require.False(t, m.Batched, name)
				require.Contains(t, m.Why, c.want)
			}
		}
	}
	broken := errors.New("broken")
	r := echo(tensor.Float32, -1, 2)
	closed := false
	r.closed = func() { closed = true }
	r.run = func(context.Context, map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		return nil, broken
	}
	require.ErrorIs(t, s.Add(t.Context(), "broken", "1", r, serve.ModelOptions{}), broken)
	require.True(t, closed)
}

// A panic of a model, and an output that it forgets, are errors of the request with the code 500.
func TestAModelThatPanicsDoesNotEndTheServer(t *testing.T) {
	t.Parallel()
	s := newServer(t, serve.Options{})
	var n atomic.Int64
	r := echo(tensor.Int32, 2)
	r.run = func(_ context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
		switch n.Add(1) {
		case 3:
			panic("oh")
		case 4:
			return nil, nil
		case 5:
			return nil, fmt.Errorf("%w: too long", onnx.ErrInput)
		}
		return map[string]*tensor.Tensor{"y": in["x"]}, nil
	}
	require.NoError(t, s.Add(t.Context(), "m", "1", r, serve.ModelOptions{}))
	q := []byte(`{"inputs":[{"name":"x","shape":[2],"datatype":"INT32","data":[1,2]}]}`)
	for _, want := range []int{500, 500, 400, 200} {
		r, body := ask(t, s, "POST", "/v2/models/m/infer", q)
		require.Equal(t, want, r.StatusCode, body)
	}
}
