package engine

// Function is which function a [Scalar] computes, of those that engines know more of than how to compute them.
type Function uint8

// Functions that engines know. Their results for infinities and NaN are documented with the ops of package ops.
const (
	_ Function = iota // any other
	FnAdd
	FnSub
	FnMul
	FnDiv // of floats; integers divide by rules of their own
	FnAbs
	FnExp
	FnCast
	FnSelect // the second operand where the first, a bool, holds, else the third
	FnEqual
	FnNotEqual
	FnLess
	FnLessEqual
	FnGreater
	FnGreaterEqual
	FnIsNaN
	FnIsInf
	FnIsFinite
	FnAnd // of bits
	FnOr
	FnNot
)

// Applies reports whether e is the value of f.
func (e *Expr) Applies(f Function) bool { return e.Op == OpApply && e.Fn.Function == f }
