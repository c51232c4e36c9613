package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/tools/internal/modelserver"
)

func newLoad() *cobra.Command {
	var o modelserver.LoadOptions
	var clients string
	var asJSON bool
	c := &cobra.Command{
		Use:   "load FILE",
		Short: "measure how a model is served to many clients, beside what it does with full batches alone",
		Long: `Load serves an ONNX model on a loopback port of its own and asks it from many clients, which are in the same process and
take their part of the processors. Before each number of clients, full batches are run without requests, for comparison.
`,
		Args: oneArg("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			for word := range strings.SplitSeq(clients, ",") {
				n, err := strconv.Atoi(word)
				if err != nil || n < 1 {
					return usageError{fmt.Errorf("-clients %q is not a list of numbers", clients)}
				}
				o.Clients = append(o.Clients, n)
			}
			if o.Device == "cpu" {
				o.Device = "none"
			}
			o.Models = []modelserver.Model{{Name: "model", Path: args[0]}}
			var points []modelserver.LoadPoint
			t := tabwriter.NewWriter(c.OutOrStdout(), 7, 8, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintf(t, "clients\trows/s\tbatches alone\tratio\trows a batch\tp50\tp99\tdelay + 2 batches\trefused\t\n")
			err := modelserver.Load(c.Context(), o, func(p modelserver.LoadPoint) {
				points = append(points, p)
				fmt.Fprintf(t, "%d\t%.0f\t%.0f\t%.2f\t%.1f\t%v\t%v\t%v\t%d\t\n", p.Clients, p.Rows, p.BatchRows, p.Rows/p.BatchRows, p.Mean,
					p.P50.Round(10*time.Microsecond), p.P99.Round(10*time.Microsecond), (o.Load.Delay + 2*p.BatchTime).Round(10*time.Microsecond),
					p.Refused)
			})
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), points)
			}
			return t.Flush()
		},
	}
	deviceFlag(c, &o.Device)
	jsonFlag(c, &asJSON)
	f := c.Flags()
	f.StringVar(&clients, "clients", "1,2,4,8,16,32,64", "numbers of clients")
	f.IntVar(&o.Rows, "rows", 1, "rows of a request")
	f.DurationVar(&o.Time, "time", 4*time.Second, "how long each number of clients asks")
	f.IntVar(&o.Load.MaxBatch, "max-batch", 32, "most rows of a batch")
	f.DurationVar(&o.Load.Delay, "delay", 0, "how long the first request of a batch waits for others while the model is free")
	f.IntVar(&o.Load.Queue, "queue", 256, "requests that may wait")
	f.IntVar(&o.Load.Concurrency, "concurrency", 1, "batches that run at a time")
	f.BoolVar(&o.Load.OpenBatch, "open-batch", false, "open the batch of a model that was exported for one row")
	return c
}
