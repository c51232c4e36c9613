package platform

import (
	"os"
	"path/filepath"
)

// whyNone adds to the note on a platform without devices what is known to cause that: PoCL
// shows none where it cannot write its cache folder.
func whyNone(platform string) string {
	if vendorKey(platform, "", "") != keyPoCL {
		return ""
	}
	dir, named := os.Getenv("POCL_CACHE_DIR"), " (POCL_CACHE_DIR)"
	if dir == "" {
		named = ""
		if home, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(home, "pocl")
		} else {
			dir = filepath.Join(os.TempDir(), "pocl") // where PoCL goes without HOME
		}
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
