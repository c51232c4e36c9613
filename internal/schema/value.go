package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Decode makes a value of type t from attributes by name, as JSON or an importer gives them. Those that are left out have
// their defaults. Errors: an attribute is unknown, lacks, or has another type.
func Decode(t reflect.Type, values map[string]any) (any, error) {
	if t == nil {
		if len(values) > 0 {
			return nil, fmt.Errorf("there are no attributes, and %d were given", len(values))
		}
		return nil, nil
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("a %v cannot be made of attributes by name", t)
	}
	v := reflect.New(t).Elem()
	if err := decode(v, values); err != nil {
		return nil, err
	}
	return v.Interface(), nil
}

// decode fills v, a struct.
func decode(v reflect.Value, values map[string]any) error {
	all := Of(v.Type())
	for name := range values {
		if !slices.ContainsFunc(all, func(f Field) bool { return f.Name == name }) {
			var names []string
			for _, f := range all {
				names = append(names, f.Name)
			}
			return fmt.Errorf("there is no attribute %q: they are %s", name, strings.Join(names, ", "))
		}
	}
	for _, f := range all {
		x, ok := values[f.Name]
		switch {
		case !ok && f.Given:
			return fmt.Errorf("the attribute %s (%s) must be given", f.Name, f.Type)
		case x == nil:
			if x = f.Default; x == nil {
				continue
			}
		}
		if err := assign(v.FieldByIndex(f.index), x); err != nil {
			return fmt.Errorf("attribute %s: %w", f.Name, err)
		}
	}
	return nil
}

// Encode gives the attributes of x by name, as numbers, strings, bools and lists of these. Floats that JSON has no number
// for are strings. Errors: an attribute has no text form.
func Encode(x any) (map[string]any, error) {
	all := map[string]any{}
	if x == nil {
		return all, nil
	}
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Struct {
		return nil, fmt.Errorf("a %T has no text form", x)
	}
	for _, f := range Of(v.Type()) {
		if f.Type == opaque {
			return nil, fmt.Errorf("attribute %s has no text form", f.Name)
		}
		e, err := encode(v.FieldByIndex(f.index))
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", f.Name, err)
		}
		all[f.Name] = e
	}
	return all, nil
}

// encode is v as bool, int64, uint64, float64, string, a list of these or a map; nil for a pointer that is nil.
func encode(v reflect.Value) (any, error) {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		return string(text), err
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Uint(), nil
	case reflect.Float32, reflect.Float64:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 && math.Signbit(f) {
			return strconv.FormatFloat(f, 'g', -1, 64), nil
		}
		return f, nil
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return nil, nil
		}
		list := make([]any, v.Len())
		for i := range list {
			var err error
			if list[i], err = encode(v.Index(i)); err != nil {
				return nil, err
			}
		}
		return list, nil
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return encode(v.Elem())
	case reflect.Struct:
		return Encode(v.Interface())
	}
	return nil, fmt.Errorf("a %v has no text form", v.Type())
}

// assign sets v to x where that loses nothing.
func assign(v reflect.Value, x any) error {
	wrong := func() error { return fmt.Errorf("%v is not %s, or does not fit", x, typeName(v.Type())) }
	from := reflect.ValueOf(x)
	if m, is := v.Addr().Interface().(encoding.TextUnmarshaler); is {
		if s, ok := x.(string); ok {
			return m.UnmarshalText([]byte(s))
		}
		if !from.IsValid() || from.Type() != v.Type() {
			return wrong()
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		if from.Kind() != reflect.Bool {
			return wrong()
		}
		v.SetBool(from.Bool())
	case reflect.String:
		if from.Kind() != reflect.String {
			return wrong()
		}
		v.SetString(from.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, ok := integer(from)
		if !ok || v.OverflowInt(n) {
			return wrong()
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, ok := natural(from)
		if !ok || v.OverflowUint(n) {
			return wrong()
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		f, ok := number(from)
		if !ok || v.OverflowFloat(f) {
			return wrong()
		}
		v.SetFloat(f)
	case reflect.Slice, reflect.Array:
		if from.Kind() != reflect.Slice && from.Kind() != reflect.Array || v.Kind() == reflect.Array && from.Len() != v.Len() {
			return wrong()
		}
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), from.Len(), from.Len()))
		}
		for i := range from.Len() {
			if err := assign(v.Index(i), from.Index(i).Interface()); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		if from.IsValid() && from.Type() == v.Type() {
			v.Set(from)
			return nil
		}
		p := reflect.New(v.Type().Elem())
		if err := assign(p.Elem(), x); err != nil {
			return err
		}
		v.Set(p)
	default:
		if m, ok := x.(map[string]any); ok && v.Kind() == reflect.Struct {
			return decode(v, m)
		}
		if !from.IsValid() || !from.Type().AssignableTo(v.Type()) {
			return wrong()
		}
		v.Set(from)
	}
	return nil
}

// integer is v as an int64, if it is a whole number that fits.
func integer(v reflect.Value) (int64, bool) {
	switch {
	case !v.IsValid():
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(v.Uint()), v.Uint() <= math.MaxInt64
	case v.CanFloat():
		f := v.Float()
		return int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<63
	case v.Type() == reflect.TypeFor[json.Number]():
		n, err := strconv.ParseInt(v.String(), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// natural is v as a uint64, if it is a whole number that fits.
func natural(v reflect.Value) (uint64, bool) {
	if v.IsValid() && v.CanUint() {
		return v.Uint(), true
	}
	if v.IsValid() && v.Type() == reflect.TypeFor[json.Number]() {
		n, err := strconv.ParseUint(v.String(), 10, 64)
		return n, err == nil
	}
	n, ok := integer(v)
	return uint64(n), ok && n >= 0
}

// number is v as a float64: a number, or a string that names one.
func number(v reflect.Value) (float64, bool) {
	switch {
	case !v.IsValid():
	case v.CanFloat():
		return v.Float(), true
	case v.CanInt():
		f := float64(v.Int())
		return f, f < 1<<63 && int64(f) == v.Int()
	case v.CanUint():
		f := float64(v.Uint())
		return f, f < 1<<64 && uint64(f) == v.Uint()
	case v.Kind() == reflect.String:
		f, err := strconv.ParseFloat(v.String(), 64)
		return f, err == nil
	}
	return 0, false
}
