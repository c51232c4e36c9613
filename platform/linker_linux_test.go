package platform

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/linker"
	"github.com/anycl/anycl/platform/internal/poclcache"
)

// callsLibraries calls functions of the C library, where memory is cleared and copied, of its mathematics and of the compiler's library.
const callsLibraries = `kernel void calls(global float *y, global const float *x, int n) {
	float all[300];
	for (int i = 0; i < 300; i++)
		all[i] = 0;
	for (int i = 0; i < n; i++)
		all[i] = fmod(x[i], 3.0f) + ldexp(x[i], n) + vload_half(0, (global const half *)(x + i));
	for (int i = 0; i < n; i++)
		y[i] = all[i];
}`

func init() { roles["linker"] = linkerRole }

// linkerRole runs that kernel and tells its result.
func linkerRole() (err error) {
	ctx := context.Background()
	o, err := openRole()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	prog, err := o.Program(ctx, "calls.cl", callsLibraries, "")
	if err != nil {
		return err
	}
	k, err := prog.Kernel("calls")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	b, err := o.Context().NewBuffer(cl.MemReadWrite, 4, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	value := make([]byte, 4)
	binary.NativeEndian.PutUint32(value, math.Float32bits(10))
	q := o.Queue()
	err = errors.Join(q.Write(b, 0, value, nil), k.SetBuffer(0, b), k.SetBuffer(1, b), k.SetInt32(2, 1))
	if err == nil {
		err = errors.Join(q.Launch(k, cl.Range1(1, 1), nil), q.Finish(), q.Read(b, 0, value, nil))
	}
	fmt.Println("result", math.Float32frombits(binary.NativeEndian.Uint32(value)))
	return err
}

// needed are the libraries that the kernels in a cache folder of PoCL's ask for.
func needed(t *testing.T, cache string) (all [][]string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(cache, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "calls.so" {
			return err
		}
		f, err := elf.Open(path)
		if err != nil {
			return err
		}
		libs, err := f.ImportedLibraries()
		all = append(all, libs)
		return errors.Join(err, f.Close())
	}))
	require.NotEmpty(t, all)
	return all
}

func TestKernelsAreLinkedWithTheMathematicsAlone(t *testing.T) {
	d := device(t)
	if !poclPlain().MatchString(d.PlatformVersion) || poclcache.LinkerFolder() == "" {
		t.Skip("no PoCL whose linker is given a folder")
	}
	const result = "result 21" // fmod(10, 3) + 10 * 2 + a half of zero bits
	cache := t.TempDir()
	env := []string{EnvDevice + "=" + d.ID, EnvCache + "=" + CacheOff, poclcache.Env + "=" + cache}
	require.Contains(t, child(t, "linker", env...), result)
	for _, libs := range needed(t, cache) {
		require.Equal(t, []string{"libm.so.6"}, libs)
	}

	t.Run("but not where the user names the compiler's folder", func(t *testing.T) {
		cache := t.TempDir()
		require.Contains(t, child(t, "linker", append(env, poclcache.Env+"="+cache, linker.Env+"="+t.TempDir())...), result)
		for _, libs := range needed(t, cache) {
			require.Contains(t, libs, "libc.so.6")
		}
	})
	t.Run("nor where others could write it", func(t *testing.T) {
		cache := t.TempDir()
		t.Setenv(poclcache.Env, cache)
		dir := poclcache.LinkerFolder()
		require.Equal(t, cache, filepath.Dir(dir))
		require.Equal(t, dir, poclcache.LinkerFolder(), "made once")
		require.NoError(t, os.Chmod(dir, 0o777))
		require.Empty(t, poclcache.LinkerFolder())
		files, err := os.ReadDir(cache)
		require.NoError(t, err)
		require.Len(t, files, 1, "nothing half made is left")
	})
}
