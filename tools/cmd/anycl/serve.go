package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/tools/internal/modelserver"
)

func newServe() *cobra.Command {
	var o modelserver.Options
	var models []string
	var log, precision string
	var maxBody int64
	c := &cobra.Command{
		Use:   "serve -model NAME=PATH",
		Short: "serve ONNX models over HTTP, in the Open Inference Protocol",
		Long: `Serve answers requests for inference over HTTP in the Open Inference Protocol version 2, as KServe and Triton do.

  anycl serve -model digits=models/digits.onnx -model words=models/words
  curl localhost:8000/v2/models/digits
  curl localhost:8000/v2/models/digits/infer -d '{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]}]}'

A path is an ONNX file, or a folder with model.onnx, or with folders 1, 2, ... that have one each, of which the
highest is served. Files that change are loaded again. Metrics for Prometheus are at /metrics. SIGTERM lets
requests end that have begun.
`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, arg := range models {
				name, path, ok := strings.Cut(arg, "=")
				if !ok || name == "" || path == "" {
					return usageError{fmt.Errorf("-model %q is not NAME=PATH", arg)}
				}
				o.Models = append(o.Models, modelserver.Model{Name: name, Path: path})
			}
			if len(o.Models) == 0 {
				return usageError{fmt.Errorf("no models: -model NAME=PATH")}
			}
			var err error
			if o.Server.Log, err = logger(c.ErrOrStderr(), log); err != nil {
				return usageError{err}
			}
			if o.Device == "cpu" {
				o.Device = "none"
			}
			if o.Load.ONNX.Precision, err = precisionOf(precision); err != nil {
				return err
			}
			o.Server.MaxBody = maxBody << 20
			return modelserver.Run(c.Context(), o)
		},
	}
	deviceFlag(c, &o.Device)
	f := c.Flags()
	f.StringArrayVar(&models, "model", nil, "NAME=PATH of a model; repeat for others")
	f.StringVar(&o.Addr, "addr", "127.0.0.1:8000", "address to listen at; the protocol has no authentication, so think before you open it to others")
	f.IntVar(&o.Load.MaxBatch, "max-batch", 32, "most rows of a batch; 1: requests run alone")
	f.DurationVar(&o.Load.Delay, "delay", 0, "how long the first request of a batch waits for others while the model is free")
	f.IntVar(&o.Load.Queue, "queue", 256, "requests that may wait for a model; others get the code 429")
	f.IntVar(&o.Load.Concurrency, "concurrency", 1, "batches of a model that run at a time")
	f.BoolVar(&o.Load.OpenBatch, "open-batch", false,
		"batch also models that were exported for a batch of one, if their rows prove to be independent")
	precisionFlag(c, &precision)
	f.IntVar(&o.Load.ONNX.Plans, "plans", 32, "combinations of shapes of a model that are kept ready")
	f.DurationVar(&o.Server.Timeout, "timeout", 30*time.Second, "most time of a request")
	f.Int64Var(&maxBody, "max-body", 64, "largest body of a request, in MiB")
	f.DurationVar(&o.Reload, "reload", time.Second, "how often to look for files that changed; 0: never")
	f.DurationVar(&o.Drain, "drain", 30*time.Second, "how long to wait at the end for requests that have begun")
	f.DurationVar(&o.Wait, "drain-wait", 0, "how long to say that the server is not ready before connections are closed, for load balancers to see it")
	f.StringVar(&log, "log", "text", "request log on standard error: text, json or off")
	return c
}

// logger writes records in a format.
func logger(w io.Writer, format string) (*slog.Logger, error) {
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil)), nil
	case "off":
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn})), nil
	}
	return nil, fmt.Errorf("-log %q is not text, json or off", format)
}
