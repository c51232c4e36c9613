package linker

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/anycl/anycl/platform/internal/diskcache"
)

// systemLinker is the one that Clang finds by itself.
const systemLinker = "/usr/bin/ld"

// files are the folder: the linker, and libraries, which may be scripts for it.
var files = map[string]string{
	"ld":          "#!/bin/sh\nexec " + systemLinker + " -L\"${0%/*}\" \"$@\"\n",
	"libm.so":     "INPUT(-l:libm.so.6)\n",
	"libc.so":     "/* found when a kernel is loaded */\n",
	"libgcc_s.so": "/* kernels throw nothing */\n",
}

// Folder is the folder, in that of PoCL's cache, made where it is missing. It is "" where the linker must be the system's: there
// is none at its usual place, or it does not link so, or others could write the folder.
func Folder(cache string) string {
	if _, err := os.Stat(systemLinker); err != nil {
		return ""
	}
	dir := filepath.Join(cache, "anycl-linker-"+diskcache.Key(files["ld"], files["libm.so"])[:8])
	if _, err := os.Lstat(dir); os.IsNotExist(err) && create(dir) != nil || !ours(dir) {
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

// create makes the folder under another name, and gives it its own once it has linked something.
func create(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "anycl-linker-*.new")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(made) }()
	for name, content := range files {
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
