package expr

import (
	"fmt"

	"github.com/anycl/anycl/frame/column"
)

// aggregateType returns the type of an aggregate's result.
func aggregateType(op string, args []column.Type) (column.Type, error) {
	if op == "rows" {
		return column.Int64.Of(), nil
	}
	t := args[0]
	number := t.IsNumeric() || t.Kind == column.Bool || t.Kind == column.Decimal128
	refuse := fmt.Errorf("%s has no %s", t, op)
	switch op {
	case "count", "nunique":
		return column.Int64.Of(), nil
	case "sum":
		switch {
		case t.IsFloat():
			return column.Float64.Of(), nil
		case t.IsUnsigned():
			return column.Uint64.Of(), nil
		case t.IsInteger() || t.Kind == column.Bool:
			return column.Int64.Of(), nil
		case t.Kind == column.Duration:
			return t, nil
		case t.Kind == column.Decimal128:
			t.Precision = 38
			return t, nil
		}
		return t, refuse
	case "mean", "var", "std", "quantile":
		if !number {
			return t, refuse
		}
		return column.Float64.Of(), nil
	case "corr":
		if u := args[1]; !number || !u.IsNumeric() && u.Kind != column.Bool && u.Kind != column.Decimal128 {
			return t, fmt.Errorf("%s and %s have no correlation", t, u)
		}
		return column.Float64.Of(), nil
	case "any", "all":
		if t.Kind != column.Bool {
			return t, refuse
		}
		return t, nil
	}
	return t, nil // min, max, first, last, argmin, argmax
}
