package codegen

import (
	"fmt"
	"hash"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Suffix is what the kernels of part i of a joined program end in.
func Suffix(i int) string { return fmt.Sprintf("_%d", i) }

// naming finds the names that lines of a program define.
type naming struct {
	expr func() *regexp.Regexp // its first group
	some []string              // a line that has a name has one of these: the expression alone takes 1 ms a part
}

var (
	macroName    = naming{lazily(`^[ \t]*#[ \t]*define[ \t]+(\w+)`), []string{"define"}}
	functionName = naming{lazily(`^(?:(?:static inline|INLINE) [\w ]*[ *]|typedef .* |(?:.* )?void )(\w+)[(;]`), []string{"inline", "INLINE", "typedef", "void"}}
)

// lazily compiles an expression when it is first asked for.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
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
		names := functionName.distinct(p.Body)
		for _, n := range names {
			fmt.Fprintf(&b, "#define %s %s%s\n", n, n, Suffix(i))
		}
		b.WriteString(p.Body)
		b.WriteByte('\n')
		for _, n := range append(macroName.distinct(p.Body), names...) {
			fmt.Fprintf(&b, "#undef %s\n", n)
		}
	}
	return b.String()
}

// distinct lists the names that text defines, once each.
func (n naming) distinct(text string) []string {
	var out []string
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if !slices.ContainsFunc(n.some, func(s string) bool { return strings.Contains(line, s) }) {
			continue
		}
		if m := n.expr().FindStringSubmatch(line); m != nil && !seen[m[1]] {
			seen[m[1]] = true
			out = append(out, m[1])
		}
	}
	return out
}

// HashText writes s to a hash so that texts that follow each other cannot be confused.
func HashText(h hash.Hash, s string) { fmt.Fprintf(h, "%d\n%s\n", len(s), s) }
