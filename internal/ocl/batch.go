package ocl

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"sync"
	"sync/atomic"
	"weak"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/procs"
)

// Kernels of a graph are compiled in few programs, in which every part has names of its own, because drivers take long
// to begin compiling and little to go on, from their caches too.

// Bounds of a program of many parts: fewer than batchSmall are not worth a second
// compiler, more than batchLarge would make one compiler the last to finish.
const (
	batchSmall = 8
	batchLarge = 64
)

// built is a program in which the kernels of one part end in suffix.
type built struct {
	prog   *cl.Program
	id     uint64 // of its text, see textHash
	suffix string
}

var textSeed = maphash.MakeSeed()

// textHash tells programs of a process apart.
func textHash(source, options string) uint64 {
	return maphash.Comparable(textSeed, [2]string{source, options})
}

// Kernel makes the kernel of that name in the part.
func (b built) Kernel(name string) (*cl.Kernel, error) { return b.prog.Kernel(name + b.suffix) }

// library remembers every part that was compiled for a target, as long as the device or anybody
// else has its program.
type library struct {
	mu       sync.Mutex
	parts    map[codegen.Key]entry
	building map[codegen.Key]chan struct{} // parts that are being compiled, with channels that are closed when that has ended
	sweep    int                           // the number of parts at which those of programs that have gone are forgotten
	warm     map[launchKey]int             // the widest launch of each kernel so far; see warm.go
}

// part is a program of a launch, and its key, which takes long to find.
type part struct {
	*codegen.Program
	key codegen.Key
}

type entry struct {
	prog   weak.Pointer[cl.Program]
	id     uint64
	suffix string
	texts  [3]string // of the part: source, head, body
}

// share gives p, whose key that is, the texts of the part that is equal to it, so that plans for many sizes do not hold a copy each.
func (l *library) share(p *codegen.Program, key codegen.Key) {
	l.mu.Lock()
	at, ok := l.parts[key]
	l.mu.Unlock()
	if ok {
		p.Source, p.Head, p.Body = at.texts[0], at.texts[1], at.texts[2]
	}
}

func (l *library) find(key codegen.Key) (built, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live(key)
}

// live is find for a caller that holds the lock.
func (l *library) live(key codegen.Key) (built, bool) {
	at, ok := l.parts[key]
	if !ok {
		return built{}, false
	}
	prog := at.prog.Value()
	return built{prog, at.id, at.suffix}, prog != nil
}

// claim picks out of parts those that the caller is to compile, and calls release for then. For those that somebody else
// compiles already it returns channels that are closed when that has ended.
func (l *library) claim(parts []part) (mine []part, others []<-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.building == nil {
		l.building = map[codegen.Key]chan struct{}{}
	}
	for _, p := range parts {
		if _, ok := l.live(p.key); ok {
			continue
		}
		if c, ok := l.building[p.key]; ok {
			others = append(others, c)
			continue
		}
		l.building[p.key] = make(chan struct{})
		mine = append(mine, p)
	}
	return mine, others
}

// release ends the claims of parts, compiled or not.
func (l *library) release(parts []part) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range parts {
		close(l.building[p.key])
		delete(l.building, p.key)
	}
}

func (l *library) enter(p part, b built) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parts == nil {
		l.parts = map[codegen.Key]entry{}
	}
	if len(l.parts) >= l.sweep {
		maps.DeleteFunc(l.parts, func(_ codegen.Key, at entry) bool { return at.prog.Value() == nil })
		l.sweep = 2*len(l.parts) + batchLarge
	}
	l.parts[p.key] = entry{weak.Make(b.prog), b.id, b.suffix, [3]string{p.Source, p.Head, p.Body}}
}

// compileAll makes every program of the tasks available in the library. It waits for programs that others compile at the same time,
// such as for a graph of another size.
func (w *target) compileAll(ctx context.Context, tasks []readyTask) error {
	var parts []part
	seen := map[codegen.Key]bool{}
	for _, t := range tasks {
		for i, l := range t.plan.Launches {
			if key := t.keys[i]; !seen[key] {
				seen[key] = true
				parts = append(parts, part{l.Program, key})
			}
		}
	}
	for {
		others, err := w.compileClaimed(ctx, parts)
		if err != nil || len(others) == 0 {
			return err
		}
		for _, c := range others {
			select {
			case <-c:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		// The others may have been stopped: missing programs are compiled here then.
	}
}

// compileClaimed is compileAll without the programs that others are compiling: the channels are closed when
// that has ended.
func (w *target) compileClaimed(ctx context.Context, parts []part) (others []<-chan struct{}, err error) {
	mine, others := w.library.claim(parts)
	defer w.library.release(mine)
	batches := map[string][]part{} // by the options and head that the parts of one program must share
	var order []string
	for _, p := range mine {
		share := p.Options + "\x00" + p.Head
		if p.Head == "" { // a caller's own source
			share = string(p.key[:])
		}
		if batches[share] == nil {
			order = append(order, share)
		}
		batches[share] = append(batches[share], p)
	}
	var programs [][]part
	for _, share := range order {
		programs = append(programs, divide(batches[share])...)
	}
	done := atomic.Int32{}
	tell := func(done int32) {
		engine.ReportProgress(ctx, engine.Progress{Engine: w.facts.Name, Stage: engine.Build, Done: int(done), Total: len(programs)})
	}
	if len(programs) > 0 {
		tell(0)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(procs.Count())
	for _, parts := range programs {
		group.Go(func() error {
			defer func() { tell(done.Add(1)) }()
			return w.compile(ctx, parts)
		})
	}
	return others, group.Wait()
}

// divide splits parts over the cores.
func divide(parts []part) [][]part {
	n := min(max(len(parts)/batchSmall, 1), procs.Count())
	n = max(n, (len(parts)+batchLarge-1)/batchLarge)
	var out [][]part
	for i := range n {
		if part := parts[len(parts)*i/n : len(parts)*(i+1)/n]; len(part) > 0 {
			out = append(out, part)
		}
	}
	return out
}

// compile builds parts as one program. Where that fails, each is built alone,
// so that one that a driver refuses does not take the others with it.
func (w *target) compile(ctx context.Context, parts []part) error {
	var joint *cl.BuildError // of all parts together
	if len(parts) > 1 {
		all := make([]*codegen.Program, len(parts))
		for i, p := range parts {
			all[i] = p.Program
		}
		joined := &codegen.Program{Name: fmt.Sprintf("%d parts", len(parts)), Source: codegen.Join(all), Options: parts[0].Options}
		whole, err := w.build(ctx, joined)
		if err == nil {
			for i, p := range parts {
				w.library.enter(p, built{whole.prog, whole.id, codegen.Suffix(i)})
			}
			return nil
		}
		if !errors.As(err, &joint) {
			return err
		}
	}
	alone := true
	for _, p := range parts {
		b, err := w.build(ctx, p.Program)
		if err != nil {
			if be := (*cl.BuildError)(nil); errors.As(err, &be) {
				alone = false
				continue // the task that needs it reports it
			}
			return err
		}
		w.library.enter(p, b)
	}
	if joint != nil && alone {
		w.log.Warn("ocl: kernels that build alone do not build as one program, which takes longer at every start",
			"device", w.facts.Name, "kernels", len(parts), "error", joint)
	}
	return nil
}

// program is the part that p is in; a failure to build is reported here.
func (w *target) program(ctx context.Context, t *engine.Task, p part) (built, error) {
	if b, ok := w.library.find(p.key); ok {
		return b, nil
	}
	b, err := w.build(ctx, p.Program)
	if err != nil {
		return built{}, taskError(w.facts.Name, t, "build", err)
	}
	return b, nil
}

func (w *target) build(ctx context.Context, p *codegen.Program) (built, error) {
	source := w.head + p.Text()
	if p.Dims > 0 && w.customHead != nil {
		source = w.customHead(p.Dims, p.Depth) + p.Text()
	}
	prog, err := w.programs.Program(ctx, p.Name, source, p.Options)
	return built{prog: prog, id: textHash(source, p.Options)}, err
}
