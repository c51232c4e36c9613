// Package schema describes the attributes of ops, which are fields of Go structs: their names, types and
// defaults, their values as text, and keys that are equal where the values are.
package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Field is one attribute: an exported field of a struct. Its tags are
//
//	attr:"name"     its name; without, the Go name in snake case; "-" leaves it out
//	default:"1"     its value where a call leaves it out, as JSON or plain text; empty: the zero value
//	doc:"..."       a description, in a sentence
type Field struct {
	Name string
	// Type is how the value is written: bool, int, float, string, dtype, a list of these ([]int, [2]int), the name
	// of an enumeration, {a int, b float} for a struct; opaque for a type without a text form.
	Type    string
	Default any  // see Encode; nil where the field must be given
	Given   bool // whether a call must give it
	Doc     string

	index []int
}

// opaque is the type of fields that cannot be written as text, as tables that are built from other values.
const opaque = "opaque"

var (
	fields        sync.Map // reflect.Type to []Field
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// Of are the attributes that are fields of t, a struct. Other types have none, as nil and values that only a function can make.
func Of(t reflect.Type) []Field {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	if all, ok := fields.Load(t); ok {
		return all.([]Field)
	}
	var all []Field
	for f, name := range attributes(t) {
		field := Field{Name: name, Type: typeName(f.Type), Doc: f.Tag.Get("doc"), index: f.Index}
		text, has := f.Tag.Lookup("default")
		field.Given = !has
		if has {
			v := reflect.New(f.Type).Elem()
			if err := setText(v, text); err != nil {
				panic(fmt.Sprintf("schema: the default of %v.%s: %v", t, f.Name, err)) // found by any test of the op
			}
			if field.Type != opaque {
				field.Default, _ = encode(v)
			}
		}
		all = append(all, field)
	}
	fields.Store(t, all)
	return all
}

// attributes are the fields of a struct that are attributes, and their names.
func attributes(t reflect.Type) iter.Seq2[reflect.StructField, string] {
	return func(yield func(reflect.StructField, string) bool) {
		for _, f := range reflect.VisibleFields(t) {
			name := f.Tag.Get("attr")
			if !f.IsExported() || name == "-" || f.Anonymous && f.Type.Kind() == reflect.Struct {
				continue
			}
			if name == "" {
				name = snake(f.Name)
			}
			if !yield(f, name) {
				return
			}
		}
	}
}

// setText sets v to the value in a tag.
func setText(v reflect.Value, text string) error {
	if text == "" {
		return nil
	}
	var x any = text
	if json.Valid([]byte(text)) {
		switch c := text[0]; {
		case text == "true" || text == "false":
			x = text == "true"
		case c == '-' || c >= '0' && c <= '9': // a decoder takes much more memory, and packages do this when a program starts
			x = json.Number(text)
		default:
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&x); err != nil {
				return err
			}
		}
	}
	return assign(v, x)
}

// typeName is how a value of type t is written.
func typeName(t reflect.Type) string { return nameWithin(t, nil) }

// nameWithin is typeName for a part of the given types: one of them contains itself, and has no text form.
func nameWithin(t reflect.Type, outer []reflect.Type) string {
	if slices.Contains(outer, t) {
		return opaque
	}
	outer = append(outer, t)
	typeName := func(t reflect.Type) string { return nameWithin(t, outer) }
	if t.Implements(textMarshaler) {
		return strings.ToLower(t.Name())
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String:
		return t.Kind().String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64:
		return "int"
	case reflect.Float32, reflect.Float64:
		return "float"
	case reflect.Slice, reflect.Array:
		of := typeName(t.Elem())
		switch {
		case of == opaque:
			return of
		case t.Kind() == reflect.Array:
			return fmt.Sprintf("[%d]%s", t.Len(), of)
		}
		return "[]" + of
	case reflect.Pointer:
		if of := typeName(t.Elem()); of != opaque && t.Elem().Kind() != reflect.Struct {
			return of
		}
	case reflect.Struct:
		var parts []string
		for f, name := range attributes(t) {
			of := typeName(f.Type)
			if of == opaque {
				return opaque
			}
			parts = append(parts, name+" "+of)
		}
		if len(parts) > 0 {
			return "{" + strings.Join(parts, ", ") + "}"
		}
	}
	return opaque
}

// snake is a Go name in snake case: PerClass is per_class, and IoU io_u, which a tag mends.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) {
			if i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
