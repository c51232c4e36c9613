package ops

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/anycl/anycl/internal/exec"
)

// Errors that this package returns, wrapped with their context.
var (
	// ErrClosed is returned by a Runtime or Executable after Close.
	ErrClosed = exec.ErrClosed
	// ErrFeed is wrapped by the error of a Run whose feeds do not fit: one is
	// missing, unknown, or has another shape or dtype than its input.
	ErrFeed = errors.New("ops: bad feed")
)

// alive returns the error that forbids work in ctx, or nil.
func alive(ctx context.Context) error {
	if ctx == nil {
		return errors.New("ops: the context is nil")
	}
	return ctx.Err()
}

// OpError is a mistake in one call of an op, with the op, the caller's line and the operands.
type OpError struct {
	Op       string   // the op's name
	Caller   string   // file:line outside this package
	Operands []string // dtype and shape of each operand
	Err      error    // the mistake
}

func (e *OpError) Error() string {
	return fmt.Sprintf("%s at %s: %v", e.Op, e.Caller, e.Err)
}

// Unwrap returns Err.
func (e *OpError) Unwrap() error { return e.Err }

// GraphError is every mistake of a graph. Unwrap gives them one by one.
type GraphError struct {
	Graph string
	Errs  []error
}

func (e *GraphError) Error() string {
	var b strings.Builder
	plural := "s"
	if len(e.Errs) == 1 {
		plural = ""
	}
	fmt.Fprintf(&b, "ops: compile %q: %d error%s", e.Graph, len(e.Errs), plural)
	for _, err := range e.Errs {
		fmt.Fprintf(&b, "\n  %v", err)
	}
	return b.String()
}

// Unwrap returns the errors.
func (e *GraphError) Unwrap() []error { return e.Errs }

func joinErrors(graph string, errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return &GraphError{Graph: graph, Errs: errs}
}

func describe(in []*Node) []string {
	out := make([]string, len(in))
	for i, n := range in {
		switch {
		case n == nil:
			out[i] = "nil"
		case n.bad:
			out[i] = "failed"
		default:
			out[i] = fmt.Sprintf("%v%s", n.dtype, shapeText(n.shape))
		}
	}
	return out
}

// thisPackage is the prefix of this package's functions.
const thisPackage = "github.com/anycl/anycl/ops."

// transparent are the packages whose frames callerLine looks through: an op that is built by a helper of the library is
// the fault of the helper's caller. Those that [Define] ops are among them.
var transparent = struct {
	mu       sync.RWMutex
	packages []string
}{packages: []string{thisPackage}}

// definedHere makes the package that calls this one transparent; a program's main package has no callers, and a test is one.
func definedHere() {
	var pcs [8]uintptr
	callers := pcs[:runtime.Callers(2, pcs[:])]
	if knownPackage(callers) {
		return
	}
	frames := runtime.CallersFrames(callers)
	for {
		f, more := frames.Next()
		pkg := packageOf(f.Function)
		if pkg == thisPackage && more {
			continue
		}
		transparent.mu.Lock()
		defer transparent.mu.Unlock()
		if pkg != "main." && !strings.HasSuffix(f.File, "_test.go") && !slices.Contains(transparent.packages, pkg) {
			transparent.packages = append(transparent.packages, pkg)
		}
		return
	}
}

// knownPackage reports whether the first of callers outside this package is of a package that is transparent already, as for all its ops
// but the first. Names of functions are found in a fraction of the time that their files and lines take.
func knownPackage(callers []uintptr) bool {
	transparent.mu.RLock()
	defer transparent.mu.RUnlock()
	for _, pc := range callers {
		f := runtime.FuncForPC(pc - 1)
		if f == nil {
			return false
		}
		if pkg := packageOf(f.Name()); pkg != thisPackage {
			return slices.Contains(transparent.packages, pkg)
		}
	}
	return false
}

// packageOf is the path of the package of a function, and a dot.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[") // its type arguments
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.') + 1
	return function[:slash+dot]
}

// callBack are packages of the standard library whose functions call functions of a program.
var callBack = []string{"iter.", "maps.", "reflect.", "runtime.", "slices.", "sort.", "strings.", "sync.", "testing."}

// callerLine is the innermost line outside these packages, as dir/file.go:line; where there is none, as in the initialisation of a package,
// the outermost line inside.
func callerLine() string {
	transparent.mu.RLock()
	defer transparent.mu.RUnlock()
	var inside runtime.Frame
	var pcs [12]uintptr // most often the line is among them
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			at := siteOf(pc)
			if at.passed {
				continue
			}
			if !slices.Contains(transparent.packages, at.pkg) || at.test {
				return lineOf(at.frame)
			}
			inside = at.frame
		}
		if n < len(pcs) {
			return lineOf(inside)
		}
	}
}

// site has the function and line of a return address: each has one frame, also where calls were inlined.
type site struct {
	frame  runtime.Frame
	pkg    string
	passed bool // no line of a program
	test   bool
}

// sites are the call sites that were looked up, at most one for each call in the program.
var sites struct {
	mu sync.RWMutex
	of map[uintptr]site
}

func siteOf(pc uintptr) site {
	sites.mu.RLock()
	s, ok := sites.of[pc]
	sites.mu.RUnlock()
	if ok {
		return s
	}
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	s = site{frame: f, pkg: packageOf(f.Function), test: strings.HasSuffix(f.File, "_test.go")}
	s.passed = f.File == "" || slices.Contains(callBack, s.pkg)
	sites.mu.Lock()
	defer sites.mu.Unlock()
	if sites.of == nil {
		sites.of = map[uintptr]site{}
	}
	sites.of[pc] = s
	return s
}

// lineOf is dir/file.go:line.
func lineOf(f runtime.Frame) string {
	if f.File == "" {
		return "unknown"
	}
	return shortPath(f.File) + ":" + strconv.Itoa(f.Line)
}

// shortPath keeps the last two elements of a path.
func shortPath(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		if j := strings.LastIndexByte(path[:i], '/'); j >= 0 {
			return path[j+1:]
		}
	}
	return path
}
