package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

//go:embed in.lj
var lammps string

// times makes turns of both engines, and lets LAMMPS run the same.
func (l *liquid) times(ctx context.Context, p *gallery.Program, rt *ops.Runtime) error {
	work := gallery.Work{Name: fmt.Sprintf("%d steps of %d atoms", turn, l.n), Amount: float64(turn*l.n) / 1e6, Unit: "M atom steps"}
	_, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[*state], error) {
		return l.melt(ctx, rt, place, turn)
	})
	if err != nil {
		return err
	}
	cells := int(math.Round(math.Cbrt(float64(l.n) / 4)))
	_, err = p.Beside(ctx, gallery.Peer{
		Name: "LAMMPS on 2 ranks,", Files: map[string]any{"in.lj": []byte(lammps)}, Amount: float64(100*l.n) / 1e6, Parse: loopTime,
		Command: []string{"mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2", "lmp", "-in", "in.lj", "-var", "cells",
			strconv.Itoa(cells)},
	}, nil)
	return err
}

// loopTime finds the time of a run in LAMMPS's output.
func loopTime(output []byte) (r gallery.PeerResult, err error) {
	m := regexp.MustCompile(`(?s)LAMMPS \(([^)]*)\).*Loop time of ([\d.]+)`).FindSubmatch(output)
	if m == nil {
		return r, errors.New("there is no loop time in its output")
	}
	r.Version, r.Result = string(m[1]), json.RawMessage("null")
	r.Seconds, err = strconv.ParseFloat(string(m[2]), 64)
	return r, err
}
