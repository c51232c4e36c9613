package ocl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"github.com/anycl/anycl/engine"
)

// Watch is told of every sequence before any of it is compiled. Where it returns an error,
// Prepare does, and nothing is made.
type Watch func(ctx context.Context, p Prepared) error

// Prepared is what a sequence is going to be.
type Prepared struct {
	// Print is equal for sequences of one device that give its driver the same.
	Print string
	// Variants are those that run its tasks, once each, as EnvVariant takes them.
	Variants []string
}

// Forced is another engine on e's device, with a list of variants in place of e's. It
// shares what e has compiled.
func (e *Engine) Forced(variants string, watch Watch) *Engine {
	f := NewForced(e.dev, variants)
	f.watch = watch
	f.far.library = e.far.library
	if e.near == nil {
		f.near, f.team = nil, nil
		return f
	}
	f.near.library = e.near.library
	if f.team != nil {
		f.team.library = e.near.library
	}
	return f
}

// tell asks whoever watches.
func (s *sequence) tell(ctx context.Context, tasks []engine.Bound) error {
	if s.eng.watch == nil {
		return nil
	}
	p, err := s.prepared(tasks)
	if err != nil {
		return err
	}
	return s.eng.watch(ctx, p)
}

// prepared describes s once its plans are made, for tasks in the memory that they are bound to.
func (s *sequence) prepared(tasks []engine.Bound) (Prepared, error) {
	var p Prepared
	h := sha256.New()
	fmt.Fprintf(h, "%s %t %d\n", s.site.facts.name, s.site.companion != nil, s.site.width())
	text(h, s.site.head)
	memories := map[*memory]int{}
	for i, t := range s.tasks {
		places, err := s.places(tasks[i])
		if err != nil {
			return p, taskError(s.site.facts.name, t.task, "bind", err)
		}
		for _, at := range places {
			n, ok := memories[at.mem]
			if !ok {
				n = len(memories)
				memories[at.mem] = n
			}
			fmt.Fprintf(h, "%d bytes of %d each at %d of memory %d of %d\n", at.bytes, at.size, at.offset, n, at.mem.Bytes())
		}
		t.plan.print(h, keeps(t.task))
		if v := familyOf(t.task) + "=" + t.plan.variant; !slices.Contains(p.Variants, v) {
			p.Variants = append(p.Variants, v)
		}
	}
	p.Print = hex.EncodeToString(h.Sum(nil))
	return p, nil
}

// print writes all of p but what is for people. Structs are written whole, so that a field that
// is added is part of it; only long texts are taken out, and written as they are.
func (p *plan) print(h hash.Hash, kept bool) {
	whole := *p
	whole.why, whole.launches = "", nil
	fmt.Fprintf(h, "%t %#v\n", kept, whole)
	for _, l := range p.launches {
		prog := *l.prog
		prog.source, prog.head, prog.body = "", "", ""
		fmt.Fprintf(h, "%#v\n", prog)
		for _, a := range prog.args {
			fmt.Fprintf(h, "%T ", a.scalar)
		}
		text(h, l.prog.source)
		l.prog = nil
		fmt.Fprintf(h, "%#v\n", l)
	}
}

func text(h hash.Hash, s string) { fmt.Fprintf(h, "%d\n%s\n", len(s), s) }
