package frame

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Inputs are the columns of frames as inputs of a graph, in which expressions over them are nodes: the preparation of columns
// for a model is computed where the model is, in the same kernels, and never comes back to the host between the two.
//
//	g := ops.NewGraph("score")
//	in := frame.NewInputs(g, f.Schema())
//	x, err := in.Tensor(tensor.Float32, frame.Col("age").FillNull(40).Div(100), frame.Col("fare").Add(1).Log())
//	...
//	p := ops.Sigmoid(model(x))
//	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{p}})
//	for batch := range f.Batches(4096) {
//		feeds, err := in.Feeds(exe, batch)
//		out, err := exe.Run(ctx, feeds)
//		...
//	}
//
// The number of rows is open, so that batches of any size run.
type Inputs struct {
	l      *expr.Lowering
	schema []table.Field
	read   map[int]*columnInput
	tables []dictionaryInput
}

// columnInput is a column that an expression reads.
type columnInput struct{ x, ok *ops.Node }

// dictionaryInput is an expression of a dictionary column, which has a value for each string.
type dictionaryInput struct {
	e     expr.Bound
	x, ok *ops.Node
}

// NewInputs returns inputs of a graph for columns, of which those become inputs that expressions read.
func NewInputs(g *ops.Graph, schema []Field) *Inputs {
	pool := par.Pool{Context: context.Background(), Workers: runtime.GOMAXPROCS(0)}
	in := &Inputs{l: &expr.Lowering{Graph: lower.New(pool, "")}, schema: schemaOf(schema), read: map[int]*columnInput{}}
	in.l.Ops, in.l.Inline, in.l.Column, in.l.Entries = g, true, in.column, in.entries
	return in
}

// Rows is the extent of the rows.
func (in *Inputs) Rows() int { return in.l.Rows }

func (in *Inputs) column(i int) (lower.Value, error) {
	f := in.schema[i]
	dt, ok := f.Type.DType()
	if !ok {
		return lower.Value{}, fmt.Errorf("column %q: %s is no dtype of a tensor; cast it to a dictionary before", f.Name, f.Type)
	}
	c := in.read[i]
	if c == nil {
		c = &columnInput{x: in.l.Ops.Input(f.Name, dt, in.l.Rows), ok: in.l.Ops.Input(f.Name+" is not null", tensor.Bool, in.l.Rows)}
		in.read[i] = c
	}
	return lower.Value{Type: f.Type, X: c.x, OK: c.ok, Number: !dt.IsFloat()}, nil
}

// entries makes an input of the value of an expression for each string: dictionaries differ from frame to frame.
func (in *Inputs) entries(e expr.Bound) (lower.Value, bool, error) {
	if len(e.Uses) != 1 || in.schema[e.Uses[0]].Type.Kind != column.Dictionary || e.Column >= 0 || e.Constant {
		return lower.Value{}, false, nil
	}
	dt, ok := e.Type.DType()
	if !ok || e.Type.IsString() {
		return lower.Value{}, true, fmt.Errorf("%s is no dtype of a tensor", e.Type)
	}
	code, err := in.column(e.Uses[0])
	if err != nil {
		return lower.Value{}, true, err
	}
	// The last entry is that of null.
	d := dictionaryInput{e: e}
	n := ops.Dim(fmt.Sprintf("entries%d", len(in.tables)))
	d.x = in.l.Ops.Input(fmt.Sprintf("entries%d", len(in.tables)), dt, n)
	d.ok = in.l.Ops.Input(fmt.Sprintf("entries%d are not null", len(in.tables)), tensor.Bool, n)
	in.tables = append(in.tables, d)
	at := ops.Where(code.OK, code.X, ops.Cast(ops.Sub(ops.Size(d.x), 1), tensor.Int32))
	return lower.Value{Type: e.Type, X: ops.Gather(d.x, 0, at), OK: ops.Gather(d.ok, 0, at), Number: !dt.IsFloat()}, true, nil
}

// Column returns an expression as nodes with an element for each row, and which of them are not null: nil where none can be. Strings are
// computed as dictionary columns: the value of an expression for each of their strings. Errors: mistakes in the expression; it has no form
// as ops, or its values none as a dtype; an aggregate.
func (in *Inputs) Column(e any) (x, valid *ops.Node, err error) {
	v, err := in.value(columnOperand(e, expr.Here()))
	if err != nil {
		return nil, nil, fmt.Errorf("frame: %w", err)
	}
	return in.l.Spread(v.X), in.l.Spread(v.OK), nil
}

func (in *Inputs) value(n *expr.Node) (lower.Value, error) {
	e, err := (&expr.Binder{Schema: in.schema}).Bind(n)
	if err != nil {
		return lower.Value{}, err
	}
	v, err := in.l.Of(e)
	if err == nil && in.l.Broken != nil {
		in.l.Broken = nil
		err = errors.New("a cast that may fail cannot end a run: use TryCast")
	}
	if err != nil {
		return v, expr.Wrong(n.Op, n.At, err)
	}
	return v, nil
}

// Tensor returns a matrix of a dtype: a row for each of the frame, a column for each expression; names stand for columns. Null is NaN, and
// 0 of dtypes that have none: fill or drop it before. Errors: as Column; no expression.
func (in *Inputs) Tensor(dt tensor.DType, exprs ...any) (*ops.Node, error) {
	at := expr.Here()
	var cols []*ops.Node
	for _, e := range exprs {
		v, err := in.value(columnOperand(e, at))
		if err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
		x := ops.Cast(v.X, dt)
		if v.OK != nil {
			none := ops.ZerosLike(x)
			if dt.IsFloat() {
				none = lower.Nan(in.l.Ops, dt)
			}
			x = ops.Where(v.OK, x, none)
		}
		cols = append(cols, in.l.Spread(x))
	}
	if len(cols) == 0 {
		return nil, errors.New("frame: a tensor of no columns")
	}
	return ops.Stack(1, cols...), in.l.Ops.Err()
}

// Feeds returns the feeds of an executable's run for a frame. Errors: a column that is missing or of another type than the schema has.
func (in *Inputs) Feeds(exe *ops.Executable, f *Frame) (ops.Feeds, error) {
	feeds := ops.Feeds{}
	for i, c := range in.read {
		name := in.schema[i].Name
		col := f.Column(name)
		if col == nil {
			return nil, fmt.Errorf("frame: %w", (&expr.Binder{Schema: f.t.Schema()}).Missing(name))
		}
		if col.Type() != in.schema[i].Type {
			return nil, fmt.Errorf("frame: column %q is %s, the schema has %s", name, col.Type(), in.schema[i].Type)
		}
		if err := in.feed(feeds, col, c.x, c.ok); err != nil {
			return nil, fmt.Errorf("frame: column %q: %w", name, err)
		}
	}
	for _, d := range in.tables {
		r, err := in.l.Each(d.e, f.Column(in.schema[d.e.Uses[0]].Name))
		if err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
		if err := in.feed(feeds, r, d.x, d.ok); err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
	}
	read := exe.Inputs()
	maps.DeleteFunc(feeds, func(n *ops.Node, _ *tensor.Tensor) bool { return !slices.Contains(read, n) })
	return feeds, nil
}

func (in *Inputs) feed(feeds ops.Feeds, c *column.Column, x, ok *ops.Node) error {
	data := c.Data()
	var err error
	if c.Type().Kind == column.Bool {
		if data, err = lower.Bytes(in.l.Pool, c.Bits()); err != nil {
			return err
		}
	}
	if feeds[x], err = tensor.FromBytes(x.DType(), data, c.Len()); err != nil {
		return err
	}
	valid := c.Validity()
	if valid.IsNone() {
		valid = column.NewBitmap(c.Len())
		valid.Fill()
	}
	if data, err = lower.Bytes(in.l.Pool, valid); err != nil {
		return err
	}
	feeds[ok], err = tensor.FromBytes(tensor.Bool, data, c.Len())
	return err
}

// WithTensor returns the frame with a model's output for its rows as further columns: a vector as one, a matrix as one for each name.
// Errors: another number of rows or names; a dtype that no column has.
func (f *Frame) WithTensor(t *tensor.Tensor, names ...string) (*Frame, error) {
	if t == nil {
		return nil, errors.New("frame: the tensor is nil")
	}
	if t.Rank() == 1 {
		var err error
		if t, err = t.Reshape(t.Len(), 1); err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
	}
	if shape := t.Shape(); len(shape) != 2 || shape[0] != f.t.Rows || shape[1] != len(names) {
		return nil, fmt.Errorf("frame: a tensor of shape %s are no %d columns of %d rows", tensor.ShapeString(shape), len(names), f.t.Rows)
	}
	for i, name := range names {
		part, err := t.Index(1, i)
		if err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
		c, err := column.FromTensor(part)
		if err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
		if f, err = f.WithColumn(name, c); err != nil {
			return nil, err
		}
	}
	return f, nil
}
