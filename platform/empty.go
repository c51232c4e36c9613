package platform

import (
	"os"
	"path/filepath"

	"github.com/anycl/anycl/platform/internal/vendor"
)

// envPoCLCache names PoCL's own cache folder.
const envPoCLCache = "POCL_CACHE_DIR"

// poclCache returns that folder, and the variable where one names it.
func poclCache() (dir, named string) {
	if dir := os.Getenv(envPoCLCache); dir != "" {
		return dir, envPoCLCache
	}
	if home, err := os.UserCacheDir(); err == nil {
		return filepath.Join(home, "pocl"), ""
	}
	return filepath.Join(os.TempDir(), "pocl"), "" // where PoCL goes without HOME
}

// whyNone adds to the note on a platform without devices what is known to cause that: PoCL
// shows none where it cannot write its cache folder.
func whyNone(platform string) string {
	if vendor.Key(platform, "", "") != vendor.PoCL {
		return ""
	}
	dir, named := poclCache()
	if named != "" {
		named = " (" + named + ")"
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, "anycl-"); err == nil {
			_ = f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err == nil {
		return ""
	}
	return ": PoCL has none where it cannot write its cache folder" + named + ": " + err.Error()
}
