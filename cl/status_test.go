package cl

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/cldriver"
)

func TestStatusIsFoundThroughWrappedErrors(t *testing.T) {
	err := fmt.Errorf("outer: %w", check(-5, "launch", "saxpy"))
	require.ErrorIs(t, err, OutOfResources)
	require.NotErrorIs(t, err, OutOfHostMemory)
	e, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	require.Equal(t, OutOfResources, e.Status)
	require.EqualError(t, e, "cl: launch: saxpy: CL_OUT_OF_RESOURCES (-5)")
}

func TestMissingFunctionIsUnsupported(t *testing.T) {
	require.ErrorIs(t, check(cldriver.Unsupported, "build", ""), ErrUnsupported)
	require.NoError(t, check(0, "build", ""))
	require.NoError(t, check(3, "build", ""), "positive codes are event states")
}

func TestUnknownStatusStillHasAName(t *testing.T) {
	require.Equal(t, "CL_STATUS_-4242", Status(-4242).String())
	require.EqualError(t, Status(-4242), "cl: CL_STATUS_-4242 (-4242)")
}

func TestEveryCoreStatusHasAName(t *testing.T) {
	for code := range 73 {
		if code > 19 && code < 30 {
			continue // not assigned
		}
		require.NotContains(t, Status(-code).String(), "CL_STATUS_", "%d", -code)
	}
}

func TestUserEventFailureKeepsItsStatus(t *testing.T) {
	require.Equal(t, Success, statusOf(nil))
	require.Equal(t, OutOfResources, statusOf(check(-5, "x", "")))
	require.Equal(t, InvalidOperation, statusOf(errors.New("no status inside")))
}

func TestBuildLogPlaces(t *testing.T) {
	for _, c := range []struct {
		name, log, file string
		line            int
		first           string
	}{
		{"clang", "warning: x\n/tmp/a.cl:57:9: error: use of undeclared identifier 'VEC'\n1 error generated.\n", "/tmp/a.cl", 57, "use of undeclared identifier 'VEC'"},
		{"nvidia", "<kernel>:3:5: error: expected ';'\n", "<kernel>", 3, "expected ';'"},
		{"pocl", "error: /c/tempfile_Q.cl:9:41: use of undeclared identifier 'X'\nDevice x failed to build", "/c/tempfile_Q.cl", 9, "use of undeclared identifier 'X'"},
		{"pocl macro", "error: /c/t.cl:2:27 <Spelling=/share/r.h:1072:22>: use of undeclared identifier '_cl_x'", "/c/t.cl", 2, "use of undeclared identifier '_cl_x'"},
		{"pocl command line", "error: /c/t.cl:2:27 <Spelling=<command line>:5:28>: expected ';'", "/c/t.cl", 2, "expected ';'"},
		{"pocl linker", "Error(s) while linking: \nCannot find symbol foo in kernel library\nDevice x failed", "", 0, "while linking: Cannot find symbol foo in kernel library"},
		{"fatal", "reduce.cl:1:10: fatal error: 'no.h' file not found", "reduce.cl", 1, "'no.h' file not found"},
		{"windows", "C:\\Temp\\k.cl:12:1: error: bad\r\n", "C:\\Temp\\k.cl", 12, "bad"},
		{"edg", "\"/tmp/OCL1.cl\", line 4: error: identifier \"y\" is undefined\n", "/tmp/OCL1.cl", 4, "identifier \"y\" is undefined"},
		{"linker", "error: undefined reference to `f'\n", "", 0, "undefined reference to `f'"},
		{"warning only", "a.cl:1:1: warning: unused\n", "", 0, ""},
		{"empty", "", "", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, line, column := firstPlace(c.log)
			require.Equal(t, map[string]int{"clang": 9, "nvidia": 5, "pocl": 41, "pocl macro": 27, "pocl command line": 27, "fatal": 10, "windows": 1}[c.name], column)
			require.Equal(t, c.file, file)
			require.Equal(t, c.line, line)
			require.Equal(t, c.first, firstError(c.log))
		})
	}
}
