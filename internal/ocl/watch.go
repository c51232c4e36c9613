package ocl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// Watch is told of every sequence before any of it is compiled. Where it returns an error,
// Prepare does, and nothing is made.
type Watch func(ctx context.Context, p Prepared) error

// Prepared describes a sequence that is about to be prepared.
type Prepared struct {
	// Print is equal for sequences of one device that give its driver the same.
	Print string
	// Variants are those that run its tasks, once each, as EnvVariant takes them.
	Variants []string
}

// Forced is another engine on e's device, with a list of variants in place of e's. It shares the
// kernels that e has compiled.
func (e *Engine) Forced(variants string, watch Watch) *Engine {
	f := NewForced(e.dev, variants)
	f.watch = watch
	f.queue.to.library = e.queue.to.library
	if e.host == nil {
		f.host = nil
	} else {
		f.host.share(e.host)
	}
	return f
}

// tell asks the watcher.
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
	to := s.runner.target()
	fmt.Fprintf(h, "%s %s\n", to.facts.Name, to.mark)
	codegen.HashText(h, to.head)
	memories := map[*memory]int{}
	for i, t := range s.tasks {
		places, err := s.places(tasks[i])
		if err != nil {
			return p, taskError(to.facts.Name, t.task, "bind", err)
		}
		for _, at := range places {
			n, ok := memories[at.mem]
			if !ok {
				n = len(memories)
				memories[at.mem] = n
			}
			fmt.Fprintf(h, "%d bytes of %d each at %d of memory %d of %d\n", at.bytes, at.size, at.offset, n, at.mem.Bytes())
		}
		t.plan.Fingerprint(h, keeps(t.task))
		if v := variant.FamilyOf(t.task) + "=" + t.plan.Variant; !slices.Contains(p.Variants, v) {
			p.Variants = append(p.Variants, v)
		}
	}
	p.Print = hex.EncodeToString(h.Sum(nil))
	return p, nil
}
