package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/ops"
)

// Regret summarises how good the placements of a sweep are.
type Regret struct {
	Cases int
	// Mean is the geometric mean over the works of the time as placed over that of the better of
	// all on the device and all on the CPU path; Worst is the largest, and where.
	Mean, Worst float64
	WorstAt     string
	// How far predictions were off, as a part of the time: before anything of the sweep had run,
	// after other works, and after the work itself.
	Foretold, Predicted, Learned Errors
	// Better are works that were divided, and faster so than on either side alone, beyond the noise.
	Better []string
}

// Errors are how far predictions of so many works were off.
type Errors struct {
	Works  int
	Median float64
	Within int // were off by a quarter at most
	all    []float64
}

// note adds a prediction, where there is one.
func (e *Errors) note(predicted, took float64) {
	if predicted <= 0 {
		return
	}
	off := math.Abs(predicted-took) / took
	e.all = append(e.all, off)
	if e.Works++; off <= 0.25 {
		e.Within++
	}
	e.Median = Quantile(0.5, e.all)
}

// String is a part of a sentence.
func (e Errors) String() string {
	return fmt.Sprintf("%.0f %% in the median, a quarter at most in %d of %d", 100*e.Median, e.Within, e.Works)
}

// predictionErrors are the errors of the predictions for the runs of contender.
func predictionErrors(records []Record, contender string) (e Errors) {
	for i := range records {
		if r := &records[i]; r.Contender == contender {
			e.note(r.Predicted, r.Median)
		}
	}
	return e
}

// Regret is how many times as long r took as the better of all on one side; ok is false
// where nothing was measured beside it.
func (r *Record) Regret() (regret float64, ok bool) {
	for _, name := range []string{NameDevice, NameCPU} {
		if x, has := r.Ratios[name]; has {
			regret, ok = max(regret, 1/x.Median), true
		}
	}
	return regret, ok
}

// Regrets summarises the records of a sweep.
func Regrets(records []Record) *Regret {
	s := &Regret{}
	var logs []float64
	for i := range records {
		r := &records[i]
		regret, ok := r.Regret()
		if !r.Ours || !ok {
			continue
		}
		logs = append(logs, math.Log(regret))
		if regret > s.Worst {
			s.Worst, s.WorstAt = regret, r.Work
		}
		s.Foretold.note(r.Foretold, r.Median)
		s.Predicted.note(r.Predicted, r.Median)
		s.Learned.note(r.Learned, r.Median)
		if strings.Contains(r.Placed, ", ") && r.Ratios[NameDevice].Lo > 1 && r.Ratios[NameCPU].Lo > 1 {
			s.Better = append(s.Better, r.Work)
		}
	}
	s.Cases = len(logs)
	sum := 0.0
	for _, v := range logs {
		sum += v
	}
	s.Mean = math.Exp(sum / float64(max(len(logs), 1)))
	return s
}

// String is a few lines for people.
func (s *Regret) String() string {
	if s.Cases == 0 {
		return "regret: no work ran both as placed and on one side\n"
	}
	better := strings.Join(s.Better, ", ")
	if better == "" {
		better = "none"
	}
	return fmt.Sprintf("Regret over %d works: geometric mean %.3f, worst %.2f (%s). Predictions were off by %v; before anything had run by %v; after the works themselves by %v. Divided, and faster so than on either side alone: %s.\n",
		s.Cases, s.Mean, s.Worst, s.WorstAt, s.Predicted, s.Foretold, s.Learned, better)
}

// suspicious is a regret that is measured again, with again times as many turns, before it counts:
// where the plan is that of one side, the rest of the machine makes as much within few turns.
const (
	suspicious = 1.1
	again      = 3
)

// Placement measures works as they are placed beside all on the device and all on the CPU path, in
// turns, and prints each, with where it ran and the predictions. The time of a run is predicted
// three times: before any work of the sweep has run; with the corrections learned from the works
// before; and after the work itself.
func Placement(ctx context.Context, rt *ops.Runtime, works []*Work, m Method, out, records io.Writer) (*Regret, error) {
	contenders := []Contender{NewOurs(rt, ops.Auto)}
	if rt.Device() != nil {
		contenders = append(contenders, NewOurs(rt, ops.OnDevice))
	}
	contenders = append(contenders, NewOurs(rt, ops.OnCPU))
	m = m.filled()
	c := NewContext(rt, m)
	foretold := map[string]time.Duration{}
	for _, w := range works {
		d, err := predict(ctx, rt, w)
		if err != nil {
			return nil, err
		}
		foretold[w.Name] = d
	}
	var all []Record
	for _, w := range works {
		own, err := sweepOne(ctx, w, contenders, m, c)
		if err != nil {
			return nil, err
		}
		learned, err := predict(ctx, rt, w)
		if err != nil {
			return nil, err
		}
		for i := range own {
			r := &own[i]
			if r.Ours {
				r.Foretold, r.Learned = foretold[w.Name].Seconds(), learned.Seconds()
			}
			if records != nil {
				if err := r.Write(records); err != nil {
					return nil, err
				}
			}
			if regret, ok := r.Regret(); r.Ours && ok {
				fmt.Fprintf(out, "%-34s %9s  predicted %9s %9s %9s  device %9s  cpu %9s  regret %.2f  %s\n", r.Work, Short(r.Median),
					Short(r.Foretold), Short(r.Predicted), Short(r.Learned),
					medianOf(own, NameDevice), medianOf(own, NameCPU), regret, r.Placed)
			}
		}
		all = append(all, own...)
	}
	s := Regrets(all)
	fmt.Fprint(out, s)
	return s, nil
}

// sweepOne measures one work, again if it is suspicious.
func sweepOne(ctx context.Context, w *Work, contenders []Contender, m Method, c Context) ([]Record, error) {
	for {
		results, err := Measure(ctx, w, contenders, m)
		if err != nil {
			return nil, err
		}
		own := Records(w, results, c)
		if regret, ok := own[0].Regret(); !ok || regret <= suspicious || m.Turns >= again*c.Method.Turns {
			return own, nil
		}
		m.Turns *= again
	}
}

// predict is the predicted time of a run of w where it would be placed now.
func predict(ctx context.Context, rt *ops.Runtime, w *Work) (predicted time.Duration, err error) {
	operands, err := w.Program.Draw(seedOf(w.Name))
	if err != nil {
		return 0, err
	}
	job, err := NewOurs(rt, ops.Auto).Load(ctx, w, operands)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", w.Name, err)
	}
	predicted, _ = job.(Placed).Placed()
	return predicted, job.Close()
}

func medianOf(records []Record, contender string) string {
	i := slices.IndexFunc(records, func(r Record) bool { return r.Contender == contender })
	if i < 0 {
		return "-"
	}
	return Short(records[i].Median)
}
