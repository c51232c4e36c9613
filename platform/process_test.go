package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/poclcache"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// Some things only show in a process of its own: another environment, several
// processes at once, signal handlers. The test binary runs itself with a role.
const roleVariable = "ANYCL_PLATFORM_TEST_ROLE"

var roles = map[string]func() error{
	"race":          raceRole,
	"small memory":  smallMemoryRole,
	"no driver":     noDriverRole,
	"named library": namedLibraryRole,
	"nil":           nilRole,
	"spec":          specRole,
	"inline":        inlineRole,
	"proofs":        proofsRole,
}

func runRole(role string) int {
	if err := roles[role](); err != nil {
		fmt.Println("FAILED:", err)
		return 1
	}
	return 0
}

// child runs the test binary in a role and returns its output.
func child(t *testing.T, role string, env ...string) string {
	t.Helper()
	out, err := startChild(role, env...)
	require.NoError(t, err, "role %q printed:\n%s", role, out)
	return out
}

func startChild(role string, env ...string) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), roleVariable+"="+role), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func openRole() (*Opened, error) {
	m, err := Discover(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	d, err := m.Select("")
	if err != nil {
		return nil, err
	}
	keepBinaries(d)
	return d.Open(context.Background(), nil)
}

func raceRole() (err error) {
	o, err := openRole()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	for n := range 3 {
		if _, err := o.Program(context.Background(), "race.cl", scale(100+n), ""); err != nil {
			return err
		}
	}
	s := o.Stats()
	fmt.Printf("built %d loaded %d\n", s.ProgramsBuilt, s.ProgramsLoaded)
	return nil
}

func TestFourProcessesRaceOnAColdCache(t *testing.T) {
	d := device(t)
	if d.Class == Simulator {
		t.Skip("a simulator takes minutes for it")
	}
	dir := t.TempDir()
	env := []string{EnvCache + "=" + dir, EnvDevice + "=" + d.ID, poclcache.Env + "=" + t.TempDir()}
	// The kind of FMA decides the source, and four processes that time it at once may disagree: so it
	// is measured before.
	known, _ := discovered(t, dir)
	_, err := known.Caps(t.Context())
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			out, err := startChild("race", env...)
			assert.NoError(t, err, out)
		})
	}
	wg.Wait()
	assert.Len(t, entries(t, dir), 3, "one whole entry a program, no temporary file")
	assert.Contains(t, child(t, "race", env...), "built 0 loaded 3", "the next process compiles nothing")
}

func smallMemoryRole() (err error) {
	o, err := openRole()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	d := o.Device()
	if d.GlobalMem > 1<<30 {
		return fmt.Errorf("the limit is not heeded: %d bytes", d.GlobalMem)
	}
	var all []*Memory
	for {
		m, err := o.Alloc(d.MaxAlloc)
		var oom *OutOfMemory
		if errors.As(err, &oom) {
			if oom.Held != int64(len(all))*d.MaxAlloc || oom.Free != d.GlobalMem-oom.Held {
				return fmt.Errorf("the books are wrong: %w", err)
			}
			break
		}
		if err != nil {
			return err
		}
		if all = append(all, m); len(all) > 16 {
			return errors.New("there is no end to the memory")
		}
	}
	n := len(all)
	if err := all[n-1].Close(); err != nil {
		return err
	}
	// The idle block is of another class: the pool must give it back first.
	half, err := o.Alloc(d.MaxAlloc / 2)
	if err != nil {
		return fmt.Errorf("after one was closed: %w", err)
	}
	fmt.Printf("took %d of %d\n", n, d.GlobalMem/d.MaxAlloc)
	return half.Close()
}

func TestSmallDeviceRunsOutAndRecovers(t *testing.T) {
	d := device(t)
	if d.Key != vendor.PoCL {
		t.Skip("needs PoCL, which can be told to be small")
	}
	out := child(t, "small memory", "POCL_MEMORY_LIMIT=1", EnvDevice+"="+d.ID)
	assert.Contains(t, out, "took")
}

// loaderFound begins the note on drivers that are found where none is named.
const loaderFound = "found without being named"

func noDriverRole() error {
	m, err := Discover(context.Background(), nil)
	if err != nil {
		return err
	}
	if len(m.Devices) != 0 {
		return fmt.Errorf("%s: %v", loaderFound, m.Devices)
	}
	if _, err := m.Select("gpu"); !strings.Contains(fmt.Sprint(err), "found: nothing") {
		return fmt.Errorf("select gpu: %w", err)
	}
	_, err = m.Select("")
	fmt.Printf("%v\n%s\n", err, m.Explain())
	if !errors.Is(err, ErrNoDevice) {
		return err
	}
	return nil
}

func TestMachineWithoutDriversIsNoError(t *testing.T) {
	out, err := startChild("no driver", "OCL_ICD_VENDORS="+t.TempDir(), "OCL_ICD_FILENAMES=", cl.EnvLibrary+"=", EnvDevice+"=")
	if strings.Contains(out, loaderFound) {
		t.Skipf("the loader has drivers of which its variables do not tell: %s", out)
	}
	require.NoError(t, err, out)
	assert.Contains(t, out, "platform: no OpenCL device")
}

func TestANamedLibraryThatCannotBeLoadedIsAnError(t *testing.T) {
	for _, device := range []string{"", "pocl"} {
		out := child(t, "named library", cl.EnvLibrary+"=/nowhere/libOpenCL.so", EnvDevice+"="+device)
		assert.Contains(t, out, "error: platform: ANYCL_OPENCL_LIBRARY=/nowhere/libOpenCL.so: ")
	}
	out := child(t, "named library", cl.EnvLibrary+"=/nowhere/libOpenCL.so", EnvDevice+"= None")
	assert.Contains(t, out, "no error", "nobody needs it")
}

func namedLibraryRole() error {
	switch m, err := Discover(context.Background(), nil); {
	case err != nil:
		fmt.Println("error:", err)
	default:
		fmt.Println("no error", m.LoadErr)
	}
	return nil
}

func specRole() error {
	m, err := Discover(context.Background(), nil)
	if err != nil {
		return err
	}
	d, err := m.Select("")
	fmt.Println(d, err)
	return nil
}

func TestEnvironmentVariableSelects(t *testing.T) {
	d := device(t)
	assert.Contains(t, child(t, "spec", EnvDevice+"="+d.ID), d.String()+" <nil>")
	assert.Contains(t, child(t, "spec", EnvDevice+"=none"), ErrNone.Error())
	assert.Contains(t, child(t, "spec", EnvDevice+"=nobody:7"), "platform: ANYCL_DEVICE=nobody:7: no such device; found: ")
}

// PoCL takes the process's signal handlers; a Go program must still be able to
// recover from a nil dereference after its device was opened and used.
func nilRole() (err error) {
	o, err := openRole()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if _, err := o.Program(context.Background(), "nil.cl", scale(110), ""); err != nil {
		return err
	}
	var wg sync.WaitGroup
	recovered := make(chan any, 8)
	for range cap(recovered) {
		wg.Go(func() {
			defer func() { recovered <- recover() }()
			var d *Device
			_ = d.Units
		})
	}
	wg.Wait()
	close(recovered)
	for r := range recovered {
		if r == nil || !strings.Contains(fmt.Sprint(r), "nil pointer") {
			return fmt.Errorf("recovered %v", r)
		}
	}
	return nil
}

func TestNilDereferenceIsRecoveredAfterTheDriverStarted(t *testing.T) {
	child(t, "nil", EnvDevice+"="+device(t).ID)
}
