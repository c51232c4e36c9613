package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/anycl/anycl/tensor"
)

// inferRequest is the JSON of a request for inference.
type inferRequest struct {
	ID         string          `json:"id"`
	Parameters parameters      `json:"parameters"`
	Inputs     []requestTensor `json:"inputs"`
	Outputs    []requestOutput `json:"outputs"`
}

type requestTensor struct {
	Name       string          `json:"name"`
	Shape      []int           `json:"shape"`
	Datatype   string          `json:"datatype"`
	Parameters parameters      `json:"parameters"`
	Data       json.RawMessage `json:"data"`
}

type requestOutput struct {
	Name       string     `json:"name"`
	Parameters parameters `json:"parameters"`
}

// parameters are those that change the answer; others are passed over, as the protocol has it.
type parameters struct {
	BinaryDataSize   *int64 `json:"binary_data_size"`
	BinaryData       *bool  `json:"binary_data"`
	BinaryDataOutput bool   `json:"binary_data_output"`
	Timeout          int64  `json:"timeout"` // microseconds

	Classification any `json:"classification"`
	SequenceID     any `json:"sequence_id"`
	SharedMemory   any `json:"shared_memory_region"`
}

// unsupported names a parameter that asks for a feature that does not exist here.
func (p *parameters) unsupported() error {
	for _, x := range []struct {
		name  string
		value any
	}{{"classification", p.Classification}, {"sequence_id", p.SequenceID}, {"shared_memory_region", p.SharedMemory}} {
		if x.value != nil {
			return fmt.Errorf("the parameter %q is not supported", x.name)
		}
	}
	return nil
}

// decodeRequest decodes a body, whose first bytes are JSON and the rest tensors.
func decodeRequest(head, rest []byte) (*inferRequest, map[string]*tensor.Tensor, error) {
	head, data := cutData(head)
	return decodeCut(head, data, rest)
}

// decodeCut is decodeRequest for the results of cutData.
func decodeCut(head []byte, data [][]byte, rest []byte) (*inferRequest, map[string]*tensor.Tensor, error) {
	var q inferRequest
	if err := json.Unmarshal(head, &q); err != nil {
		return nil, nil, fmt.Errorf("the JSON of the request: %w", err)
	}
	errs := []error{q.Parameters.unsupported()}
	for i := range q.Outputs {
		errs = append(errs, q.Outputs[i].Parameters.unsupported())
	}
	in := map[string]*tensor.Tensor{}
	for i := range q.Inputs {
		x := &q.Inputs[i]
		if in[x.Name] != nil {
			return nil, nil, fmt.Errorf("the input %q is there twice", x.Name)
		}
		if data != nil && x.Data != nil {
			k, err := strconv.Atoi(string(x.Data)) // as cutData wrote it
			if err != nil || k >= len(data) {
				return nil, nil, fmt.Errorf("the input %q: the data are no array", x.Name)
			}
			x.Data = data[k]
		}
		var raw []byte
		if n := x.Parameters.BinaryDataSize; n != nil {
			if *n < 0 || *n > int64(len(rest)) {
				return nil, nil, fmt.Errorf("the input %q has %d bytes, and the body has %d left", x.Name, *n, len(rest))
			}
			raw, rest = rest[:*n], rest[*n:]
		}
		t, err := x.tensor(raw)
		if err != nil {
			return nil, nil, fmt.Errorf("the input %q: %w", x.Name, err)
		}
		in[x.Name] = t
		errs = append(errs, x.Parameters.unsupported())
	}
	if len(rest) > 0 {
		errs = append(errs, fmt.Errorf("the body has %d bytes that belong to no input", len(rest)))
	}
	return &q, in, errors.Join(errs...)
}

// tensor is the tensor of an input, of its bytes where it has any.
func (x *requestTensor) tensor(raw []byte) (*tensor.Tensor, error) {
	dt := dtypeOf(x.Datatype)
	if !dt.Valid() {
		return nil, fmt.Errorf("the datatype %q is not supported", x.Datatype)
	}
	if x.Shape == nil {
		return nil, errors.New("there is no shape")
	}
	n, err := tensor.NumElems(x.Shape)
	if err != nil {
		return nil, err
	}
	if x.Parameters.BinaryDataSize == nil {
		// A number takes two bytes at least, so that the shape is proven before there is memory for it.
		if n > len(x.Data) {
			return nil, fmt.Errorf("the shape %v has %d elements, and there are fewer data", x.Shape, n)
		}
		t, err := tensor.New(dt, x.Shape...)
		if err != nil {
			return nil, err
		}
		return t, parseData(t, x.Data)
	}
	if x.Data != nil {
		return nil, errors.New("there are data both in JSON and as bytes")
	}
	if n > len(raw) || n*dt.Size() != len(raw) {
		return nil, fmt.Errorf("the shape %v has %d elements of %s with %d bytes each, not %d bytes", x.Shape, n, x.Datatype, dt.Size(), len(raw))
	}
	if dt == tensor.Bool {
		for _, b := range raw {
			if b > 1 {
				return nil, fmt.Errorf("a BOOL is the byte %d, not 0 or 1", b)
			}
		}
	}
	data := tensor.AlignedBytes(len(raw))
	copy(data, raw)
	return tensor.FromBytes(dt, data, x.Shape...)
}

// timeout is the time that the request asks for, at most limit.
func (q *inferRequest) timeout(limit time.Duration) time.Duration {
	if t := q.Parameters.Timeout; t > 0 && t < limit.Microseconds() {
		return time.Duration(t) * time.Microsecond
	}
	return limit
}

// outputs are those that are asked for: all, or some by name. binary are those to be sent as bytes.
func (q *inferRequest) outputs(v *version) (names []string, binary map[string]bool, err error) {
	known := map[string]bool{}
	for _, out := range v.outputs {
		known[out.Name] = true
	}
	binary = map[string]bool{}
	if len(q.Outputs) == 0 {
		for _, out := range v.outputs {
			names, binary[out.Name] = append(names, out.Name), q.Parameters.BinaryDataOutput
		}
		return names, binary, nil
	}
	for _, out := range q.Outputs {
		if !known[out.Name] {
			return nil, nil, fmt.Errorf("the model has no output %q, or it is there twice", out.Name)
		}
		known[out.Name] = false
		b := q.Parameters.BinaryDataOutput
		if out.Parameters.BinaryData != nil {
			b = *out.Parameters.BinaryData
		}
		names, binary[out.Name] = append(names, out.Name), b
	}
	return names, binary, nil
}
