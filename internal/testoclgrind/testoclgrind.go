// Package testoclgrind mends Oclgrind 21.10, under which tests check the memory accesses of kernels.
package testoclgrind

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Mended is a folder with a copy of Oclgrind's library in which one byte differs.
// Version 21.10 asks whether an element of a shuffle is undefined by comparing its index with
// a number of LLVM's that happens to be 11, and not with -1: lane 11 of every shuffle is then
// reported, and an undefined one is looked up in front of an array, which may end the process.
func Mended(t *testing.T) (dir string) {
	t.Helper()
	paths, err := filepath.Glob("/usr/lib/*/liboclgrind-21.10.so")
	require.NoError(t, err)
	require.Len(t, paths, 1, "Oclgrind 21.10")
	lib, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	f, err := elf.NewFile(bytes.NewReader(lib))
	require.NoError(t, err)
	symbols, err := f.DynamicSymbols()
	require.NoError(t, err)
	text := f.Section(".text")
	require.NotNil(t, text)
	mended := 0
	for _, s := range symbols {
		if !strings.HasPrefix(s.Name, "_ZN8oclgrind13Uninitialized19instructionExecuted") || s.Section == elf.SHN_UNDEF {
			continue
		}
		from := s.Value - text.Addr + text.Offset
		code := lib[from : from+s.Size]
		for i := range len(code) - 3 {
			if code[i] == 0x83 && code[i+1]&0xf8 == 0xf8 && code[i+2] == 11 && code[i+3] == 0x75 { // cmp $11, register; jne
				code[i+2] = 0xff // -1
				mended++
			}
		}
	}
	require.Equal(t, 1, mended, "%s is of another build than Debian's: what to mend is not found", paths[0])
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(paths[0])), lib, 0o755))
	return dir
}
