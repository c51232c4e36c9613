package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/internal/bench"
	"github.com/anycl/anycl/ops"
)

// newRegret measures where graphs are placed beside all on one side.
func newRegret() *cobra.Command {
	var filter, out, device string
	var turns int
	c := &cobra.Command{
		Use: "regret", Short: "measure graphs as they are placed beside all on the device and all on the CPU path", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return regret(c.Context(), filter, out, device, turns) },
	}
	c.Flags().StringVarP(&filter, "filter", "f", "", "regular expression that the names of works match")
	c.Flags().StringVarP(&out, "out", "o", "", "file to append lines of JSON to")
	c.Flags().StringVar(&device, "device", "", "device to use (default ANYCL_DEVICE, else the best)")
	c.Flags().IntVar(&turns, "turns", 5, "turns of each placement")
	return c
}

func regret(ctx context.Context, filter, out, device string, turns int) (err error) {
	works, err := bench.Select(bench.PlacementWorks(), filter)
	if err != nil {
		return err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: device, SpareProc: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	var records io.Writer
	if out != "" {
		f, err := os.OpenFile(out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		records = f
	}
	m := bench.Method{Turns: turns, Slice: 10 * time.Millisecond, Pause: 10 * time.Millisecond, Warm: 20 * time.Millisecond}
	_, err = bench.Placement(ctx, rt, works, m, os.Stdout, records)
	return err
}
