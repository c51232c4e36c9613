// Package formula reads the functions by which element-wise ops are computed, in the part of OpenCL C that the project's own library
// of special functions is written in: scalars, constant tables, branches, loops, and pointers to results.
package formula

// Expr is an expression.
type Expr interface{}

type (
	// Number is a literal as it is written.
	Number struct{ Text string }
	// Name is a variable, a parameter or a constant.
	Name struct{ Text string }
	// Unary is -x, +x, !x, ~x, *p or &x.
	Unary struct {
		Op string
		X  Expr
	}
	// Binary is x Op y.
	Binary struct {
		Op   string
		X, Y Expr
	}
	// Choice is If ? Then : Else.
	Choice struct{ If, Then, Else Expr }
	// Cast is (Type)X.
	Cast struct {
		Type string
		X    Expr
	}
	// Call is a call of a function by its name.
	Call struct {
		Function string
		Args     []Expr
	}
	// Index is an element of a table.
	Index struct {
		Table string
		At    Expr
	}
	// Assign is To Op From, whose value is that of To afterwards; Op is =, +=, ..., and ++ and -- are += 1 and -= 1.
	Assign struct {
		Op       string
		To, From Expr
	}
)

// Stmt is a statement.
type Stmt interface{}

type (
	// Block is a list of statements.
	Block struct{ List []Stmt }
	// Declare declares a variable, or a table with its elements.
	Declare struct {
		Type, Name string
		Init       Expr
		Table      []Expr
	}
	// Do evaluates an expression.
	Do struct{ X Expr }
	// If is a branch.
	If struct {
		Cond       Expr
		Then, Else Stmt
	}
	// For is a loop, also a while loop; all but Body may be nil.
	For struct {
		Init Stmt
		Cond Expr
		Post []Expr
		Body Stmt
	}
	// Switch chooses by a whole number; each case ends in break or return.
	Switch struct {
		X     Expr
		Cases []Case
	}
	// Case is a case of a switch; Default has no value.
	Case struct {
		Value Expr
		Body  []Stmt
	}
	// Return ends a function; X may be nil.
	Return struct{ X Expr }
	// Break ends a loop.
	Break struct{}
	// Continue ends an iteration.
	Continue struct{}
)

// Param is a parameter of a function; Pointer says that it stands for a variable of the caller.
type Param struct {
	Type, Name string
	Pointer    bool
}

// Function is a function.
type Function struct {
	Name, Result string
	Params       []Param
	Body         Stmt
}

// Library has the declarations of a text.
type Library struct {
	Functions map[string]*Function
	Tables    map[string]*Declare
}
