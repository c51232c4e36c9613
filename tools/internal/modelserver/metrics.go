// Package modelserver runs package serve as a program: with metrics for Prometheus, and an end that loses no request.
package modelserver

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/serve"
)

// metrics is a serve.Observer.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	queued   *prometheus.HistogramVec
	rows     *prometheus.HistogramVec
	filled   *prometheus.CounterVec
	ran      *prometheus.HistogramVec
	failed   *prometheus.CounterVec
	reloads  *prometheus.CounterVec
}

func newMetrics() *metrics {
	times := prometheus.ExponentialBuckets(100e-6, 2, 18) // 100 us to 13 s
	model := []string{"model", "version"}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "anycl_requests_total",
			Help: "Requests that have ended, by the code of the answer; 499: the client had gone."}, append(model, "code")),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "anycl_request_duration_seconds",
			Help: "How long requests for inference took.", Buckets: times}, model),
		queued: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "anycl_queue_duration_seconds",
			Help: "How long requests for inference waited for their batch.", Buckets: times}, model),
		rows: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "anycl_batch_rows", Help: "Rows of requests in a run of a model.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 11)}, model),
		filled: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "anycl_fill_rows_total", Help: "Rows that filled up batches."}, model),
		ran: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "anycl_batch_duration_seconds",
			Help: "How long runs of a model took.", Buckets: times}, model),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "anycl_batch_failures_total", Help: "Runs of a model that failed."},
			model),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "anycl_reloads_total",
			Help: "How often the files of a model have changed, and whether they could be loaded."}, []string{"model", "result"}),
	}
	m.registry.MustRegister(m.requests, m.took, m.queued, m.rows, m.filled, m.ran, m.failed, m.reloads,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Request implements serve.Observer.
func (m *metrics) Request(r serve.RequestInfo) {
	m.requests.WithLabelValues(r.Model, r.Version, strconv.Itoa(r.Code)).Inc()
	if r.Infer {
		m.took.WithLabelValues(r.Model, r.Version).Observe(r.Duration.Seconds())
		m.queued.WithLabelValues(r.Model, r.Version).Observe(r.Queued.Seconds())
	}
}

// Batch implements serve.Observer.
func (m *metrics) Batch(b serve.BatchInfo) {
	if b.Err != nil {
		m.failed.WithLabelValues(b.Model, b.Version).Inc()
		return
	}
	m.rows.WithLabelValues(b.Model, b.Version).Observe(float64(b.Rows))
	m.filled.WithLabelValues(b.Model, b.Version).Add(float64(b.Size - b.Rows))
	m.ran.WithLabelValues(b.Model, b.Version).Observe(b.Duration.Seconds())
}

// Reload implements serve.Observer.
func (m *metrics) Reload(model string, err error) {
	result := "loaded"
	if err != nil {
		result = "failed"
	}
	m.reloads.WithLabelValues(model, result).Inc()
}

// present collects the present counts of a server and a runtime.
type present struct {
	s  *serve.Server
	rt *ops.Runtime
}

var (
	queueLength = prometheus.NewDesc("anycl_queue_length", "Requests that wait.", []string{"model", "version"}, nil)
	running     = prometheus.NewDesc("anycl_batches_running", "Batches that run.", []string{"model", "version"}, nil)
	notServed   = prometheus.NewDesc("anycl_model_files_not_served", "1 where the present files of a model could not be loaded.",
		[]string{"model"}, nil)
	memory  = prometheus.NewDesc("anycl_memory_bytes", "Bytes of memory in use on a device, or by the CPU engine.", []string{"device"}, nil)
	objects = prometheus.NewDesc("anycl_opencl_objects", "OpenCL objects of the process that are not released.", []string{"kind"}, nil)
)

// Describe implements prometheus.Collector.
func (p present) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{queueLength, running, notServed, memory, objects} {
		c <- d
	}
}

// Collect implements prometheus.Collector.
func (p present) Collect(c chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, m := range p.s.Models() {
		gauge(queueLength, float64(m.Queued), m.Name, m.Version)
		gauge(running, float64(m.Running), m.Name, m.Version)
		failed := 0.0
		if m.Failed != nil {
			failed = 1
		}
		gauge(notServed, failed, m.Name)
	}
	for _, e := range p.rt.Engines() {
		gauge(memory, float64(e.Stats().Bytes), e.Name())
	}
	if p.rt.Device() == nil { // opens no OpenCL for its own sake
		return
	}
	if lib, err := cl.Default(); err == nil {
		live := lib.Stats()
		gauge(objects, float64(live.Buffers), "buffer")
		gauge(objects, float64(live.Programs), "program")
		gauge(objects, float64(live.Kernels), "kernel")
		gauge(objects, float64(live.Events), "event")
		gauge(objects, float64(live.Total()-live.Buffers-live.Programs-live.Kernels-live.Events), "other")
	}
}
