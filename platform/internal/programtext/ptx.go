package programtext

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"sync"
)

// Instructions of one architecture alone, such as wgmma, are for PTX targets like sm_90a, while NVIDIA's compiler of
// OpenCL C writes PTX for sm_90, and offers no option. Its binary of a program is that text, from which it builds
// programs too. So kernels have such instructions in lines of inline assembly that begin with a mark, a comment of
// PTX; the text gets the mark's target, the marks go, and the driver assembles it.
var (
	ptxMark   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`//(sm_\d+a): `) })
	ptxTarget = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\.target sm_\d+`) })
)

// Marked reports whether a source has lines for one architecture.
func Marked(source string) bool {
	return strings.Contains(source, "//sm_") && ptxMark().MatchString(source)
}

// Unmark makes the marked lines of PTX code, and their architecture the target.
func Unmark(ptx []byte) ([]byte, error) {
	m := ptxMark().FindSubmatch(ptx)
	if m == nil {
		return nil, errors.New("the compiler left out the lines for one architecture")
	}
	if !ptxTarget().Match(ptx) {
		return nil, errors.New("the program's binary is no PTX")
	}
	ptx = bytes.ReplaceAll(ptx, m[0], nil)
	return ptxTarget().ReplaceAllLiteral(ptx, append([]byte(".target "), m[1]...)), nil
}
