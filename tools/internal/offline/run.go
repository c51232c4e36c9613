package offline

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/internal/ocl/draft"
)

// Outcome is a compiler's result for one program.
type Outcome struct {
	Print    string           `json:"print"`
	File     string           `json:"file"`
	Variants []string         `json:"variants"`
	Chosen   bool             `json:"chosen"`
	Kernels  map[string]Usage `json:"kernels,omitempty"` // that are launched
	Refused  string           `json:"refused,omitempty"` // the compiler's log
	Died     bool             `json:"died,omitempty"`    // the compiler ended its process instead of refusing it
	Excused  string           `json:"excused,omitempty"` // the excuse by which it may spill, or die
}

// Spills reports whether a kernel keeps values in memory for want of registers.
func (o *Outcome) Spills() bool {
	for _, u := range o.Kernels {
		if u.Spill > 0 {
			return true
		}
	}
	return false
}

// batchSize is how many drafts are compiled as one program, as devices are given them. Most of the
// time then goes to the kernels, and not to the compiler's start.
const batchSize = 32

// batches divides drafts into programs of parts that join.
func batches(drafts []*draft.Draft) [][]*draft.Draft {
	var all [][]*draft.Draft
	open := map[string]int{} // by the options and head, which must be equal
	for _, d := range drafts {
		key := d.Options + "\x00" + d.Head
		i, ok := open[key]
		if !ok || len(all[i]) == batchSize || !all[i][0].Joins(d) {
			i = len(all)
			all, open[key] = append(all, nil), i
		}
		all[i] = append(all[i], d)
	}
	return all
}

// Run compiles drafts of a class, several at a time. Errors: those of the compiler's own, and of ctx.
func Run(ctx context.Context, c Compiler, class *draft.Class, drafts []*draft.Draft, workers int, done func(programs int)) ([]*Outcome,
	error) {
	var mu sync.Mutex
	var all []*Outcome
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, batch := range batches(drafts) {
		group.Go(func() error {
			outcomes, err := compile(ctx, c, class, batch)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, outcomes...)
			if done != nil && err == nil {
				done(len(all))
			}
			return err
		})
	}
	err := group.Wait()
	slices.SortFunc(all, func(a, b *Outcome) int {
		if a.Print < b.Print {
			return -1
		}
		return 1
	})
	return all, err
}

// compile compiles parts as one program, and where that is refused by halves, to find those that are.
func compile(ctx context.Context, c Compiler, class *draft.Class, parts []*draft.Draft) ([]*Outcome, error) {
	source, suffixes := class.Text(parts)
	usage, err := c.Compile(ctx, source, parts[0].Options)
	switch {
	case refused(err) && len(parts) > 1:
		a, err := compile(ctx, c, class, parts[:len(parts)/2])
		if err != nil {
			return nil, err
		}
		b, err := compile(ctx, c, class, parts[len(parts)/2:])
		return append(a, b...), err
	case err != nil && !refused(err):
		return nil, err
	}
	var all []*Outcome
	for i, d := range parts {
		o := &Outcome{Print: d.Print(), File: d.File, Variants: d.Variants, Chosen: d.Chosen, Kernels: map[string]Usage{}}
		if err != nil {
			o.Refused, o.Died = err.Error(), died(err)
		}
		for _, k := range d.Kernels {
			if u, ok := usage[k+suffixes[i]]; ok {
				o.Kernels[k] = u
			} else if usage != nil {
				o.Refused = "the kernel " + k + " is not in what was compiled"
			}
		}
		all = append(all, o)
	}
	return all, nil
}
