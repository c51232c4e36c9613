package nn

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// build declares the parameters and children of the module m.
func (s *Scope) build(m any) {
	if m == nil {
		return
	}
	v := reflect.ValueOf(m)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if _, again := s.model.paths[m]; again {
			return // it has its parameters, under its first name
		}
		s.model.paths[m] = s.path
	case reflect.Struct: // a copy, whose fields nothing could fill
		if _, ok := m.(Builder); !ok && hasChildren(v) {
			s.Fail("%T is not a pointer", m)
			return
		}
	}
	if b, ok := m.(Builder); ok {
		b.Build(s)
		return
	}
	if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		s.buildFields(v.Elem())
	}
}

// buildFields declares the exported fields of a struct that are modules, or slices or arrays of them.
func (s *Scope) buildFields(v reflect.Value) {
	for f, x := range v.Fields() {
		tag, tagged := f.Tag.Lookup("nn")
		if !f.IsExported() || tag == "-" {
			continue
		}
		name := snake(f.Name)
		if tag != "" {
			name = tag
		}
		if f.Anonymous && !tagged && !isModule(x) {
			if e := reflect.Indirect(x); e.IsValid() && e.Kind() == reflect.Struct {
				s.buildFields(e)
			}
			continue
		}
		switch {
		case isModule(x) || tagged && isStruct(x):
			s.Child(name, moduleOf(x))
		case x.Kind() == reflect.Slice || x.Kind() == reflect.Array:
			for i := range x.Len() {
				if e := x.Index(i); isModule(e) || tagged && isStruct(e) {
					s.Child(name+"."+strconv.Itoa(i), moduleOf(e))
				}
			}
		}
	}
}

func hasChildren(v reflect.Value) bool {
	for f, x := range v.Fields() {
		if f.IsExported() && isModule(x) {
			return true
		}
	}
	return false
}

var moduleType, builderType = reflect.TypeFor[Module](), reflect.TypeFor[Builder]()

// isModule reports whether v or its address is a module.
func isModule(v reflect.Value) bool {
	t := v.Type()
	if t.Kind() == reflect.Struct && v.CanAddr() {
		t = reflect.PointerTo(t)
	}
	return t.Implements(moduleType) || t.Implements(builderType)
}

// isStruct reports whether v is a struct, or a pointer to one.
func isStruct(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer {
		return v.Type().Elem().Kind() == reflect.Struct
	}
	return v.Kind() == reflect.Struct && v.CanAddr()
}

// moduleOf is v as a module: where it is a struct, its address.
func moduleOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		if v.CanAddr() {
			return v.Addr().Interface()
		}
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return nil
		}
	}
	return v.Interface()
}

// snake is a field's name as PyTorch's users write names: LayerNorm1 is layer_norm1, and FC is fc.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		upper := unicode.IsUpper(r)
		if upper && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
