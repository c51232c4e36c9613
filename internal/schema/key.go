package schema

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// AppendKey appends bytes to b that are equal for equal values of one type: floats by their bits, so that NaN equals itself
// and zeros of both signs differ; pointers to structs, functions, channels and maps by their address.
func AppendKey(b []byte, x any) []byte {
	if x == nil {
		return b
	}
	return appendKey(b, reflect.ValueOf(x))
}

func appendKey(b []byte, v reflect.Value) []byte {
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
			b = appendKey(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendKey(b, v.Field(i))
		}
		return b
	case reflect.Interface:
		if v.IsNil() {
			return append(b, 0)
		}
		b = append(append(b, 1), v.Elem().Type().String()...)
		return appendKey(b, v.Elem())
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Struct {
			return binary.AppendUvarint(b, uint64(v.Pointer()))
		}
		return appendKey(append(b, 1), v.Elem())
	case reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return binary.AppendUvarint(b, uint64(v.Pointer()))
	}
	return fmt.Appendf(b, "%v", v)
}
