package ops

import (
	"fmt"
	"reflect"

	"github.com/anycl/anycl/internal/schema"
)

// Attributes describe the parameters of a call of an op beside its operands: the exported fields of a struct, with tags.
//
//	type eluAttr struct {
//		Alpha float64 `default:"1" doc:"factor of e^x - 1 where x < 0"`
//	}
//
// The name of an attribute is that of its field in snake case, or that in a tag attr; a field without a tag
// default must be given by every call; an empty default is the zero value, others are written as JSON. Attributes with a text form
// (numbers, bools, strings, dtypes, lists and structs of these) can be given by name, see [Apply]; two calls whose
// attributes are equal are one computation.
type Attributes struct{ of reflect.Type }

// AttributesOf are the fields of T, a struct.
func AttributesOf[T any]() Attributes { return Attributes{reflect.TypeFor[T]()} }

// Attribute is one attribute of an op.
type Attribute struct {
	Name string
	// Type is how the value is written: bool, int, float, string, dtype, []int, {axis int, size int}; opaque for values without a
	// text form.
	Type string
	// Default is the value where a call leaves it out: a bool, int64, uint64, float64, string, list or map of these. It is nil
	// for the zero value of a list, and where Given says that a call must give it.
	Default any
	Given   bool
	Doc     string
}

// All are the attributes in order.
func (a Attributes) All() []Attribute {
	var all []Attribute
	for _, f := range schema.Of(a.of) {
		all = append(all, Attribute{Name: f.Name, Type: f.Type, Default: f.Default, Given: f.Given, Doc: f.Doc})
	}
	return all
}

// Decode makes the attributes of a call from values by name, as they come from JSON or another format. Those left out have
// their defaults. Errors: a name is unknown, a value lacks or has another type.
func (a Attributes) Decode(values map[string]any) (any, error) { return schema.Decode(a.of, values) }

// Encode is the inverse of Decode: attr by name, in types that JSON has. Errors: attr is of another op, or an attribute has no text form.
func (a Attributes) Encode(attr any) (map[string]any, error) {
	if reflect.TypeOf(attr) != a.of {
		return nil, fmt.Errorf("ops: the attributes are a %T, not %s", attr, a)
	}
	return schema.Encode(attr)
}

// String names the type that holds the attributes.
func (a Attributes) String() string {
	if a.of == nil {
		return "nil"
	}
	return "a " + a.of.String()
}

// complete is attr as the op wants it: nil gives the defaults, a map values by name.
func (a Attributes) complete(attr any) (any, error) {
	if m, ok := attr.(map[string]any); ok {
		return a.Decode(m)
	}
	switch t := reflect.TypeOf(attr); {
	case t == a.of:
		return attr, nil
	case t == nil:
		return a.Decode(nil)
	}
	if a.of == nil {
		return nil, fmt.Errorf("the op has no attributes, and a %T was given", attr)
	}
	return nil, fmt.Errorf("the attributes are a %T, not %s", attr, a)
}

// check reports a type that cannot hold attributes.
func (a Attributes) check() (err error) {
	if a.of == nil {
		return nil
	}
	if a.of.Kind() != reflect.Struct {
		return fmt.Errorf("attributes are fields of a struct, not of a %v", a.of)
	}
	defer func() { // a default that its field cannot hold
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	seen := map[string]bool{}
	for _, f := range schema.Of(a.of) {
		if seen[f.Name] {
			return fmt.Errorf("two attributes are called %s", f.Name)
		}
		seen[f.Name] = true
	}
	return nil
}
