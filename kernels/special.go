package kernels

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Special functions stand in files lib/special_*.cl, which are written once for float and double: over REAL, R(1.5) for a literal,
// F(name) for a function of these files, M(name) for one of lib/math.cl or lib/math_double.cl, and TERMS(a, b), a for float and b for
// double. A program has the files that it calls, and not the others: compilers take long for what nobody calls, too.

// specialFloat or specialDouble, and specialTail, stand around a file for one of both types.
const (
	specialFloat  = "#define REAL float\n#define R(x) x##f\n#define F(name) special_##name\n#define M(name) wide_##name\n#define TERMS(a, b) a\n#define DOUBLE 0\n"
	specialDouble = "#define REAL double\n#define R(x) x\n#define F(name) double_special_##name\n#define M(name) double_##name\n#define TERMS(a, b) b\n#define DOUBLE 1\n"
	specialTail   = "#undef REAL\n#undef R\n#undef F\n#undef M\n#undef TERMS\n#undef DOUBLE\n"
)

// asDouble behind the name of a file means that it is for double.
const asDouble = " for double"

var (
	callOfSpecial = regexp.MustCompile(`\b(double_)?special_(\w+)`)
	partOfSpecial = regexp.MustCompile(`\bF\((\w+)\)`)
)

// specialFile is a file of special functions.
type specialFile struct {
	name  string
	needs []string // functions that it has and those that it calls
}

var specialFiles = sync.OnceValue(func() (all []specialFile) {
	list, err := files.ReadDir("lib")
	if err != nil {
		panic("kernels: no folder lib")
	}
	for _, f := range list {
		if !strings.HasPrefix(f.Name(), "special_") {
			continue
		}
		s := specialFile{name: path.Join("lib", f.Name())}
		for _, m := range partOfSpecial.FindAllStringSubmatch(Text(s.name), -1) {
			if !slices.Contains(s.needs, m[1]) {
				s.needs = append(s.needs, m[1])
			}
		}
		all = append(all, s)
	}
	return all
})

// has reports whether the file defines a function: a line begins with INLINE and has its name before the first bracket of parameters.
func (s specialFile) has(function string) bool {
	return strings.Contains(Text(s.name), "REAL F("+function+")(") || strings.Contains(Text(s.name), "ulong F("+function+")(")
}

// Special are the files that a program needs which has this text, by name: a file calls functions of itself and of those before it.
func Special(text string) (names []string) {
	if !strings.Contains(text, "special_") { // most texts, which the expression below is slow for
		return nil
	}
	var add func(function, suffix string)
	add = func(function, suffix string) {
		for _, s := range specialFiles() {
			if s.has(function) && !slices.Contains(names, s.name+suffix) {
				names = append(names, s.name+suffix)
				for _, f := range s.needs {
					add(f, suffix)
				}
			}
		}
	}
	for _, m := range callOfSpecial.FindAllStringSubmatch(text, -1) {
		suffix := ""
		if m[1] != "" {
			suffix = asDouble
		}
		add(m[2], suffix)
	}
	slices.Sort(names)
	return names
}

// LibraryText is the text of a file that programs share; of special functions for one of both types, as Special names it.
func LibraryText(name string) string {
	if !strings.HasPrefix(name, "lib/special_") {
		return Text(name)
	}
	head := specialFloat
	file, double := strings.CutSuffix(name, asDouble)
	if double {
		head = specialDouble
	}
	return head + Text(file) + specialTail
}
