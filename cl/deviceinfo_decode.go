package cl

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Info returns everything the device says about itself. It asks once; the result
// is shared, so do not change it.
func (d *Device) Info() *DeviceInfo {
	d.once.Do(func() {
		d.info = new(DeviceInfo)
		// A closed sub-device cannot be asked any more.
		if d.obj != nil {
			if !d.obj.use() {
				return
			}
			defer d.obj.done()
		}
		if d.offline {
			d.info.Name = d.query().text(0x102B)
			return
		}
		d.info.fill(d.query())
	})
	return d.info
}

// fill asks every query that the tags name. Version and extensions come first,
// because the others' conditions need them: strict drivers and checkers complain
// about parameters that they do not know.
func (info *DeviceInfo) fill(q query) {
	info.Version = parseVersion(q.text(0x102F))
	info.Extensions = words(q.text(0x1030))
	v := reflect.ValueOf(info).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("cl")
		if tag == "" {
			continue
		}
		number, condition, _ := strings.Cut(tag, ",")
		if !info.meets(condition) {
			continue
		}
		param, err := strconv.ParseUint(number, 0, 32)
		if err != nil {
			continue // a test holds every tag to be a number
		}
		if b, st := q.bytes(uint32(param)); st >= 0 {
			decode(v.Field(i), b)
		}
	}
}

func (info *DeviceInfo) meets(condition string) bool {
	if condition == "" || slices.Contains(info.Extensions, condition) {
		return true
	}
	var major, minor int
	n, _ := fmt.Sscanf(condition, "%d.%d", &major, &minor)
	return n == 2 && info.Version.AtLeast(major, minor)
}

// decode stores a query's raw value by the field's type.
func decode(f reflect.Value, b []byte) {
	switch p := f.Addr().Interface().(type) {
	case *string:
		*p = text(b)
	case *bool:
		*p = integer(b) != 0
	case *[]byte:
		*p = b
	case *[]uint64:
		*p = integers(b)
	case *[]string:
		*p = strings.FieldsFunc(text(b), func(r rune) bool { return r == ' ' || r == ';' })
	case *[]NamedVersion:
		*p = namedVersions(b)
	default: // the numbers and their named types
		f.SetUint(integer(b))
	}
}

// nameVersionSize is the size of cl_name_version: a cl_uint and 64 characters.
const nameVersionSize = 4 + 64

func namedVersions(b []byte) []NamedVersion {
	var out []NamedVersion
	for ; len(b) >= nameVersionSize; b = b[nameVersionSize:] {
		v := binary.NativeEndian.Uint32(b)
		out = append(out, NamedVersion{
			Name:    text(b[4:nameVersionSize]),
			Version: Version{int(v >> 22), int(v >> 12 & 0x3FF), int(v & 0xFFF)},
		})
	}
	return out
}

// parseVersion reads "OpenCL 3.0 PoCL ...".
func parseVersion(s string) Version {
	var v Version
	if n, _ := fmt.Sscanf(s, "OpenCL %d.%d", &v.Major, &v.Minor); n != 2 {
		return Version{}
	}
	return v
}
