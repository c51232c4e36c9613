package cl

import (
	"encoding/binary"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryDeviceQueryIsWellFormedAndAskedOnce(t *testing.T) {
	condition := regexp.MustCompile(`^(\d\.\d|cl_[a-z0-9_]+)?$`)
	seen := map[uint64]string{}
	fields := reflect.TypeFor[DeviceInfo]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		tag := f.Tag.Get("cl")
		if tag == "" {
			require.Equal(t, "Version", f.Name)
			continue
		}
		number, cond, _ := strings.Cut(tag, ",")
		n, err := strconv.ParseUint(number, 0, 32)
		require.NoError(t, err, f.Name)
		require.Empty(t, seen[n], "%s has the query of", f.Name)
		seen[n] = f.Name
		require.Regexp(t, condition, cond, f.Name)
	}
}

// Every parameter of OpenCL 1.0 to 3.0 is there, but for those about handles,
// reference counts and version numbers that say the same as their text.
func TestEveryCoreDeviceQueryHasAField(t *testing.T) {
	left := map[uint64]bool{0x1031: true, 0x1042: true, 0x1047: true, 0x105E: true, 0x105F: true, 0x1061: true, 0x1062: true,
		0x102D: false, 0x106A: false}
	missing := func(n uint64) bool {
		for f := range reflect.TypeFor[DeviceInfo]().Fields() {
			number, _, _ := strings.Cut(f.Tag.Get("cl"), ",")
			if v, err := strconv.ParseUint(number, 0, 32); err == nil && v == n {
				return false
			}
		}
		return true
	}
	for n := uint64(0x1000); n <= 0x1072; n++ {
		if left[n] || n > 0x1069 && n < 0x106F || n == 0x1033 {
			continue
		}
		require.False(t, missing(n), "%#x", n)
	}
}

func TestDecodeReadsNumbersOfEveryWidth(t *testing.T) {
	var out struct {
		N  uint64
		S  uint32
		B  bool
		T  string
		L  []uint64
		W  []string
		NV []NamedVersion
		R  []byte
		F  FPConfig
	}
	v := reflect.ValueOf(&out).Elem()
	word := func(n uint64) []byte { return binary.NativeEndian.AppendUint64(nil, n) }
	decode(v.Field(0), binary.NativeEndian.AppendUint32(nil, 7)) // a size_t of a 32-bit driver
	require.EqualValues(t, 7, out.N)
	decode(v.Field(0), word(1<<40))
	require.EqualValues(t, 1<<40, out.N)
	decode(v.Field(1), binary.NativeEndian.AppendUint32(nil, 9))
	require.EqualValues(t, 9, out.S)
	decode(v.Field(2), []byte{1, 0, 0, 0})
	require.True(t, out.B)
	decode(v.Field(3), []byte("  a name \x00garbage"))
	require.Equal(t, "a name", out.T)
	decode(v.Field(4), append(word(1), word(2)...))
	require.Equal(t, []uint64{1, 2}, out.L)
	decode(v.Field(5), []byte("one;two three\x00"))
	require.Equal(t, []string{"one", "two", "three"}, out.W)
	entry := make([]byte, nameVersionSize)
	binary.NativeEndian.PutUint32(entry, 3<<22|1<<12|5)
	copy(entry[4:], "cl_khr_x")
	decode(v.Field(6), append(entry, 1, 2, 3))
	require.Equal(t, []NamedVersion{{"cl_khr_x", Version{3, 1, 5}}}, out.NV)
	decode(v.Field(7), []byte{1, 2})
	require.Equal(t, []byte{1, 2}, out.R)
	decode(v.Field(8), word(3))
	require.Equal(t, FPDenorm|FPInfNaN, out.F)
	for i := range v.NumField() {
		decode(v.Field(i), nil) // a driver that answers with nothing
	}
}

func TestVersionTextsAreParsed(t *testing.T) {
	require.Equal(t, Version{3, 0, 0}, parseVersion("OpenCL 3.0 PoCL 3.1+debian"))
	require.Equal(t, Version{1, 2, 0}, parseVersion("OpenCL 1.2"))
	require.Equal(t, Version{}, parseVersion("gibberish"))
	require.True(t, Version{2, 1, 0}.AtLeast(2, 0))
	require.True(t, Version{3, 0, 0}.AtLeast(2, 1))
	require.False(t, Version{1, 2, 9}.AtLeast(2, 0))
	require.True(t, takesProperties(Version{0, 9, 5}))
	require.True(t, takesProperties(Version{1, 0, 0}))
	require.False(t, takesProperties(Version{0, 9, 4}))
}

func TestQueriesAreAskedOnlyWhereTheyExist(t *testing.T) {
	info := &DeviceInfo{Version: Version{1, 2, 0}, Extensions: []string{"cl_khr_fp16"}}
	require.True(t, info.meets(""))
	require.True(t, info.meets("cl_khr_fp16"))
	require.False(t, info.meets("cl_nv_device_attribute_query"))
	require.False(t, info.meets("2.0"))
	require.True(t, info.meets("1.2"))
}

func TestDeviceDescribesItself(t *testing.T) {
	lib, err := Open(nil)
	if err != nil {
		t.Skip("no OpenCL library on this machine")
	}
	ps, err := lib.Platforms()
	require.NoError(t, err)
	for _, p := range ps {
		require.NotEmpty(t, p.Name())
		require.NotEmpty(t, p.Version())
		require.NotEmpty(t, p.Profile())
		require.NotEmpty(t, p.Vendor())
		ds, err := p.Devices(DeviceAll)
		require.NoError(t, err)
		for _, d := range ds {
			info := d.Info()
			require.Same(t, info, d.Info())
			require.NotEmpty(t, info.Name)
			require.NotEmpty(t, info.DriverVersion)
			require.NotZero(t, info.Type)
			require.True(t, info.Version.AtLeast(1, 1), info.VersionText)
			require.NotZero(t, info.ComputeUnits)
			require.NotZero(t, info.MaxWorkGroupSize)
			require.Len(t, info.MaxWorkItemSizes, int(info.MaxWorkDims))
			require.NotZero(t, info.GlobalMemBytes)
			require.NotZero(t, info.MaxAllocBytes)
			require.NotZero(t, info.AddressBits)
			require.NotZero(t, info.BaseAddrAlignBits)
			require.NotZero(t, info.SingleFP)
			b, err := d.InfoBytes(0x1002)
			require.NoError(t, err)
			require.EqualValues(t, info.ComputeUnits, integer(b))
			_, err = d.InfoBytes(0xDEAD)
			require.ErrorIs(t, err, InvalidValue)
			require.Equal(t, info.Name, d.String())
		}
	}
}
