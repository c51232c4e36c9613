// Package programtext reads and changes the text of programs.
package programtext

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/anycl/anycl/kernels"
)

// They are compiled by the first that asks, as no program that only lists devices does.
var (
	includeLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^#include "([\w/]+\.cl)"$`) })
	macroName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^#define (\w+)`) })
)

// Include puts files of kernels in the place of the #include lines that name them. A file may come more than once: its macros begin anew.
func Include(text string) string { return includeLine().ReplaceAllStringFunc(text, included) }

func included(line string) string {
	text := kernels.Text(includeLine().FindStringSubmatch(line)[1])
	var b strings.Builder
	for _, m := range macroName().FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&b, "#undef %s\n", m[1])
	}
	return b.String() + text
}
