package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/ops"
)

// Regret is what a sweep tells of the placement.
type Regret struct {
	Cases int
	// Mean is the geometric mean over the works of the time as placed over that of the better of
	// all on the device and all on the CPU path; Worst is the largest, and where.
	Mean, Worst float64
	WorstAt     string
	// Error is the median over the works of how far the prediction was off, as a part of the
	// time; Within counts those that were off by a quarter at most.
	Error  float64
	Within int
	// Better are works that were divided, and faster so than on either side alone, beyond the noise.
	Better []string
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
	var logs, errs []float64
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
		if r.Predicted > 0 {
			off := math.Abs(r.Predicted-r.Median) / r.Median
			if errs = append(errs, off); off <= 0.25 {
				s.Within++
			}
		}
		if strings.Contains(r.Placed, ", ") && r.Ratios[NameDevice].Lo > 1 && r.Ratios[NameCPU].Lo > 1 {
			s.Better = append(s.Better, r.Work)
		}
	}
	s.Cases = len(logs)
	sum := 0.0
	for _, v := range logs {
		sum += v
	}
	s.Mean, s.Error = math.Exp(sum/float64(max(len(logs), 1))), Quantile(0.5, errs)
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
	return fmt.Sprintf("Regret over %d works: geometric mean %.3f, worst %.2f (%s); predictions off by %.0f %% in the median, by a quarter at most in %d; divided, and faster so than on either side alone: %s.\n",
		s.Cases, s.Mean, s.Worst, s.WorstAt, 100*s.Error, s.Within, better)
}

// Placement measures works as they are placed beside all on the device and all on the CPU
// path, in turns, and prints each, where it ran and what was predicted.
func Placement(ctx context.Context, rt *ops.Runtime, works []*Work, m Method, out, records io.Writer) (*Regret, error) {
	contenders := []Contender{NewOurs(rt, ops.Auto)}
	if rt.Device() != nil {
		contenders = append(contenders, NewOurs(rt, ops.OnDevice))
	}
	contenders = append(contenders, NewOurs(rt, ops.OnCPU))
	c := NewContext(rt, m.filled())
	var all []Record
	for _, w := range works {
		results, err := Measure(ctx, w, contenders, m)
		if err != nil {
			return nil, err
		}
		own := Records(w, results, c)
		for i := range own {
			r := &own[i]
			if records != nil {
				if err := r.Write(records); err != nil {
					return nil, err
				}
			}
			if regret, ok := r.Regret(); r.Ours && ok {
				fmt.Fprintf(out, "%-32s %10s  predicted %10s  device %10s  cpu %10s  regret %.2f  %s\n", r.Work, Short(r.Median), Short(r.Predicted),
					medianOf(own, NameDevice), medianOf(own, NameCPU), regret, r.Placed)
			}
		}
		all = append(all, own...)
	}
	s := Regrets(all)
	fmt.Fprint(out, s)
	return s, nil
}

func medianOf(records []Record, contender string) string {
	i := slices.IndexFunc(records, func(r Record) bool { return r.Contender == contender })
	if i < 0 {
		return "-"
	}
	return Short(records[i].Median)
}
