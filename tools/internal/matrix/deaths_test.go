package matrix

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/platform"
)

func TestADeathThatIsKnownOfADriverIsANote(t *testing.T) {
	const says = "LLVM ERROR: Instruction Combining did not reach a fixpoint after 1 iterations\nduring [cast in int32], which pass by themselves"
	of := func(version string, deaths ...string) *Engine {
		e := &Engine{Name: "pocl:0", Device: &platform.Report{Device: &platform.Device{PlatformVersion: version}}}
		e.judge(deaths)
		return e
	}
	e := of("OpenCL 3.0 PoCL 6.0  Linux, Release", says)
	require.False(t, e.Failed())
	require.Len(t, e.Notes, 1)
	require.Contains(t, e.Notes[0], "during [cast in int32]")
	require.Contains(t, e.Notes[0], "issues/1608")

	require.True(t, of("OpenCL 3.0 PoCL 3.1+debian", says).Failed(), "another driver")
	require.True(t, of("OpenCL 3.0 PoCL 6.0", "SIGSEGV\nduring [cast in int32]").Failed(), "another end")
	e = of("OpenCL 3.0 PoCL 6.0", says, says, "SIGSEGV", says)
	require.Equal(t, "SIGSEGV", e.Err)
	require.Len(t, e.Notes, 1)
	require.Contains(t, e.Notes[0], "ended 3 processes")
	cpu := &Engine{Name: "cpu"}
	cpu.judge([]string{says})
	require.True(t, cpu.Failed())
}
