package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/pprof"
	"github.com/anycl/anycl/tensor"
)

type traceOptions struct {
	device, place, timeline, pprof string
	runs                           int
	asJSON                         bool
}

func newTrace() *cobra.Command {
	var o traceOptions
	c := &cobra.Command{
		Use:   "trace GRAPH",
		Short: "run a graph and tell where its time goes; write a timeline for Perfetto and a profile for pprof",
		Long: `Trace runs one of the graphs that explain knows, on random inputs, and tells for each
task and each kernel how long it takes, at what rate, what share that is of the
most that the engine can do, and what was predicted. Times of kernels are the
device's own where it has a clock.

  anycl trace cnn -o cnn.json        a timeline; open it in https://ui.perfetto.dev
  anycl trace cnn -pprof cnn.pb.gz   look at it with: go tool pprof -top cnn.pb.gz
` + graphList(),
		Args:      oneGraph,
		ValidArgs: strings.Split(graphNames(), ", "),
		RunE:      func(c *cobra.Command, args []string) error { return o.run(c.Context(), c.OutOrStdout(), args[0]) },
	}
	deviceFlag(c, &o.device)
	jsonFlag(c, &o.asJSON)
	placeFlag(c, &o.place)
	c.Flags().StringVarP(&o.timeline, "output", "o", "", "write the timeline of one run to this file, as Chrome trace JSON")
	c.Flags().StringVar(&o.pprof, "pprof", "", "write the times to this file, for go tool pprof")
	c.Flags().IntVar(&o.runs, "runs", 5, "how many runs to take the median of")
	return c
}

func (o *traceOptions) run(ctx context.Context, out io.Writer, name string) error {
	if o.runs < 1 {
		return usageError{fmt.Errorf("-runs %d: must be 1 or more", o.runs)}
	}
	rt, exe, err := compileNamed(ctx, name, o.device, o.place)
	if err != nil {
		return err
	}
	defer rt.Close()
	p, err := exe.Profile(ctx, randomFeeds(exe), ops.ProfileOptions{Runs: o.runs})
	if err != nil {
		return err
	}
	if err := toFile(o.timeline, p.WriteTrace); err != nil {
		return err
	}
	if err := toFile(o.pprof, func(w io.Writer) error { return pprof.Write(w, p) }); err != nil {
		return err
	}
	if o.asJSON {
		return writeJSON(out, p)
	}
	_, err = fmt.Fprint(out, p)
	return err
}

// toFile writes a file, unless it has no name.
func toFile(name string, write func(io.Writer) error) (err error) {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		_ = f.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.Close()
}

// randomFeeds gives every input values in [-1, 1), and integers in [0, 10), which
// are labels and indices.
func randomFeeds(exe *ops.Executable) ops.Feeds {
	feeds := ops.Feeds{}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range exe.Inputs() {
		t := tensor.Must(tensor.New(n.DType(), n.Shape()...))
		for i := range t.Len() {
			if n.DType().IsFloat() {
				t.SetFloat64(i, 2*r.Float64()-1)
			} else {
				t.SetFloat64(i, float64(r.IntN(10)))
			}
		}
		feeds[n] = t
	}
	return feeds
}
