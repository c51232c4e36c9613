package kernels

import (
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write README.md anew")

func TestIndexOfFamiliesIsWhatTheRegistrySays(t *testing.T) {
	text := index(t)
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(text), 0o644))
	}
	have, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Equal(t, text, strings.ReplaceAll(string(have), "\r\n", "\n"), "make golden writes it")
}

const indexHead = `# Kernel families

Made of the registry of package kernels by ` + "`make golden`" + `; do not edit.

A folder has the OpenCL C of one family. The name of a file says for which devices rules choose what is in it:
` + "`cpu_`" + ` drivers that run work-items on the host's cores, ` + "`gpu_`" + ` GPUs, ` + "`any_`" + ` both. In ` + "`lib`" + ` files without such a word
serve any. Every kernel is right on every device whose limits allow it, so a CPU driver tests those for GPUs.
`

// index is a table of every family: its kernels as the registry has them, then what they share, in the words of
// the files' own first lines.
func index(t *testing.T) string {
	var b strings.Builder
	b.WriteString(indexHead)
	names := allFiles(t)
	for _, f := range Families {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| file | devices | kernels | for |\n| --- | --- | --- | --- |\n", f.Name, strings.ToUpper(f.About[:1])+f.About[1:])
		row := func(file, kernels, about string) {
			fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %s |\n", path.Base(file), file, ClassOf(file), kernels, strings.ReplaceAll(about, "|", "\\|"))
		}
		listed := map[string]bool{}
		for _, v := range Variants() {
			if v.Family == f.Name {
				listed[v.File] = true
				row(v.File, "`"+strings.Join(v.Kernels, "` `")+"`", v.For)
			}
		}
		for _, name := range names {
			if path.Dir(name) == f.Name && !listed[name] {
				row(name, "", title(name))
			}
		}
		names = slices.DeleteFunc(names, func(n string) bool { return path.Dir(n) == f.Name })
	}
	require.Empty(t, names, "their folder is of no family")
	return b.String()
}

// title is the sentence that a file's header begins with.
func title(name string) string {
	var words []string
	for line := range strings.Lines(strings.TrimPrefix(Text(name), "// "+name+": ")) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "//"))
		if line == "" {
			break
		}
		words = append(words, line)
	}
	return strings.TrimSuffix(strings.Join(words, " "), ".")
}
