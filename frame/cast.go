package frame

import (
	"fmt"

	"github.com/anycl/anycl/frame/column"
)

// Cast converts a column, as [Expr.Cast] does. Errors: types that cannot be converted, a value that the type cannot hold.
func Cast(c *column.Column, t column.Type) (*column.Column, error) {
	if err := castable(c.Type(), t); err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	out, err := castColumn(c, t, true)
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	return out, nil
}
