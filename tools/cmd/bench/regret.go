package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tools/internal/bench"
)

// newRegret measures where graphs are placed beside all on one side.
func newRegret() *cobra.Command {
	var filter, out, device string
	var turns, drawn int
	var seed uint64
	var kept bool
	c := &cobra.Command{
		Use: "regret", Short: "measure graphs as they are placed beside all on the device and all on the CPU path", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			works := bench.PlacementWorks()
			if drawn > 0 {
				works = bench.DrawnPlacement(seed, drawn)
			}
			works, err := bench.Select(works, filter)
			if err != nil {
				return err
			}
			return regret(c.Context(), works, out, device, turns, kept)
		},
	}
	c.Flags().StringVarP(&filter, "filter", "f", "", "regular expression that the names of works match")
	c.Flags().StringVarP(&out, "out", "o", "", "file to append lines of JSON to")
	c.Flags().StringVar(&device, "device", "", "device to use (default ANYCL_DEVICE, else the best)")
	c.Flags().IntVar(&turns, "turns", 7, "turns of each placement")
	c.Flags().IntVar(&drawn, "drawn", 0, "measure so many graphs of random kinds and sizes instead of the listed ones")
	c.Flags().Uint64Var(&seed, "seed", 1, "of the graphs that are drawn")
	c.Flags().BoolVar(&kept, "kept", false, "begin with what programs have learned on this machine, not with a calibration")
	return c
}

func regret(ctx context.Context, works []*bench.Work, out, device string, turns int, kept bool) (err error) {
	o := &ops.Options{Device: device, SpareProc: true}
	if !kept {
		if o.CacheDir, err = os.MkdirTemp("", "anycl-regret-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.CacheDir)) }()
	}
	rt, err := ops.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	if kept {
		err = rt.Settle(ctx)
	} else {
		_, err = rt.Calibrate(ctx)
	}
	if err != nil {
		return err
	}
	var records io.Writer
	if out != "" {
		f, err := os.OpenFile(out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		records = f
	}
	// graphs are tried elsewhere meanwhile
	m := bench.Method{Turns: turns, Slice: 5 * time.Millisecond, Pause: 5 * time.Millisecond, Warm: 150 * time.Millisecond}
	_, err = bench.Placement(ctx, rt, works, m, os.Stdout, records)
	return err
}
