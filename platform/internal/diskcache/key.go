package diskcache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"runtime/debug"
	"sync"
)

// Key returns the SHA-256 of the fields in hexadecimal. Each field is
// preceded by its length, so that no two lists run together to the same bytes.
func Key(fields ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, f := range fields {
		binary.LittleEndian.PutUint64(n[:], uint64(len(f)))
		h.Write(n[:])
		h.Write([]byte(f))
	}
	return hex.EncodeToString(h.Sum(nil))
}

const modulePath = "github.com/anycl/anycl"

// Version is this module's version as linked into the program, so that an update never reads files
// of an older version.
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == modulePath {
			if m.Replace != nil {
				m = m.Replace
			}
			return m.Version + " " + m.Sum
		}
	}
	return "unknown"
})
