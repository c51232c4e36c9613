package codegen

import (
	"fmt"
	"hash"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Suffix is the suffix of the names of kernels of part i of a joined program.
func Suffix(i int) string { return fmt.Sprintf("_%d", i) }

// functionLine is a line that defines a function, whose name is its first group, or a type, whose name is its second. It is compiled when
// it is first asked for.
var functionLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:static inline|INLINE) [\w ]*[ *]|(?:.* )?void )(\w+)[(;]|^typedef .* (\w+)(?: __attribute__.*)?;`)
})

// functionName is the name of the function or type that a line defines, or "".
func functionName(line string) string {
	// Such a line has one of these, which are found faster than by the regular expression.
	if !slices.ContainsFunc([]string{"inline", "INLINE", "typedef", "void"}, func(s string) bool { return strings.Contains(line, s) }) {
		return ""
	}
	if m := functionLine().FindStringSubmatch(line); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// macroName is the name of the macro that a line defines, or "".
func macroName(line string) string {
	line, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#")
	if ok {
		line, ok = strings.CutPrefix(strings.TrimLeft(line, " \t"), "define")
	}
	name := strings.TrimLeft(line, " \t")
	if !ok || len(name) == len(line) {
		return ""
	}
	if end := strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r > 'z' || r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a')
	}); end >= 0 {
		name = name[:end]
	}
	return name
}

// Join writes parts one after the other. The functions and types of each get its suffix,
// its macros end with it.
func Join(parts []*Program) string {
	var b strings.Builder
	b.WriteString(parts[0].Head)
	var library []string
	for _, p := range parts {
		library = append(library, p.Library...)
	}
	slices.Sort(library) // by name, later ones want earlier ones
	b.WriteString(libraryText(slices.Compact(library)))
	for i, p := range parts {
		fmt.Fprintf(&b, "\n// ==== part %d: %s ====\n", i, p.Name)
		names := distinct(p.Body, functionName)
		for _, n := range names {
			fmt.Fprintf(&b, "#define %s %s%s\n", n, n, Suffix(i))
		}
		b.WriteString(p.Body)
		b.WriteByte('\n')
		for _, n := range append(distinct(p.Body, macroName), names...) {
			fmt.Fprintf(&b, "#undef %s\n", n)
		}
	}
	return b.String()
}

// distinct lists the names that lines of text define, once each.
func distinct(text string, nameOf func(line string) string) []string {
	var out []string
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if name := nameOf(line); name != "" && !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// HashText writes s to a hash so that texts that follow each other cannot be confused.
func HashText(h hash.Hash, s string) { fmt.Fprintf(h, "%d\n%s\n", len(s), s) }
