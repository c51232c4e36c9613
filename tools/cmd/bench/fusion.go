package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tools/internal/fusion"
)

// newFusion measures pairs of ops as one graph and as two.
func newFusion() *cobra.Command {
	var producers, readers, device string
	var runs int
	var worst float64
	c := &cobra.Command{
		Use: "fusion", Short: "measure every producer beside every reader, fused and apart", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o := fusion.Options{Place: ops.OnDevice, Runs: runs, Worst: worst, Out: os.Stdout}
			if device == "none" {
				o.Place = ops.OnCPU
			}
			var err, also error
			o.Producers, err = regexp.Compile("^(" + producers + ")$")
			o.Readers, also = regexp.Compile("^(" + readers + ")$")
			if err = errors.Join(err, also); err != nil {
				return err
			}
			return measureFusion(c.Context(), device, o)
		},
	}
	c.Flags().StringVarP(&producers, "producers", "p", ".*", "regular expression that the names of producers match as a whole")
	c.Flags().StringVarP(&readers, "readers", "r", ".*", "regular expression that the names of readers match as a whole")
	c.Flags().StringVar(&device, "device", "", "device to use (default ANYCL_DEVICE, else the best)")
	c.Flags().IntVarP(&runs, "runs", "n", 20, "runs of each way")
	c.Flags().Float64Var(&worst, "worst", 1.6, "least ratio of fused to apart of pairs that are measured again and shown with what they run")
	return c
}

func measureFusion(ctx context.Context, device string, o fusion.Options) (err error) {
	rt, err := ops.Open(ctx, &ops.Options{Device: device})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	s, err := fusion.Sweep(ctx, rt, o)
	if err != nil {
		return err
	}
	fmt.Printf("%d pairs: fused takes %.2f of the time in the geometric mean; from %.1f on %d\n", s.Pairs, s.Mean, o.Worst, len(s.Slow))
	for _, r := range s.Slow {
		fmt.Printf("%.2f  %s, %s\n", r.Ratio(), r.Producer, r.Reader)
	}
	if len(s.Wrong) > 0 {
		return fmt.Errorf("%d pairs give other values fused", len(s.Wrong))
	}
	return nil
}
