package opinfo

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/anycl/anycl/tensor"
)

// Case is one call of a PyTorch op, with PyTorch's result.
type Case struct {
	Op, Variant, Name string
	// NonUnique marks ops whose result mathematics leaves open in part, as the signs of singular vectors.
	NonUnique bool
	Args      []any      // input and the arguments given by position
	Named     []argument // the arguments given by name, in order

	Outputs []*tensor.Tensor
	// Diff are the outputs that have a derivative, Cotangents the factors of their elements in the sum whose
	// derivatives Grads are, one for each argument that has any; nil where PyTorch gave none. HasGrads says whether there are any.
	Diff       []int
	Cotangents []*tensor.Tensor
	Grads      []*tensor.Tensor
	HasGrads   bool
}

type argument struct {
	name  string
	value any
}

// Torch is the name of the op with its variant.
func (c *Case) Torch() string {
	if c.Variant == "" {
		return c.Op
	}
	return c.Op + "." + c.Variant
}

// Values of arguments: *leaf, []any, int64, float64, bool, string, tensor.DType, nil.
type leaf struct{ t *tensor.Tensor }

// unknown is a value of a kind that this package does not know, such as a complex number.
type unknown string

// rawCase is a case as the file has it.
type rawCase struct {
	Op        string            `json:"op"`
	Variant   string            `json:"variant"`
	Case      string            `json:"case"`
	NonUnique bool              `json:"non_unique"`
	Input     json.RawMessage   `json:"input"`
	Args      []json.RawMessage `json:"args"`
	Kwargs    json.RawMessage   `json:"kwargs"`
	Outputs   []*rawTensor      `json:"outputs"`
	Diff      []int             `json:"diff_outputs"`
	Cotangent []*rawTensor      `json:"cotangents"`
	Grads     []*rawTensor      `json:"grads"`
}

type rawTensor struct {
	Shape []int  `json:"shape"`
	DType string `json:"dtype"`
	Bin   string `json:"bin"`
}

// Read reads the cases of a folder, or of a .tar.gz of one: cases.json beside the elements of tensors, as
// little-endian files under bin that are named after their content.
func Read(name string) ([]*Case, error) {
	files, err := open(name)
	if err != nil {
		return nil, err
	}
	text, err := files("cases.json")
	if err != nil {
		return nil, err
	}
	var raw []*rawCase
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("%s: cases.json: %w", name, err)
	}
	r := &reader{files: files}
	all := make([]*Case, len(raw))
	for i, rc := range raw {
		if all[i], err = r.read(rc); err != nil {
			return nil, fmt.Errorf("%s: case %s: %w", name, rc.Case, err)
		}
	}
	return all, nil
}

// open gives the function that reads a file of the folder or archive.
func open(name string) (func(file string) ([]byte, error), error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return func(file string) ([]byte, error) { return os.ReadFile(filepath.Join(name, filepath.FromSlash(file))) }, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	held := map[string][]byte{}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if held[path.Clean(h.Name)], err = io.ReadAll(t); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return func(file string) ([]byte, error) {
		data, ok := held[file]
		if !ok {
			return nil, fmt.Errorf("%s: there is no %s in it", name, file)
		}
		return data, nil
	}, nil
}

type reader struct {
	files func(string) ([]byte, error)
}

func (r *reader) read(rc *rawCase) (*Case, error) {
	c := &Case{Op: rc.Op, Variant: rc.Variant, Name: rc.Case, NonUnique: rc.NonUnique, Diff: rc.Diff, HasGrads: rc.Grads != nil}
	for _, raw := range append([]json.RawMessage{rc.Input}, rc.Args...) {
		v, err := r.value(raw)
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, v)
	}
	d := json.NewDecoder(bytes.NewReader(rc.Kwargs)) // by token: their order is that of the derivatives
	for _, err := d.Token(); d.More(); {
		var raw json.RawMessage
		name, nameErr := d.Token()
		if err := errors.Join(err, nameErr, d.Decode(&raw)); err != nil {
			return nil, err
		}
		v, err := r.value(raw)
		if err != nil {
			return nil, err
		}
		c.Named = append(c.Named, argument{fmt.Sprint(name), v})
	}
	for _, list := range []struct {
		from []*rawTensor
		to   *[]*tensor.Tensor
	}{{rc.Outputs, &c.Outputs}, {rc.Cotangent, &c.Cotangents}, {rc.Grads, &c.Grads}} {
		for _, rt := range list.from {
			t, err := r.tensor(rt)
			if err != nil {
				return nil, err
			}
			*list.to = append(*list.to, t)
		}
	}
	return c, nil
}

func (r *reader) tensor(rt *rawTensor) (*tensor.Tensor, error) {
	if rt == nil {
		return nil, nil
	}
	dt, err := tensor.ParseDType(rt.DType)
	if err != nil {
		return nil, nil // complex numbers, which the case is refused for
	}
	data, err := r.files("bin/" + rt.Bin)
	if err != nil {
		return nil, err
	}
	held := tensor.AlignedBytes(len(data))
	copy(held, data)
	return tensor.FromBytes(dt, held, rt.Shape...)
}

func (r *reader) value(raw json.RawMessage) (any, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, nil
	}
	switch raw[0] {
	case '{':
		return r.object(raw)
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
		all := make([]any, len(list))
		for i, e := range list {
			v, err := r.value(e)
			if err != nil {
				return nil, err
			}
			all[i] = v
		}
		return all, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if n, ok := v.(json.Number); ok {
		if !strings.ContainsAny(n.String(), ".eE") {
			return n.Int64()
		}
		return n.Float64()
	}
	return v, nil
}

// object is a value that JSON has no form for: a tensor, a dtype, an infinity.
func (r *reader) object(raw json.RawMessage) (any, error) {
	var o struct {
		Tensor *rawTensor `json:"tensor"`
		DType  *string    `json:"dtype"`
		Float  *string    `json:"float"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	switch {
	case o.Tensor != nil:
		t, err := r.tensor(o.Tensor)
		if err != nil {
			return nil, err
		}
		if t == nil {
			return unknown("a tensor of " + o.Tensor.DType), nil
		}
		return &leaf{t}, nil
	case o.DType != nil:
		dt, err := tensor.ParseDType(*o.DType)
		if err != nil {
			return unknown("the dtype " + *o.DType), nil
		}
		return dt, nil
	case o.Float != nil:
		switch *o.Float {
		case "inf":
			return math.Inf(1), nil
		case "-inf":
			return math.Inf(-1), nil
		case "nan":
			return math.NaN(), nil
		}
	}
	return unknown(string(raw)), nil
}
