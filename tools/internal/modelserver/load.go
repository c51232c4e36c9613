package modelserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/serve"
	"github.com/anycl/anycl/tensor"
)

// LoadPoint is the measurement for a number of clients, beside that of the model alone with full batches, made just before.
type LoadPoint struct {
	Clients   int           `json:"clients"`
	Rows      float64       `json:"rows_per_second"`
	BatchRows float64       `json:"batch_rows_per_second"` // of the model alone
	BatchTime time.Duration `json:"batch_ns"`              // of the model alone, for a full batch
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
	Mean      float64       `json:"rows_per_batch"`
	Refused   int           `json:"refused"` // with the code 429
}

// LoadOptions say how a model is measured under load.
type LoadOptions struct {
	Options
	Clients []int
	Rows    int // of a request
	Time    time.Duration
}

// meter counts batches.
type meter struct {
	*metrics
	mu           sync.Mutex
	rows, number int
}

func (m *meter) Batch(b serve.BatchInfo) {
	m.metrics.Batch(b)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows, m.number = m.rows+b.Rows, m.number+1
}

// Load serves the first model on a loopback port and asks it from that many clients at a time, which send tensors as bytes and
// each ask again when they are answered. each is told of every number of clients.
func Load(ctx context.Context, o LoadOptions, each func(LoadPoint)) (err error) {
	rt, err := ops.Open(ctx, &ops.Options{Device: o.Device, SpareProc: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	m := &meter{metrics: newMetrics()}
	o.Server.Observer = m
	s := serve.New(o.Server)
	defer func() { err = errors.Join(err, s.Shutdown(context.WithoutCancel(ctx))) }()
	o.Options.Load.Runtime = rt
	model := o.Models[0]
	if err := s.Load(ctx, model.Name, model.Path, o.Options.Load); err != nil {
		return err
	}
	if st := s.Models()[0]; !st.Batched {
		return fmt.Errorf("the model is not batched: %s", st.Why)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: s}
	go func() { _ = web.Serve(listener) }()
	defer web.Close()

	url := "http://" + listener.Addr().String() + "/v2/models/" + model.Name
	q, err := newQuestion(ctx, url, o.Rows)
	if err != nil {
		return err
	}
	for _, n := range o.Clients {
		p := LoadPoint{Clients: n}
		if p.BatchTime, err = s.BatchTime(ctx, model.Name, o.Time/4); err != nil {
			return err
		}
		p.BatchRows = float64(o.Options.Load.MaxBatch) / p.BatchTime.Seconds()
		m.mu.Lock()
		m.rows, m.number = 0, 0
		m.mu.Unlock()
		start := time.Now()
		times, refused, err := q.ask(ctx, url+"/infer", n, o.Time)
		if err != nil {
			return err
		}
		p.Rows, p.Refused = float64(len(times)*o.Rows)/time.Since(start).Seconds(), refused
		slices.Sort(times)
		if len(times) > 0 {
			p.P50, p.P99 = times[len(times)/2], times[len(times)*99/100]
		}
		m.mu.Lock()
		p.Mean = float64(m.rows) / float64(max(m.number, 1))
		m.mu.Unlock()
		each(p)
	}
	return nil
}

// question is a request for inference.
type question struct {
	body []byte
	head int
}

// newQuestion asks the server for the model's inputs and fills them with random numbers.
func newQuestion(ctx context.Context, url string, rows int) (*question, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	type input struct {
		Name       string           `json:"name"`
		Datatype   string           `json:"datatype"`
		Shape      []int            `json:"shape"`
		Parameters map[string]int64 `json:"parameters"`
	}
	var m struct{ Inputs []input }
	if err := json.NewDecoder(answer.Body).Decode(&m); err != nil {
		return nil, err
	}
	var raw []byte
	for i := range m.Inputs {
		in := &m.Inputs[i]
		in.Shape[0] = rows
		if in.Datatype != "FP32" {
			return nil, fmt.Errorf("the input %q is %s: only FP32 can be made here", in.Name, in.Datatype)
		}
		t, err := tensor.New(tensor.Float32, in.Shape...)
		if err != nil {
			return nil, err
		}
		for k := range t.Len() {
			t.SetFloat64(k, rand.Float64())
		}
		b, _ := t.Bytes()
		in.Parameters = map[string]int64{"binary_data_size": int64(len(b))}
		raw = append(raw, b...)
	}
	head, err := json.Marshal(map[string]any{"inputs": m.Inputs, "parameters": map[string]bool{"binary_data_output": true}})
	if err != nil {
		return nil, err
	}
	return &question{body: append(head, raw...), head: len(head)}, nil
}

// ask asks from n clients for that long.
func (q *question) ask(ctx context.Context, url string, n int, long time.Duration) (times []time.Duration, refused int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var wg sync.WaitGroup
	end := time.Now().Add(long)
	for range n {
		wg.Go(func() {
			var mine []time.Duration
			no := 0
			for time.Now().Before(end) && ctx.Err() == nil {
				start := time.Now()
				code, err := q.once(ctx, client, url)
				switch {
				case err != nil:
					cancel(err)
				case code == http.StatusTooManyRequests:
					no++
					time.Sleep(time.Millisecond)
				case code != http.StatusOK:
					cancel(fmt.Errorf("the server answered with the code %d", code))
				default:
					mine = append(mine, time.Since(start))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			times, refused = append(times, mine...), refused+no
		})
	}
	wg.Wait()
	return times, refused, context.Cause(ctx)
}

func (q *question) once(ctx context.Context, client *http.Client, url string) (code int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(q.body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("Inference-Header-Content-Length", strconv.Itoa(q.head))
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}
