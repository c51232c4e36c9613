package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/ops"
)

// Code shared by the commands that compile one of the graphs.

// graphList tells the graphs, for a help text.
func graphList() string {
	var list strings.Builder
	for _, g := range graphs {
		fmt.Fprintf(&list, "\n  %-10s %s", g.name, g.about)
	}
	return list.String()
}

// oneGraph wants the name of one graph.
func oneGraph(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("name one graph: %s", graphNames())}
	}
	return nil
}

func placeFlag(c *cobra.Command, place *string) {
	c.Flags().StringVar(place, "place", "auto", "where to run: auto, device or cpu")
}

func placeOf(name string) (ops.Place, error) {
	for _, p := range []ops.Place{ops.Auto, ops.OnDevice, ops.OnCPU} {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, usageError{fmt.Errorf("-place %s: must be auto, device or cpu", name)}
}

// compileNamed compiles a graph by its name. Closing the runtime closes both.
func compileNamed(ctx context.Context, name, device, place string) (*ops.Runtime, *ops.Executable, error) {
	build := buildOf(name)
	if build == nil {
		return nil, nil, usageError{fmt.Errorf("there is no graph %q; there are %s", name, graphNames())}
	}
	where, err := placeOf(place)
	if err != nil {
		return nil, nil, err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: device, SpareProc: true})
	if err != nil {
		return nil, nil, err
	}
	g, target := build()
	target.Place = where
	exe, err := g.Compile(ctx, rt, target)
	if err != nil {
		return nil, nil, errors.Join(err, rt.Close())
	}
	return rt, exe, nil
}
