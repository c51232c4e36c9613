package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/blas"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tools/cmd/bench/dropin"
	"github.com/anycl/anycl/tools/internal/bench"
)

// newGonum measures package blas beside gonum.
func newGonum() *cobra.Command {
	var filter, out, device string
	var verbose bool
	c := &cobra.Command{
		Use: "gonum", Short: "measure package blas beside gonum's own, every routine at sizes from 4 to 2048", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return gonum(c.Context(), filter, out, device, verbose) },
	}
	c.Flags().StringVarP(&filter, "filter", "f", "", "regular expression that the names of calls match")
	c.Flags().StringVarP(&out, "out", "o", "", "file to append a line of JSON to")
	c.Flags().StringVar(&device, "device", "", "device to use (default ANYCL_DEVICE, else the best)")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every call, and not only what is slower than gonum")
	return c
}

func gonum(ctx context.Context, filter, out, device string, verbose bool) (err error) {
	matches, err := regexp.Compile(filter)
	if err != nil {
		return err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: device})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	z, err := blas.New(rt, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	z.Wait()
	start := time.Now()
	sweep := dropin.Sweep{Context: bench.NewContext(rt, bench.Method{}), Why: z.Why()}
	if sweep.Rows, err = dropin.Run(ctx, z, dropin.Options{Filter: matches, Out: os.Stdout, All: verbose}); err != nil {
		return err
	}
	fmt.Printf("%s in %s\n", sweep.Summary(), time.Since(start).Round(time.Second))
	if out == "" {
		return nil
	}
	f, err := os.OpenFile(out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(sweep), f.Close())
}
