package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tools/internal/bench"
)

type benchOptions struct {
	device, filter, out string
	compare, list       bool
	steady              time.Duration
	turns               int
}

func newBench() *cobra.Command {
	var o benchOptions
	c := &cobra.Command{
		Use:   "bench [-compare A B]",
		Short: "measure the ops on the device and on the CPU path, in turns, beside the limits of the device",
		Long: `Bench measures works (matrix products, convolutions, reductions and so on) on the
device and on the CPU path in turns, beside what the device can do at most, and
prints speeds and ratios: anycl-cpu 9.10x says that the device was 9.1 times as
fast as the CPU path. Results are compared before any time counts.

With -out it appends lines of JSON with all of their context; -compare reads two
such files and tells what became faster or slower beyond the noise. The command
tools/cmd/bench measures the same works beside other libraries.`,
		Args: func(_ *cobra.Command, args []string) error {
			if o.compare && len(args) != 2 {
				return usageError{errors.New("-compare takes two files")}
			}
			if !o.compare && len(args) > 0 {
				return usageError{fmt.Errorf("%q is not wanted: works are chosen with -filter", args[0])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.compare {
				return compareFiles(c.OutOrStdout(), args[0], args[1])
			}
			return o.run(c.Context(), c.OutOrStdout())
		},
	}
	deviceFlag(c, &o.device)
	f := c.Flags()
	f.StringVar(&o.filter, "filter", "", "regular expression that the names of works match")
	f.StringVar(&o.out, "out", "", "file to append lines of JSON to")
	f.BoolVar(&o.compare, "compare", false, "compare two files of results")
	f.BoolVar(&o.list, "list", false, "list the works and run none")
	f.DurationVar(&o.steady, "steady", 0, "also run each contender on end for so long: 30s shows whether clocks fall")
	f.IntVar(&o.turns, "turns", 0, "turns of each contender (default 7)")
	return c
}

func compareFiles(out io.Writer, a, b string) error {
	before, err := bench.ReadFile(a)
	if err != nil {
		return err
	}
	after, err := bench.ReadFile(b)
	if err != nil {
		return err
	}
	return bench.Compare(out, before, after)
}

func (o *benchOptions) run(ctx context.Context, out io.Writer) (err error) {
	works, err := bench.Select(bench.Works(), o.filter)
	if err != nil {
		return usageError{err}
	}
	if len(works) == 0 {
		return usageError{fmt.Errorf("-filter %s: no work has such a name; -list shows them", o.filter)}
	}
	if o.list {
		for _, w := range works {
			fmt.Fprintf(out, "%-36s %s\n", w.Name, w.About)
		}
		return nil
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	if err := rt.Settle(ctx); err != nil {
		return err
	}
	s := &bench.Session{Runtime: rt, Method: bench.Method{Turns: o.turns, Steady: o.steady}, Out: out, Verbose: true}
	if rt.Device() != nil {
		s.Contenders = append(s.Contenders, bench.NewOurs(rt, ops.OnDevice))
	}
	s.Contenders = append(s.Contenders, bench.NewOurs(rt, ops.OnCPU))
	s.Contenders = append(s.Contenders, bench.Widened{Ours: s.Contenders[0].(*bench.Ours)})
	limits, err := bench.NewLimits(ctx, o.device)
	if err != nil {
		return err
	}
	s.Contenders = append(s.Contenders, limits...)
	for _, l := range limits {
		defer func() { err = errors.Join(err, l.Close()) }()
	}
	return s.RunTo(ctx, works, o.out)
}
