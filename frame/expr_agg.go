package frame

import (
	"github.com/anycl/anycl/frame/internal/expr"
)

// Aggregates have one result for a group, or the rows of a window. Nulls are left out; where nothing is left the result is null, and 0 for
// counts.

func aggregate(op string, e any, at expr.Callers) Expr {
	return Expr{&expr.Node{Op: op, At: at, Args: []*expr.Node{columnOperand(e, at)}}}
}

// Sum is the sum: of integers and bools an int64 (uint64 of those without sign), which ends the query with an error where it
// overflows; of floats a float64; of durations and decimals of their type. It takes a column's name or an Expr, as the other aggregates do.
func Sum(e any) Expr { return aggregate("sum", e, expr.Here()) }

// Mean is the arithmetic mean, a float64.
func Mean(e any) Expr { return aggregate("mean", e, expr.Here()) }

// Min is the least value. NaN is above every number.
func Min(e any) Expr { return aggregate("min", e, expr.Here()) }

// Max is the greatest value.
func Max(e any) Expr { return aggregate("max", e, expr.Here()) }

// Count is how many values are not null.
func Count(e any) Expr { return aggregate("count", e, expr.Here()) }

// Rows is how many rows there are.
func Rows() Expr { return Expr{&expr.Node{Op: "rows", At: expr.Here()}} }

// NUnique is how many different values there are that are not null.
func NUnique(e any) Expr { return aggregate("nunique", e, expr.Here()) }

// Var is the variance of a sample: squared distances from the mean, summed and divided by n - 1; null for fewer than 2 values.
func Var(e any) Expr { return aggregate("var", e, expr.Here()) }

// Std is the square root of [Var].
func Std(e any) Expr { return aggregate("std", e, expr.Here()) }

// Median is [Quantile] 0.5.
func Median(e any) Expr {
	x := aggregate("quantile", e, expr.Here())
	x.n.Value = 0.5
	return x
}

// Quantile is the value below which a share q of the values is, from 0 to 1, interpolated linearly between neighbours; a float64.
func Quantile(e any, q float64) Expr {
	x := aggregate("quantile", e, expr.Here())
	x.n.Value = q
	return x
}

// First is the value of the first row, also if it is null.
func First(e any) Expr { return aggregate("first", e, expr.Here()) }

// Last is the value of the last row, also if it is null.
func Last(e any) Expr { return aggregate("last", e, expr.Here()) }

// Any is whether one value is true.
func Any(e any) Expr { return aggregate("any", e, expr.Here()) }

// All is whether no value is false.
func All(e any) Expr { return aggregate("all", e, expr.Here()) }

// Corr is Pearson's correlation of the rows where both are not null: null for fewer than 2 of them, NaN where one does not vary.
func Corr(x, y any) Expr {
	at := expr.Here()
	return Expr{&expr.Node{Op: "corr", At: at, Args: []*expr.Node{columnOperand(x, at), columnOperand(y, at)}}}
}

// ArgMin is the value of e in the row where by is least, of several in the first: of the table, or in the order of a window that has one.
func ArgMin(e, by any) Expr {
	at := expr.Here()
	return Expr{&expr.Node{Op: "argmin", At: at, Args: []*expr.Node{columnOperand(e, at), columnOperand(by, at)}}}
}

// ArgMax is the value of e in the row where by is greatest, of several in the first: of the table, or in the order of a window that has
// one.
func ArgMax(e, by any) Expr {
	at := expr.Here()
	return Expr{&expr.Node{Op: "argmax", At: at, Args: []*expr.Node{columnOperand(e, at), columnOperand(by, at)}}}
}

// Functions of windows. They are for [Query.Window] only.

// RowNumber numbers the rows of a partition from 1, in its order.
func RowNumber() Expr { return Expr{&expr.Node{Op: "rownumber", At: expr.Here()}} }

// Ties says which rank rows have that are equal in a window's order.
type Ties string

// How rows share ranks: of 10, 20, 20, 30.
const (
	RankMin     Ties = "min"     // 1, 2, 2, 4
	RankMax     Ties = "max"     // 1, 3, 3, 4
	RankDense   Ties = "dense"   // 1, 2, 2, 3
	RankAverage Ties = "average" // 1, 2.5, 2.5, 4
	RankOrdinal Ties = "ordinal" // 1, 2, 3, 4
)

// Rank is the rank of a row in its partition by the window's order.
func Rank(ties Ties) Expr { return Expr{&expr.Node{Op: "rank", Value: string(ties), At: expr.Here()}} }

// Lag is the value n rows before, null where there is none.
func Lag(e any, n int) Expr {
	x := aggregate("lag", e, expr.Here())
	x.n.Value = n
	return x
}

// Lead is the value n rows after, null where there is none.
func Lead(e any, n int) Expr {
	x := aggregate("lag", e, expr.Here())
	x.n.Value = -n
	return x
}

// CumSum is the sum of the values up to a row. It is null where nothing but nulls came so far.
func CumSum(e any) Expr { return aggregate("cumsum", e, expr.Here()) }

// CumCount is how many values up to a row are not null.
func CumCount(e any) Expr { return aggregate("cumcount", e, expr.Here()) }

// CumMin is the least value up to a row.
func CumMin(e any) Expr { return aggregate("cummin", e, expr.Here()) }

// CumMax is the greatest value up to a row.
func CumMax(e any) Expr { return aggregate("cummax", e, expr.Here()) }

// RollingSum is the sum of a row and the rows before it, n together, fewer at the beginning of a partition; a float64.
func RollingSum(e any, n int) Expr { return rolling("rollsum", e, n, expr.Here()) }

// RollingMean is the mean of a row and the rows before it, n together.
func RollingMean(e any, n int) Expr { return rolling("rollmean", e, n, expr.Here()) }

// RollingMin is the least value of a row and the rows before it, n together.
func RollingMin(e any, n int) Expr { return rolling("rollmin", e, n, expr.Here()) }

// RollingMax is the greatest value of a row and the rows before it, n together.
func RollingMax(e any, n int) Expr { return rolling("rollmax", e, n, expr.Here()) }

// rolling is a function of the last n rows.
func rolling(name string, e any, n int, at expr.Callers) Expr {
	x := aggregate(name, e, at)
	x.n.Value = n
	return x
}
