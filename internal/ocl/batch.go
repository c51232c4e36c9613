package ocl

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"weak"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/procs"
)

// Drivers take a tenth of a second to begin compiling and little to go on:
// twenty kernels cost 1.9 s as twenty programs and 0.16 s as one (PoCL 3.1), and
// from its cache 0.43 s and 0.02 s. So what a graph needs is compiled in few
// programs, in which every part has names of its own.

// Bounds of a program of many parts: fewer than batchSmall are not worth a second
// compiler, more than batchLarge would make one compiler the last to finish.
const (
	batchSmall = 8
	batchLarge = 64
)

// built is a program in which the kernels of one part end in suffix.
type built struct {
	prog   *cl.Program
	id     uint64 // of its text, see hashOf
	suffix string
}

// Kernel makes the kernel of that name in the part.
func (b built) Kernel(name string) (*cl.Kernel, error) { return b.prog.Kernel(name + b.suffix) }

// library remembers every part that was compiled for a site, as long as the device or anybody
// else has its program.
type library struct {
	mu    sync.Mutex
	parts map[partKey]entry
	sweep int               // the number of parts at which those of programs that have gone are forgotten
	warm  map[launchKey]int // the widest launch of each kernel so far; see warm.go
}

// partKey is the hash of options and source.
type partKey [sha256.Size]byte

type entry struct {
	prog   weak.Pointer[cl.Program]
	id     uint64
	suffix string
}

func (p *program) key() partKey {
	return sha256.Sum256(fmt.Appendf(nil, "%s\x00%d %d\x00%s", p.options, p.dims, p.depth, p.source))
}

func (l *library) find(key partKey) (built, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := l.parts[key]
	if !ok {
		return built{}, false
	}
	prog := at.prog.Value()
	return built{prog, at.id, at.suffix}, prog != nil
}

func (l *library) enter(p *program, b built) {
	key := p.key()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parts == nil {
		l.parts = map[partKey]entry{}
	}
	if len(l.parts) >= l.sweep {
		maps.DeleteFunc(l.parts, func(_ partKey, at entry) bool { return at.prog.Value() == nil })
		l.sweep = 2*len(l.parts) + batchLarge
	}
	l.parts[key] = entry{weak.Make(b.prog), b.id, b.suffix}
}

// compileAll makes every program of the tasks available in the library.
func (w *site) compileAll(ctx context.Context, tasks []readyTask) error {
	batches := map[string][]*program{} // by what the parts of one program must share
	var order []string
	seen := map[partKey]bool{}
	for _, t := range tasks {
		for _, l := range t.plan.launches {
			key := l.prog.key()
			if seen[key] {
				continue
			}
			if _, ok := w.library.find(key); ok {
				continue
			}
			seen[key] = true
			share := l.prog.options + "\x00" + l.prog.head
			if l.prog.head == "" { // a caller's own source
				share = string(key[:])
			}
			if batches[share] == nil {
				order = append(order, share)
			}
			batches[share] = append(batches[share], l.prog)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(procs.Count())
	for _, share := range order {
		for _, parts := range divide(batches[share]) {
			group.Go(func() error { return w.compile(ctx, parts) })
		}
	}
	return group.Wait()
}

// divide splits parts over the cores.
func divide(parts []*program) [][]*program {
	n := min(max(len(parts)/batchSmall, 1), procs.Count())
	n = max(n, (len(parts)+batchLarge-1)/batchLarge)
	var out [][]*program
	for i := range n {
		if part := parts[len(parts)*i/n : len(parts)*(i+1)/n]; len(part) > 0 {
			out = append(out, part)
		}
	}
	return out
}

// compile builds parts as one program. Where that fails, each is built alone,
// so that one that a driver refuses does not take the others with it.
func (w *site) compile(ctx context.Context, parts []*program) error {
	if len(parts) > 1 {
		all, err := w.build(ctx, &program{name: fmt.Sprintf("%d parts", len(parts)), source: join(parts), options: parts[0].options})
		if err == nil {
			for i, p := range parts {
				w.library.enter(p, built{all.prog, all.id, suffix(i)})
			}
			return nil
		}
		if be := (*cl.BuildError)(nil); !errors.As(err, &be) {
			return err
		}
	}
	for _, p := range parts {
		b, err := w.build(ctx, p)
		if err != nil {
			if be := (*cl.BuildError)(nil); errors.As(err, &be) {
				continue // the task that needs it reports it
			}
			return err
		}
		w.library.enter(p, b)
	}
	return nil
}

// program is the part that p is in; a failure to build is reported here.
func (w *site) program(ctx context.Context, t *engine.Task, p *program) (built, error) {
	if b, ok := w.library.find(p.key()); ok {
		return b, nil
	}
	b, err := w.build(ctx, p)
	if err != nil {
		return built{}, taskError(w.facts.name, t, "build", err)
	}
	return b, nil
}

func (w *site) build(ctx context.Context, p *program) (built, error) {
	source := w.head + p.source
	if p.dims > 0 && w.companion != nil {
		source = ownHead(p.dims, p.depth) + p.source
	}
	prog, err := w.programs.Program(ctx, p.name, source, p.options)
	return built{prog: prog, id: hashOf(source, p.options)}, err
}

func suffix(i int) string { return fmt.Sprintf("_%d", i) }

// naming finds the names that lines of a program define.
type naming struct {
	expr *regexp.Regexp // its first group
	some []string       // a line that has a name has one of these: the expression alone takes 1 ms a part
}

var (
	macroName    = naming{regexp.MustCompile(`^[ \t]*#[ \t]*define[ \t]+(\w+)`), []string{"define"}}
	functionName = naming{regexp.MustCompile(`^(?:(?:static inline|INLINE) [\w ]*[ *]|typedef .* |(?:.* )?void )(\w+)[(;]`), []string{"inline", "INLINE", "typedef", "void"}}
)

// join writes parts one after the other. The functions and types of each get its suffix,
// its macros end with it.
func join(parts []*program) string {
	var b strings.Builder
	b.WriteString(parts[0].head)
	var library []string
	for _, p := range parts {
		library = append(library, p.library...)
	}
	slices.Sort(library) // by name, later ones want earlier ones
	b.WriteString(texts(slices.Compact(library)))
	for i, p := range parts {
		fmt.Fprintf(&b, "\n// ==== part %d: %s ====\n", i, p.name)
		names := functionName.distinct(p.body)
		for _, n := range names {
			fmt.Fprintf(&b, "#define %s %s%s\n", n, n, suffix(i))
		}
		b.WriteString(p.body)
		b.WriteByte('\n')
		for _, n := range append(macroName.distinct(p.body), names...) {
			fmt.Fprintf(&b, "#undef %s\n", n)
		}
	}
	return b.String()
}

// distinct lists the names that text defines, once each.
func (n naming) distinct(text string) []string {
	var out []string
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if !slices.ContainsFunc(n.some, func(s string) bool { return strings.Contains(line, s) }) {
			continue
		}
		if m := n.expr.FindStringSubmatch(line); m != nil && !seen[m[1]] {
			seen[m[1]] = true
			out = append(out, m[1])
		}
	}
	return out
}
