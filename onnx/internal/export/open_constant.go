package export

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// constant is the value that takes the place of a constant: itself, where it is the same in all samples, or the nodes that compute it.
func (o *opener) constant(t [Samples]*model.Tensor) (string, error) {
	key := ""
	for _, x := range t {
		key += "\x00" + x.Name
	}
	if name := o.made[key]; name != "" {
		return name, nil
	}
	name, err := o.computed(t)
	if err == nil {
		o.made[key] = name
	}
	return name, err
}

func (o *opener) computed(t [Samples]*model.Tensor) (string, error) {
	alike := func(a, b *model.Tensor) bool {
		return a.Type == b.Type && slices.Equal(a.Dims, b.Dims) && bytes.Equal(a.Raw, b.Raw)
	}
	if alike(t[0], t[1]) && alike(t[0], t[2]) {
		o.out.Initializers = append(o.out.Initializers, t[0])
		return t[0].Name, nil
	}
	var x [Samples]*tensor.Tensor
	for k := range t {
		var err error
		if x[k], err = t[k].Tensor(nil); err != nil {
			return "refused", err
		}
		if len(t[k].Dims) != len(t[0].Dims) || t[k].Type != t[0].Type {
			return "refused", errors.New("the rank or the type of a constant depends on extents that are open")
		}
	}
	if slices.Equal(t[0].Dims, t[1].Dims) && slices.Equal(t[0].Dims, t[2].Dims) {
		return o.numbers(x)
	}
	for _, way := range []func([Samples]*tensor.Tensor) string{o.repeated, o.progression, o.band} {
		if name := way(x); name != "" {
			return name, nil
		}
	}
	return "refused", fmt.Errorf("a table of %v values for one size, and %v for another, is none that can be computed", x[0].Shape(),
		x[1].Shape())
}

// numbers computes a few numbers.
func (o *opener) numbers(x [Samples]*tensor.Tensor) (string, error) {
	const few = 64
	if x[0].Len() > few {
		return "refused", fmt.Errorf("%d numbers depend on extents that are open", x[0].Len())
	}
	dt := x[0].DType()
	var parts []string
	var fixed []int64
	flush := func() {
		if fixed != nil {
			parts, fixed = append(parts, o.list64(fixed...)), nil
		}
	}
	for i := range x[0].Len() {
		var v [Samples]float64
		var whole [Samples]int64
		integer := true
		for k := range x {
			v[k] = x[k].Float64At(i)
			whole[k] = int64(v[k])
			integer = integer && float64(whole[k]) == v[k] && v[k] < 1<<53
		}
		switch {
		case !integer && x[0].Len() == 1:
			name := o.ratio(v, dt)
			if name == "" {
				return "refused", fmt.Errorf("a number, %g for one size and %g for another, is no multiple or part of an extent", v[0], v[1])
			}
			return o.shaped(name, x[0].Shape()), nil
		case integer && !differ(whole):
			fixed = append(fixed, whole[0])
			continue
		case integer:
			if name := o.expression(whole); name != "" {
				flush()
				parts = append(parts, name)
				continue
			}
		}
		return "refused", fmt.Errorf("a number, %g for one size and %g for another, is none that can be computed of extents", v[0], v[1])
	}
	flush()
	name := parts[0]
	if len(parts) > 1 {
		name = o.add("Concat", parts, anInt("axis", 0))
	}
	return o.shaped(o.cast(name, dt), x[0].Shape()), nil
}

// shaped is a list in a shape without open extents.
func (o *opener) shaped(v string, shape []int) string {
	if len(shape) == 1 {
		return v
	}
	all := make([]int64, len(shape))
	for i, d := range shape {
		all[i] = int64(d)
	}
	return o.add("Reshape", []string{v, o.list64(all...)})
}

func (o *opener) cast(v string, dt tensor.DType) string {
	if dt == tensor.Int64 {
		return v
	}
	return o.add("Cast", []string{v}, anInt("to", int(model.TypeOf(dt))))
}

// list64 is a constant list.
func (o *opener) list64(v ...int64) string {
	return o.initial(fmt.Sprint("list ", v), tensor.Must(tensor.FromSlice(v, len(v))))
}

// initial adds an initialiser, once for each key.
func (o *opener) initial(key string, t *tensor.Tensor) string {
	if name := o.made[key]; name != "" {
		return name
	}
	name := o.fresh("size_const")
	p, err := model.FromTensor(name, t)
	if err != nil {
		o.errs = append(o.errs, err)
	}
	o.out.Initializers = append(o.out.Initializers, p)
	o.made[key] = name
	return name
}

// add is the result of a node that comes before the one that is being written, once for equal nodes.
func (o *opener) add(op string, in []string, attrs ...*model.Attr) string {
	key := op + "\x00" + strings.Join(in, "\x00")
	for _, a := range attrs {
		key += "\x00" + string(model.EncodeAttr(a))
	}
	if name := o.made[key]; name != "" {
		return name
	}
	name := o.fresh("size")
	o.ready = append(o.ready, &model.Node{Op: op, Name: name, Inputs: in, Outputs: []string{name}, Attrs: attrs})
	o.made[key] = name
	return name
}

func (o *opener) fresh(like string) string {
	for i := 0; ; i++ {
		if name := fmt.Sprintf("%s_%d", like, i); !o.taken[name] {
			o.taken[name] = true
			return name
		}
	}
}
