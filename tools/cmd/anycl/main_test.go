package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "graphs-worker" { // a process that a command has started
		main()
	}
	os.Exit(testcache.Run(m, testdevices.Unoptimize, testdevices.Hold))
}

// anycl runs one command line.
func anycl(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = execute(t.Context(), args, &o, &e)
	return code, o.String(), e.String()
}

// must runs a command line that succeeds.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errOut := anycl(t, args...)
	require.Equal(t, codeOK, code, "%s", errOut)
	require.Empty(t, errOut)
	return out
}

// hasDevice reports whether this machine has an OpenCL device.
func hasDevice(t *testing.T) bool {
	t.Helper()
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	return rt.Device() != nil
}

func TestAWrongCommandLineSaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		line, want string
	}{
		{"no-such-command", `unknown command "no-such-command"`},
		{"-no-such-flag", "unknown flag"},
		{"devices extra", `"extra" is not wanted`},
		{"ops -no-such-flag", "unknown flag"},
		{"explain", "name one graph: mlp, cnn"},
		{"explain no-such-graph", "there are mlp, cnn"},
		{"explain mlp -place moon", "must be auto, device or cpu"},
		{"trace", "name one graph: mlp, cnn"},
		{"trace no-such-graph", "there are mlp, cnn"},
		{"trace mlp -runs 0", "must be 1 or more"},
		{"tune extra", `"extra" is not wanted`},
		{"tune -graph moon", "there are mlp, cnn"},
		{"tune -family moon", "there are map, reduce"},
		{"tune -budget 0s", "must be more than nothing"},
		{"tune -list -reset", "one at a time"},
		{"matrix extra", `"extra" is not wanted`},
		{"matrix -op moon", "there is no such op"},
		{"matrix -dtype moon", "moon"},
		{"matrix -o report.pdf", "must end in .html, .json or .txt"},
		{"matrix -graphs -1", "must be 0 or more"},
	} {
		code, out, errOut := anycl(t, strings.Fields(c.line)...)
		assert.Equal(t, codeUsage, code, c.line)
		assert.Empty(t, out, c.line)
		assert.Contains(t, errOut, c.want, c.line)
		assert.Contains(t, errOut, "--help", c.line)
	}
}

func TestADeviceThatIsNotThereFails(t *testing.T) {
	for _, line := range []string{"devices -quick -device no-such-device", "ops -device no-such-device", "explain mlp -device no-such-device", "trace mlp -device no-such-device", "matrix -device no-such-device"} {
		code, _, errOut := anycl(t, strings.Fields(line)...)
		assert.Equal(t, codeFailed, code, line)
		assert.Contains(t, errOut, "no-such-device", line)
		assert.Contains(t, errOut, "found:", line)
	}
}

func TestWithoutArgumentsTheCommandsAreListed(t *testing.T) {
	out := must(t)
	for _, c := range []string{"devices", "ops", "explain", "trace"} {
		assert.Contains(t, out, "\n  "+c+" ")
	}
}

func TestDevicesTellWhatWasProven(t *testing.T) {
	out := must(t, "devices")
	assert.Contains(t, out, "the CPU path is always there")
	var r struct {
		Selected string
		Cores    int `json:"cpu_path_cores"`
		Devices  []struct {
			ID, Class, Why string
			Caps           *platform.Caps
		}
	}
	require.NoError(t, json.Unmarshal([]byte(must(t, "devices", "-json")), &r))
	assert.Positive(t, r.Cores)
	if !hasDevice(t) {
		assert.Empty(t, r.Selected)
		assert.Empty(t, r.Devices)
		assert.Contains(t, out, "and everything runs on it")
		return
	}
	require.NotEmpty(t, r.Devices)
	assert.Equal(t, r.Devices[0].ID, r.Selected)
	require.NotNil(t, r.Devices[0].Caps, "the command proves what is not known yet")
	assert.NotEmpty(t, r.Devices[0].Caps.Proofs)
	assert.NotEmpty(t, r.Devices[0].Class)
	assert.NotEmpty(t, r.Devices[0].Why)
	assert.Contains(t, out, "declared")
	assert.Contains(t, out, "proven")
}

func TestDevicesWithoutOpenCLTellWhatWasTried(t *testing.T) {
	if hasDevice(t) {
		t.Skip("this machine has OpenCL, which is loaded once in a process")
	}
	var r devicesReport
	require.NoError(t, json.Unmarshal([]byte(must(t, "devices", "--json")), &r))
	assert.True(t, r.LoadError != "" || len(r.Notes) > 0, "%+v", r)
}

func TestEveryOpIsListedWithWhereItRuns(t *testing.T) {
	var r struct {
		Engines []string
		Ops     []opReport
	}
	require.NoError(t, json.Unmarshal([]byte(must(t, "ops", "-json")), &r))
	assert.Contains(t, r.Engines, "cpu")
	listed := map[string]opReport{}
	for _, op := range r.Ops {
		listed[op.Name] = op
	}
	out := must(t, "ops")
	for op := range ops.Table() {
		assert.Contains(t, out, "\n"+op.Name+" ")
		got := listed[op.Name]
		assert.Len(t, got.Operands, len(op.Operands), op.Name)
		assert.Equal(t, len(op.Attributes.All()), len(got.Attributes), op.Name)
		assert.NotEmpty(t, got.Category, op.Name)
		assert.Equal(t, op.Differentiable(), got.Differentiable, op.Name)
		assert.Equal(t, names(op.DTypes), got.Names, op.Name)
		assert.Equal(t, got.Names, got.Runs["cpu"], "the CPU path runs %s in every dtype", op.Name)
	}
}

func TestCoverageNamesWhatIsMissing(t *testing.T) {
	all := []string{"float16", "float32", "float64"}
	assert.Equal(t, "all", coverage(all, all))
	assert.Equal(t, "all but float64", coverage(all, all[:2]))
	assert.Equal(t, "none", coverage(all, nil))
}

func TestEveryGraphIsExplained(t *testing.T) {
	for _, g := range graphs {
		t.Run(g.name, func(t *testing.T) {
			out := must(t, "explain", g.name, "-place", "cpu")
			assert.Contains(t, out, g.name+": ")
			assert.Contains(t, out, "predicted")
			assert.Contains(t, out, "memory on cpu")
			var r ops.Report
			require.NoError(t, json.Unmarshal([]byte(must(t, "explain", g.name, "-json", "-place", "cpu")), &r))
			require.NotEmpty(t, r.Tasks)
			for _, task := range r.Tasks {
				assert.Equal(t, "cpu", task.Where)
				assert.NotEmpty(t, task.Why)
				assert.Positive(t, task.Predicted["cpu"])
			}
		})
	}
}

func TestSourceShowsWhatWasCompiled(t *testing.T) {
	assert.Contains(t, must(t, "explain", "mlp", "-device", "none", "-source"), "nothing was compiled")
	if !hasDevice(t) {
		t.Skip("the rest needs an OpenCL device")
	}
	out := must(t, "explain", "mlp", "-place", "device", "-source")
	assert.Contains(t, out, "// ---- matmul+add+gelu: ")
	assert.Contains(t, out, "__kernel")
	assert.NotContains(t, must(t, "explain", "mlp", "-place", "device", "-json"), "__kernel")
	assert.Contains(t, must(t, "explain", "mlp", "-place", "device", "-json", "-source"), "__kernel")
}

func TestTheDeviceCannotBeDemandedWhereThereIsNone(t *testing.T) {
	code, _, errOut := anycl(t, "explain", "mlp", "-device", "none", "-place", "device")
	assert.Equal(t, codeFailed, code)
	assert.Contains(t, errOut, "the device was asked for")
}
