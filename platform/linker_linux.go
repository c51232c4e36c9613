package platform

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/anycl/anycl/platform/internal/diskcache"
)

// PoCL 3.1 runs the linker for each kernel with -lm, -lgcc and -lc. Of the 18 to 23 ms of processor time that this takes, the
// symbols of the C library, of the vector mathematics and of the unwinder take 12, and no kernel needs them: what it calls of
// the C library is found when it is loaded, since the mathematics library is loaded with it and needs the C library itself. So
// the linker is given a folder that it looks in first, where these libraries are empty and -lm is the mathematics alone.
//
// The Clang inside PoCL has no option and no variable for such a folder, since LIBRARY_PATH comes behind the system's. It does look
// for the linker in COMPILER_PATH first.
const envCompilerPath = "COMPILER_PATH"

// systemLinker is the one that Clang finds by itself.
const systemLinker = "/usr/bin/ld"

// linkerFiles are the folder: the linker, and libraries, which may be scripts for it.
var linkerFiles = map[string]string{
	"ld":          "#!/bin/sh\nexec " + systemLinker + " -L\"${0%/*}\" \"$@\"\n",
	"libm.so":     "INPUT(-l:libm.so.6)\n",
	"libc.so":     "/* found when a kernel is loaded */\n",
	"libgcc_s.so": "/* kernels throw nothing */\n",
}

// linkerFolder is that folder, made where it is not there yet. It is "" where the linker must be the system's:
// there is none at its usual place, or it does not link so, or others could write the folder.
func linkerFolder() string {
	cache, named := poclCache()
	if _, err := os.UserCacheDir(); err != nil && named == "" {
		return "" // a folder that is everybody's
	}
	if _, err := os.Stat(systemLinker); err != nil {
		return ""
	}
	dir := filepath.Join(cache, "anycl-linker-"+diskcache.Key(linkerFiles["ld"], linkerFiles["libm.so"])[:8])
	if _, err := os.Lstat(dir); os.IsNotExist(err) && makeLinker(dir) != nil || !ours(dir) {
		return ""
	}
	return dir
}

// ours reports whether dir is a folder that only this user can write.
func ours(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(st.Uid) == int64(os.Geteuid())
}

// makeLinker makes the folder under another name, and gives it its own once it has linked something.
func makeLinker(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "anycl-linker-*.new")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(made) }()
	for name, content := range linkerFiles {
		if err := os.WriteFile(filepath.Join(made, name), []byte(content), 0o700); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	tried := filepath.Join(made, "tried")
	if err := exec.CommandContext(ctx, filepath.Join(made, "ld"), "-shared", "-o", tried, "-lm", "-lc").Run(); err != nil {
		return err
	}
	if err := os.Remove(tried); err != nil {
		return err
	}
	if err := os.Rename(made, dir); err != nil && !ours(dir) { // else another process was first
		return err
	}
	return nil
}
