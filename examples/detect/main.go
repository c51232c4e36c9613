// Detect finds handwritten digits in scenes, with a graph that is split: the network runs on the
// device, and the suppression of boxes that overlap, which branches on its data, where it is
// predicted to be faster.
//
//	go run ./examples/detect [-device gpu] [-steps 500] [-side 320] [-svg detect.svg]
//
// Scenes are composed of real digits of 8 x 8 pixels, which come with the program, stretched and
// with strokes and noise between them. A small convolutional network learns from scenes of 64 x 64 in
// seconds and is tested on larger ones with digits that it has never seen. It prints
//
//   - precision, recall and mean average precision where boxes overlap by half (mAP@0.5),
//   - what runs where and why, and draws that as a picture,
//   - the time of a scene all on the CPU path, all on the device, and as it was placed, in turns.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/anycl/anycl/examples/internal/term"
	"github.com/anycl/anycl/ops"
)

// options are the settings of the command line.
type options struct {
	device, svg string
	steps, side int
	scenes      int // to test on
	seed        uint64
}

func main() {
	o := options{scenes: 20}
	flag.StringVar(&o.device, "device", "", "device to use, as ANYCL_DEVICE: gpu, nvidia, pocl:0, none for the CPU path (default the best)")
	flag.StringVar(&o.svg, "svg", "detect.svg", "file to draw the placed graph in; empty for none")
	flag.IntVar(&o.steps, "steps", 500, "steps of training")
	flag.IntVar(&o.side, "side", 320, "height and width of the scenes to test on, a multiple of 4")
	flag.Uint64Var(&o.seed, "seed", 1, "of the scenes and of the first weights")
	flag.Parse()
	if flag.NArg() > 0 || o.steps < 1 || o.side < 32 || o.side%stride != 0 {
		fmt.Fprintln(os.Stderr, "detect: takes no arguments, at least 1 step, and scenes of at least 32 pixels")
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := run(ctx, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "detect:", err)
		os.Exit(1)
	}
}

// run trains, tests and compares, and returns the mean average precision.
func run(ctx context.Context, o options, out, progress io.Writer) (score float64, err error) {
	train, test, err := painters(o.seed)
	if err != nil {
		return 0, err
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	fmt.Fprintf(out, "%d scenes of %d x %d to learn from, %d of %d x %d to test; runs on %s\n",
		lessons, small, small, o.scenes, o.side, o.side, rt.Why())
	d := newDetector(o.seed)
	bar := term.NewProgress(progress, o.steps, "training")
	start, last := time.Now(), 0.0
	err = d.train(ctx, rt, train.lesson(lessons, small), o.steps, o.seed, func(loss float64) {
		last = loss
		bar.Step()
	})
	bar.Done()
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "loss %.3f after %d steps in %.1f s\n", last, o.steps, time.Since(start).Seconds())

	f, err := d.finder(ctx, rt, o.side, ops.Auto)
	if err != nil {
		return 0, err
	}
	var all findings
	var scenes []scene
	for range o.scenes {
		s := test.scene(o.side)
		boxes, scores, err := f.find(ctx, s)
		if err != nil {
			return 0, err
		}
		all.add(s.boxes, boxes, scores)
		scenes = append(scenes, s)
	}
	precision, recall := all.at(0.5)
	score = all.mean()
	fmt.Fprintf(out, "mAP@0.5 %.3f; of what has a score of 0.5, precision %.3f and recall %.3f\n\n", score, precision, recall)
	if err := compare(ctx, out, rt, d, f, scenes[0]); err != nil {
		return 0, err
	}
	return score, o.draw(ctx, out, f, scenes[0])
}

// draw prints the placement of tasks and draws it.
func (o *options) draw(ctx context.Context, out io.Writer, f *finder, s scene) error {
	if _, err := f.exe.Profile(ctx, f.feed(s), ops.ProfileOptions{}); err != nil { // for measured times
		return err
	}
	r := f.exe.Report()
	fmt.Fprintf(out, "\n%s", r)
	if o.svg == "" {
		return nil
	}
	if err := os.WriteFile(o.svg, []byte(r.SVG()), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(out, "the graph is drawn in %s\n", o.svg)
	return nil
}

// compare times a scene as f was placed beside all on one side, in turns.
func compare(ctx context.Context, out io.Writer, rt *ops.Runtime, d *detector, placed *finder, s scene) error {
	const turns, runs = 9, 5
	names := []string{"all on the CPU path", "all on the device", "as it is placed"}
	finders := make([]*finder, len(names))
	finders[2] = placed
	for i, where := range []ops.Place{ops.OnCPU, ops.OnDevice} {
		f, err := d.finder(ctx, rt, s.side, where)
		switch {
		case err == nil:
			finders[i] = f
		case where == ops.OnDevice:
			fmt.Fprintf(out, "%-22s cannot be: %v\n", names[i], err)
		default:
			return err
		}
	}
	times := make([][]time.Duration, len(names))
	for range turns {
		for i, f := range finders {
			if f == nil {
				continue
			}
			feed := f.feed(s)
			for r := range runs {
				start := time.Now()
				if _, err := f.exe.Run(ctx, feed); err != nil {
					return err
				}
				if r > 0 { // the first wakes sleeping threads
					times[i] = append(times[i], time.Since(start))
				}
			}
		}
	}
	for i, t := range times {
		if len(t) > 0 {
			slices.Sort(t)
			fmt.Fprintf(out, "%-22s %8.3f ms a scene, in turns\n", names[i], float64(t[len(t)/2])/1e6)
		}
	}
	return nil
}
