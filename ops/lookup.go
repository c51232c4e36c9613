package ops

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/ops/internal/perfecthash"
	"github.com/anycl/anycl/tensor"
)

// Lookup returns for each integer of x the value that a table has for it:
//
//	y = values[i] where x = keys[i], other where no key is x
//
// The result is int64 and has x's shape. The table becomes a perfect hash when the
// graph is built, so that a look-up is a few operations and three loads, without a
// branch, on every engine. x is an integer but not uint64. keys and values are
// copied. Errors: dtype; keys and values of different lengths; a key twice.
// Source: Belazzougui, Botelho and Dietzfelbinger, Hash, Displace, and Compress
// (2009); ONNX-ML, operators LabelEncoder and CategoryMapper.
func Lookup(x *Node, keys, values []int64, other int64) *Node {
	if x == nil || x.bad {
		return apply("lookup", nil, x)
	}
	h, err := perfecthash.New(keys, values)
	if err != nil {
		return x.graph.fail("lookup", []*Node{x}, err)
	}
	return apply("lookup", &lookupAttr{hash: h, other: other}, x)
}

// LookupStrings is Lookup of strings. The last axis of x, which is uint8, holds
// the bytes of a string and zeros behind it, as [PackStrings] writes them and
// NumPy's dtype S; the result lacks this axis. A string is found if all its
// bytes agree. Errors: as Lookup; x is not uint8 with at least one axis; a
// key that ends in a zero byte.
func LookupStrings(x *Node, keys []string, values []int64, other int64) *Node {
	if x == nil || x.bad {
		return apply("lookup_strings", nil, x)
	}
	a, err := newStringTable(x, keys, values, other)
	if err != nil {
		return x.graph.fail("lookup_strings", []*Node{x}, err)
	}
	return apply("lookup_strings", a, x)
}

// PackStrings writes strings as LookupStrings reads them: a uint8 tensor
// [len(all), width]. Errors: a string longer than width, or one that ends in a zero byte.
func PackStrings(width int, all ...string) (*tensor.Tensor, error) {
	t, err := tensor.New(tensor.Uint8, len(all), width)
	if err != nil {
		return nil, err
	}
	data, _ := t.Bytes()
	for i, s := range all {
		if len(s) > width {
			return nil, fmt.Errorf("ops: %q is longer than %d bytes", s, width)
		}
		if strings.HasSuffix(s, "\x00") {
			return nil, fmt.Errorf("ops: %q ends in a zero byte", s)
		}
		copy(data[i*width:], s)
	}
	return t, nil
}

// lookupAttr is a table. bytes are the keys of strings, one for each slot, and
// weights turn a string into the number that is hashed.
type lookupAttr struct {
	hash    *perfecthash.Table // nil: no keys
	other   int64
	bytes   []byte
	weights []int64
}

var _ = define(Op{
	Name: "lookup", builtBy: "ops.Lookup", Category: "indexing",
	Attributes: AttributesOf[*lookupAttr](),
	Operands:   operandX, DTypes: slices.DeleteFunc(slices.Clone(ints), func(dt tensor.DType) bool { return dt == tensor.Uint64 }),
	Result: func(c *Call) ([]int, tensor.DType, error) { return c.shape(0), tensor.Int64, nil },
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(*lookupAttr), c.In[0]
		if a.hash == nil {
			return x.graph.fullInt(a.other, x.shape)
		}
		k := Cast(x, tensor.Int64)
		slot := slotOf(a.hash, k)
		found := Equal(gatherInts(slot, a.hash.Keys), k)
		return Where(found, gatherInts(slot, a.hash.Values), x.graph.int(a.other))
	},
})

var _ = define(Op{
	Name: "lookup_strings", builtBy: "ops.LookupStrings", Category: "indexing",
	Attributes: AttributesOf[*lookupAttr](),
	Operands:   operandX, DTypes: []tensor.DType{tensor.Uint8},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s := c.shape(0)
		return s[:len(s)-1], tensor.Int64, nil
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(*lookupAttr), c.In[0]
		g, width := x.graph, x.Dim(-1)
		if a.hash == nil {
			return g.fullInt(a.other, x.shape[:x.Rank()-1])
		}
		digest := Sum(Mul(Cast(x, tensor.Int64), g.Const(tensor.Must(tensor.FromSlice(a.weights, width)))), -1)
		slot := slotOf(a.hash, digest)
		keys := g.Const(tensor.Must(tensor.FromSlice(a.bytes, len(a.hash.Keys), width)))
		found := All(Equal(Gather(keys, 0, slot), x), -1)
		return Where(found, gatherInts(slot, a.hash.Values), g.int(a.other))
	},
})

func newStringTable(x *Node, keys []string, values []int64, other int64) (*lookupAttr, error) {
	switch {
	case x.dtype != tensor.Uint8 || x.Rank() == 0:
		return nil, fmt.Errorf("%v%v is not uint8 with an axis of bytes", x.dtype, x.shape)
	case len(keys) != len(values):
		return nil, fmt.Errorf("%d keys and %d values", len(keys), len(values))
	case isOpen(x.Dim(-1)):
		return nil, errors.New("the axis of bytes has an open extent")
	}
	seen := map[string]bool{}
	for _, k := range keys {
		if seen[k] || strings.HasSuffix(k, "\x00") {
			return nil, fmt.Errorf("the key %q is there twice or ends in a zero byte", k)
		}
		seen[k] = true
	}
	a := &lookupAttr{other: other}
	width := x.Dim(-1)
	var fit []string // longer ones cannot be in x
	var fitting []int64
	for i, k := range keys {
		if len(k) <= width {
			fit, fitting = append(fit, k), append(fitting, values[i])
		}
	}
	for seed := uint64(1); ; seed++ {
		if seed > 100 {
			return nil, errors.New("no weights tell the keys apart")
		}
		a.weights = make([]int64, width)
		for i := range a.weights {
			a.weights[i] = int64(perfecthash.Scramble(seed<<32+uint64(i)) | 1)
		}
		digests := make([]int64, len(fit))
		distinct := map[int64]bool{}
		for i, k := range fit {
			for j := range len(k) {
				digests[i] += int64(k[j]) * a.weights[j]
			}
			distinct[digests[i]] = true
		}
		if len(distinct) < len(fit) {
			continue
		}
		var err error
		if a.hash, err = perfecthash.New(digests, fitting); err != nil || a.hash == nil {
			return a, err
		}
		a.bytes = make([]byte, len(a.hash.Keys)*width)
		byDigest := map[int64]string{}
		for i, k := range fit {
			byDigest[digests[i]] = k
		}
		for slot, digest := range a.hash.Keys {
			copy(a.bytes[slot*width:][:width], byDigest[digest])
		}
		return a, nil
	}
}

// LookupIn returns for each element of x the value that a table has for it, which is fed or computed when the graph runs:
//
//	y = values[i] where x = keys[i], other where no key is x
//
// x is any number, keys [n] are of its dtype, values [n, ...] of any dtype, and other is a number, or a node of the dtype of values that
// broadcasts to the result, which has x's shape and then the axes of values behind the first. Of equal keys the first counts; NaN is
// no key. The keys are sorted at every run, then each element takes a logarithm of steps: for keys that are known when the graph is
// built, [Lookup] is faster. Derivatives go to values and other. Errors: dtypes; keys are no vector; values are not as many.
func LookupIn[V NodeOrNumber](x, keys, values *Node, other V) *Node {
	return apply("lookup_in", nil, x, keys, values, nodesOf("lookup_in", values, other)[0])
}

var _ = define(Op{
	Name: "lookup_in", Category: "indexing", DTypes: numbers,
	Operands: []Operand{{Name: "x"}, {Name: "keys"}, {Name: "values", DTypes: every}, {Name: "other", DTypes: every}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		k, v := c.shape(1), c.shape(2)
		switch {
		case len(k) != 1 || len(v) == 0 || v[0] != k[0]:
			return nil, 0, fmt.Errorf("keys %v of values %v, not [n] of [n ...]", k, v)
		case c.dt(3) != c.dt(2):
			return nil, 0, fmt.Errorf("other is %v, and values are %v (cast with ops.Cast)", c.dt(3), c.dt(2))
		}
		shape := slices.Concat(c.shape(0), v[1:])
		both, err := tensor.Broadcast(shape, c.shape(3))
		if err == nil && !slices.Equal(both, shape) {
			err = fmt.Errorf("other %v does not broadcast to %v", c.shape(3), shape)
		}
		return shape, c.dt(2), err
	},
	Compose: func(c *Call) *Node {
		x, keys, values, other := c.In[0], c.In[1], c.In[2], c.In[3]
		n, rest := keys.Dim(0), values.shape[1:]
		shape := slices.Concat(x.shape, rest)
		if n == 0 {
			return BroadcastTo(other, shape...)
		}
		sorted, order := Sort(keys, 0, nil)
		at := SearchSorted(sorted, x, nil)
		found := And(Equal(Gather(sorted, 0, at), x), Less(at, int64(n))) // behind the last one 0 is read
		y := Gather(values, 0, Gather(order, 0, at))
		return Where(ExpandDims(found, trailing(x.Rank(), len(rest))...), y, other)
	},
})

// slotOf is the slot in which each integer of k is, if it is in any.
func slotOf(h *perfecthash.Table, k *Node) *Node {
	g := k.graph
	x := Mul(Xor(k, g.int(h.Seed)), g.int(perfecthash.Mul1))
	x = Mul(Xor(x, And(ShiftRight(x, g.int(32)), g.int(perfecthash.Low32))), g.int(perfecthash.Mul2))
	bucket := And(ShiftRight(x, g.int(int64(64-h.BucketBits))), g.int(1<<h.BucketBits-1))
	step := Or(ShiftRight(x, g.int(20)), g.int(1))
	return And(Add(x, Mul(gatherInts(bucket, h.Displace), step)), g.int(h.SlotMask))
}

// gatherInts are the elements of a constant list that integers name.
func gatherInts(at *Node, from []int64) *Node {
	return Gather(at.graph.Const(tensor.Must(tensor.FromSlice(from))), 0, at)
}
