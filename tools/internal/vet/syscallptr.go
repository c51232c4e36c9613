// Package vet holds the project's own analyzer.
package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

const purego = "github.com/ebitengine/purego"

// Analyzer reports pointers that become numbers where the compiler does not see
// that C uses them.
var Analyzer = &analysis.Analyzer{
	Name: "syscallptr",
	Doc: `check that pointers become uintptr only in the argument list of a system call

A Go value may lie on its goroutine's stack, and the stack moves when it grows,
also on the way into a C function. The compiler keeps the value in place only for
a conversion uintptr(unsafe.Pointer(...)) that stands literally in the argument
list of purego.SyscallN or of package syscall's functions. Hidden in a helper, or
kept in a variable first, it makes C write into memory that is somebody else's by
then; vet, staticcheck and the race detector stay silent.

Two other forms are allowed: storing the address of what belongs to a struct that
pins itself, which is one with a field of type runtime.Pinner, as argument blocks
that are used again and again have it; and a number that is compared, divided for
a remainder or subtracted from another address on the spot, as alignment and distance
are told, which no longer is an address.

purego's RegisterFunc, RegisterLibFunc and NewCallback are reported too: the
first two allocate at each call, and callbacks are never freed.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	in.WithStack([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		if !push {
			return true
		}
		call := n.(*ast.CallExpr)
		switch {
		case isPointerToNumber(pass.TypesInfo, call):
			if !isArgument(pass.TypesInfo, stack) && !isMeasured(pass.TypesInfo, stack) && !isPinned(pass.TypesInfo, call.Args[0]) {
				pass.Reportf(call.Pos(), "pointer becomes a number outside the argument list of a system call: the stack may move before C uses it")
			}
		case isSystemCall(pass.TypesInfo, call):
			for _, arg := range call.Args {
				if helper, ok := hidesPointer(pass.TypesInfo, arg); ok {
					pass.Reportf(arg.Pos(), "%s hides a pointer from the compiler: write uintptr(unsafe.Pointer(...)) here", helper)
				}
			}
		}
		if f := callee(pass.TypesInfo, call); f != nil && pkgPath(f) == purego {
			switch f.Name() {
			case "RegisterFunc", "RegisterLibFunc":
				pass.Reportf(call.Pos(), "purego.%s allocates at each call of the function: use SyscallN", f.Name())
			case "NewCallback":
				pass.Reportf(call.Pos(), "purego.NewCallback takes a slot that is never freed")
			}
		}
		return true
	})
	return nil, nil
}

// isPointerToNumber reports a conversion of an unsafe.Pointer to an integer type.
func isPointerToNumber(info *types.Info, call *ast.CallExpr) bool {
	if len(call.Args) != 1 || !info.Types[call.Fun].IsType() {
		return false
	}
	to, ok := info.TypeOf(call.Fun).Underlying().(*types.Basic)
	if !ok || to.Kind() != types.Uintptr {
		return false
	}
	from, ok := info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && from.Kind() == types.UnsafePointer
}

// isArgument reports whether the innermost node of the stack is, parentheses
// aside, an argument of a system call.
func isArgument(info *types.Info, stack []ast.Node) bool {
	for i := len(stack) - 2; i >= 0; i-- {
		switch outer := stack[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.CallExpr:
			return outer.Fun != stack[i+1] && isSystemCall(info, outer)
		}
		return false
	}
	return false
}

// isMeasured reports whether the innermost node of the stack is, parentheses aside, compared, the
// dividend of a remainder, or part of a difference of addresses.
func isMeasured(info *types.Info, stack []ast.Node) bool {
	for i := len(stack) - 2; i >= 0; i-- {
		switch outer := stack[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.BinaryExpr:
			switch outer.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				return true
			case token.REM:
				return outer.X == stack[i+1]
			case token.SUB:
				return isAddress(info, outer.X) && isAddress(info, outer.Y)
			}
		}
		return false
	}
	return false
}

// isAddress reports whether e is a pointer as a number.
func isAddress(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && isPointerToNumber(info, call)
}

func isSystemCall(info *types.Info, call *ast.CallExpr) bool {
	f := callee(info, call)
	if f == nil {
		return false
	}
	switch pkgPath(f) {
	case purego:
		return f.Name() == "SyscallN"
	case "syscall", "golang.org/x/sys/unix", "golang.org/x/sys/windows":
		return strings.HasPrefix(f.Name(), "Syscall") || strings.HasPrefix(f.Name(), "RawSyscall")
	}
	return false
}

func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	f, _ := info.Uses[id].(*types.Func)
	return f
}

func pkgPath(f *types.Func) string {
	if f.Pkg() == nil {
		return ""
	}
	return f.Pkg().Path()
}

// hidesPointer reports an argument that is itself a call which takes a pointer
// and returns a number.
func hidesPointer(info *types.Info, arg ast.Expr) (string, bool) {
	call, ok := ast.Unparen(arg).(*ast.CallExpr)
	if !ok || info.Types[call.Fun].IsType() {
		return "", false
	}
	f := callee(info, call)
	if f == nil {
		return "", false // builtins such as len, and function values
	}
	for _, a := range call.Args {
		switch t := info.TypeOf(a).Underlying().(type) {
		case *types.Pointer, *types.Slice:
			return f.Name(), true
		case *types.Basic:
			if t.Kind() == types.UnsafePointer {
				return f.Name(), true
			}
		}
	}
	return "", false
}

// isPinned reports whether the expression takes the address of, or reads a
// pointer from, something that belongs to a struct which pins itself.
func isPinned(info *types.Info, e ast.Expr) bool {
	for {
		if pinsItself(info.TypeOf(e)) {
			return true
		}
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			// Only arrays lie inside the struct; a slice's elements do not, but objects that a pinned one
			// refers to live as long as it does.
			e = x.X
		case *ast.CallExpr: // unsafe.Pointer(x), unsafe.SliceData(x)
			if len(x.Args) != 1 || !(info.Types[x.Fun].IsType() || info.Types[x.Fun].IsBuiltin()) {
				return false
			}
			e = x.Args[0]
		default:
			return false
		}
	}
}

// pinsItself reports a pointer to a struct with a runtime.Pinner. A struct value
// does not count: it may lie on the stack.
func pinsItself(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Type().String() == "runtime.Pinner" {
			return true
		}
	}
	return false
}
