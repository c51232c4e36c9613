package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/anycl/anycl/examples/internal/term"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// explain prints where the tasks of a training step ran, the longest or all, and returns where most of them did.
func explain(out io.Writer, r *ops.Report, all bool) string {
	count := map[string]int{}
	for _, t := range r.Tasks {
		count[t.Where]++
	}
	fmt.Fprintf(out, "A training step is %s.\n", r.Places())
	shown := *r
	if !all {
		longest := slices.SortedStableFunc(slices.Values(r.Tasks), func(a, b ops.TaskReport) int {
			return cmp.Compare(b.Predicted[b.Where], a.Predicted[a.Where])
		})
		shown.Tasks = longest[:min(len(longest), 6)]
		fmt.Fprintln(out, "The longest of them, by prediction (-explain shows all):")
	}
	text := shown.String()
	fmt.Fprint(out, text[strings.Index(text, "\npredicted ")+1:]) // the text before is known
	most := ""
	for name, n := range count {
		if n > count[most] {
			most = name
		}
	}
	return most
}

// sideSteps is how many steps an engine is timed for.
const sideSteps = 20

// compare prints the time of an epoch, from some more steps where the training ran and, with weights of their own, on the
// other engines.
func compare(ctx context.Context, out io.Writer, rt *ops.Runtime, t *trainer, where string, seed uint64) error {
	fmt.Fprintf(out, "\nTime per epoch of %d steps, %d images each\n", t.steps(), batch)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	took, err := t.time(ctx, sideSteps)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  %s\t%.0f ms\tfrom %d more steps\n", where, ms(took)*float64(t.steps())/sideSteps, sideSteps)
	engines := rt.Engines()
	for i, e := range engines {
		if e.Name() == where {
			continue
		}
		place := ops.OnDevice
		if i == len(engines)-1 {
			place = ops.OnCPU
		}
		side, err := newTrainer(ctx, rt, t.train, t.test, seed, place, ops.WhenCompiled)
		if err != nil {
			return err
		}
		took, err := side.time(ctx, sideSteps)
		if err := errors.Join(err, side.close()); err != nil {
			return err
		}
		fmt.Fprintf(w, "  %s\t%.0f ms\tfrom %d steps beside it\n", e.Name(), ms(took)*float64(t.steps())/sideSteps, sideSteps)
	}
	return w.Flush()
}

// time is how long so many steps take, after one that is not counted.
func (t *trainer) time(ctx context.Context, steps int) (time.Duration, error) {
	idle := func(float64) {}
	if _, err := t.run(ctx, 1, idle); err != nil {
		return 0, err
	}
	start := time.Now()
	_, err := t.run(ctx, steps, idle)
	return time.Since(start), err
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// draw shows two test images that the network got wrong, if there are, and
// others that it got right.
func draw(test set, predictions []int64) string {
	var wrong, right []int
	for i, p := range predictions {
		switch {
		case p != test.label(i):
			wrong = append(wrong, i)
		case i%97 == 0: // of several digits: the images are sorted by digit
			right = append(right, i)
		}
	}
	shown := append(wrong[:min(len(wrong), 2)], right...)
	pixels, err := tensor.ToSlice[float32](test.images)
	if err != nil {
		return err.Error()
	}
	var blocks [][]string
	for _, i := range shown[:min(len(shown), 4)] {
		mark := ""
		if predictions[i] != test.label(i) {
			mark = "  (!)"
		}
		title := fmt.Sprintf("sees %d, is %d%s", predictions[i], test.label(i), mark)
		blocks = append(blocks, append([]string{title}, term.Image(pixels[i*side*side:(i+1)*side*side], side)...))
	}
	return term.Beside(3, blocks...)
}
