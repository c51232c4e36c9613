package schema

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// deep is how far values are looked into.
const deep = 100

// AppendKey appends bytes to b that are equal for equal values of one type: floats by their bits, so that NaN equals itself
// and zeros of both signs differ; pointers to structs, functions, channels and maps by their address.
func AppendKey(b []byte, x any) []byte {
	if x == nil {
		return b
	}
	return appendKey(b, reflect.ValueOf(x), 0)
}

func appendKey(b []byte, v reflect.Value, depth int) []byte {
	if depth++; depth > deep && (v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer) { // it may contain itself
		return binary.AppendUvarint(b, uint64(v.Pointer()))
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.Float32, reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.String:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		return append(b, v.String()...)
	case reflect.Slice, reflect.Array:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		for i := range v.Len() {
			b = appendKey(b, v.Index(i), depth)
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendKey(b, v.Field(i), depth)
		}
		return b
	case reflect.Interface:
		if v.IsNil() {
			return append(b, 0)
		}
		b = append(append(b, 1), v.Elem().Type().String()...)
		return appendKey(b, v.Elem(), depth)
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Struct {
			return binary.AppendUvarint(b, uint64(v.Pointer()))
		}
		return appendKey(append(b, 1), v.Elem(), depth)
	case reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return binary.AppendUvarint(b, uint64(v.Pointer()))
	}
	return fmt.Appendf(b, "%v", v)
}

// Clone is x with copies of the slices in it that can be set, so that changes of these do not reach it. Maps are read at once
// and stay as they are.
func Clone(x any) any {
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Struct {
		return x
	}
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	clone(to)
	return to.Interface()
}

func clone(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				clone(f)
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(to, v)
		v.Set(to)
		for i := range v.Len() {
			clone(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			clone(v.Index(i))
		}
	}
}
