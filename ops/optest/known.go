package optest

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrKnown may be the error of an engine's Prepare for a graph of this suite: an engine has
// been given the same graph and made the same of it, so that the result is known. The
// suite counts its cells as known, and goes on.
//
// [GraphOf] tells such an engine which graph it is. The suite feeds a graph of one name with
// the same values each time.
var ErrKnown = errors.New("optest: the same has run before")

type graphKey struct{}

// GraphOf names the graph that the suite compiles with ctx; it is empty where the suite has not
// named it, and such a graph must run.
func GraphOf(ctx context.Context) string {
	name, _ := ctx.Value(graphKey{}).(string)
	return name
}

func withGraph(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, graphKey{}, name)
}

// naming is ctx with a name of the graph of cells: their purpose, ops, dtypes and numbers.
func naming(ctx context.Context, what string, all []*cell) context.Context {
	var b strings.Builder
	b.WriteString(what)
	for _, c := range all {
		fmt.Fprintf(&b, "%s %v %d\n", c.op.Name, c.dt, c.number)
	}
	return withGraph(ctx, b.String())
}
