package access

import "github.com/anycl/anycl/engine"

// Functions that some kernels compute in a way of their own. A function's name is its identity: engines take
// functions of one name for the same, whatever their text is.
const (
	Cast  = "cast"
	Exp   = "exp"
	Sub   = "sub"
	Where = "where"
)

// Applies reports whether e is the value of the function of that name.
func Applies(e *engine.Expr, name string) bool { return e.Op == engine.OpApply && e.Fn.Name == name }
