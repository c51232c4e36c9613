package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/anycl/anycl/ops"
)

// Session measures works and reports each as soon as it is done.
type Session struct {
	Runtime    *ops.Runtime // of ours; for the context
	Contenders []Contender  // the first is ours
	Method     Method
	Out        io.Writer // one line a work
	Records    io.Writer // lines of JSON; nil keeps none
	Verbose    bool      // say who was skipped and why
}

// Run measures the works in order. An error in one does not stop the others; all errors are
// returned, joined.
func (s *Session) Run(ctx context.Context, works []*Work) error {
	c := NewContext(s.Runtime, s.Method)
	fmt.Fprintf(s.Out, "%s, %d cores; %s; commit %s\n", c.Processor(), c.Cores, c.Device, c.Commit)
	fmt.Fprintf(s.Out, "%s, about %v\n", count(len(works), "work"), s.estimate(works).Round(time.Second))
	var errs []error
	var all []Record
	for _, w := range works {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(errs, err)...)
		}
		results, err := Measure(ctx, w, s.Contenders, s.Method)
		if end := ctx.Err(); end != nil { // of every contender, which need not all be told
			return errors.Join(append(errs, fmt.Errorf("%s: %w", w.Name, end))...)
		}
		if err != nil {
			errs = append(errs, err)
			fmt.Fprintln(s.Out, err)
		}
		for i, r := range results {
			if r.Skipped != nil && (i == 0 || s.Verbose && !forFew(r)) {
				fmt.Fprintf(s.Out, "%s: without %s: %v\n", w.Name, r.Contender, r.Skipped)
			}
		}
		for _, r := range Records(w, results, c) {
			if all = append(all, r); r.Ours {
				fmt.Fprintln(s.Out, r.Line())
			}
			if s.Records != nil {
				if err := r.Write(s.Records); err != nil {
					return errors.Join(append(errs, err)...)
				}
			}
		}
	}
	for _, c := range s.Contenders {
		if e := predictionErrors(all, c.Name()); e.Works > 0 {
			fmt.Fprintf(s.Out, "predictions of %s were off by %v\n", c.Name(), e)
		}
	}
	return errors.Join(errs...)
}

// estimate is how long works take, about: turns with their pauses, and the time of compiling and comparing where it
// was measured. Works of which one run is longer than a turn take more.
func (s *Session) estimate(works []*Work) time.Duration {
	const before = time.Second // of a contender at a work
	m := s.Method.filled()
	each := before + m.Warm + m.Steady + time.Duration(m.Turns)*(m.Slice+max(m.Pause, 0))
	all := time.Duration(0)
	for range works {
		for _, c := range s.Contenders {
			if strings.HasPrefix(c.Name(), "limit-") {
				continue // each is for a few works
			}
			all += each
		}
	}
	return all
}

// forFew reports whether r is of a contender that is only made for some works, and this is none of them.
func forFew(r *Result) bool {
	return errors.Is(r.Skipped, ErrCannot) && (r.Contender == NameFloat32 || r.Contender == NameComposed ||
		strings.HasPrefix(r.Contender, "limit-"))
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

// RunTo is Run with records added to the file at path; an empty path keeps none.
func (s *Session) RunTo(ctx context.Context, works []*Work, path string) (err error) {
	if path == "" {
		return s.Run(ctx, works)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	s.Records = file
	return s.Run(ctx, works)
}
