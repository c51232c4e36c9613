package clbuiltin

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// form stands for the declarations of a function that differ in their types. Its text names the
// function F, and in it
//
//	T  is the type, a scalar of types or a vector of it       S  its scalar
//	G, U  the signed and unsigned integers of its size        D  the integer of twice its size
//	I  an int for each element                                R  what comparisons return: G, of scalars int
//	A  is each address space that can be written              C  also __constant
type form struct {
	types  string // of elements; "" where there is no T
	widths []int
	text   string
}

// scalar is a type of elements.
type scalar struct{ name, signed, unsigned, twice string }

var scalars = []scalar{
	{"char", "char", "uchar", "short"},
	{"uchar", "char", "uchar", "ushort"},
	{"short", "short", "ushort", "int"},
	{"ushort", "short", "ushort", "uint"},
	{"int", "int", "uint", "long"},
	{"uint", "int", "uint", "ulong"},
	{"long", "long", "ulong", ""},
	{"ulong", "long", "ulong", ""},
	{"float", "int", "uint", ""},
	{"double", "long", "ulong", ""},
}

const (
	integers = "char uchar short ushort int uint long ulong"
	floats   = "float double"
	numbers  = integers + " " + floats
)

var (
	scalarOnly = []int{1}
	vectors    = []int{2, 3, 4, 8, 16}
	every      = []int{1, 2, 3, 4, 8, 16}
	upToFour   = []int{1, 2, 3, 4}
)

// all are the declarations of a function of this form.
func (f form) all(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		spaces := f.spaces()
		for m := range f.variants() {
			m['F'] = name
			for _, space := range spaces {
				m['A'], m['C'] = space, space
				if !yield(m.replace(f.text)) {
					return
				}
			}
		}
	}
}

// meanings are the replacements of words of one capital letter, by letter; "" leaves a letter as it is.
type meanings ['Z' + 1]string

// variants yields the replacements of the type letters, for every type and width.
func (f form) variants() iter.Seq[*meanings] {
	return func(yield func(*meanings) bool) {
		m := &meanings{}
		if f.types == "" {
			yield(m)
			return
		}
		of := strings.Fields(f.types)
		for _, s := range scalars {
			if !slices.Contains(of, s.name) {
				continue
			}
			for _, n := range f.widths {
				result := "int"
				if n > 1 {
					result = vector(s.signed, n)
				}
				*m = meanings{
					'T': vector(s.name, n), 'S': s.name, 'R': result, 'I': vector("int", n),
					'G': vector(s.signed, n), 'U': vector(s.unsigned, n), 'D': vector(s.twice, n),
				}
				if !yield(m) {
					return
				}
			}
		}
	}
}

// spaces are the address spaces for A or C, one of no meaning where the text has neither.
func (f form) spaces() []string {
	all := []string{"__global", "__local", "__private", "__constant"}
	switch in := words(f.text); {
	case slices.Contains(in, "C"):
		return all
	case slices.Contains(in, "A"):
		return all[:3]
	}
	return all[:1]
}

// vector is the type of n elements.
func vector(scalar string, n int) string {
	if n == 1 {
		return scalar
	}
	return scalar + strconv.Itoa(n)
}

// replace returns a declaration: text with its letters replaced by their meanings.
func (m *meanings) replace(text string) string {
	var b strings.Builder
	b.Grow(2 * len(text))
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && IsWord(text[end]) {
			end++
		}
		switch word := text[at:end]; {
		case word == "":
			end = at + 1
			b.WriteByte(text[at])
		case len(word) == 1 && int(word[0]) < len(m) && m[word[0]] != "":
			b.WriteString(m[word[0]])
		default:
			b.WriteString(word)
		}
		at = end
	}
	b.WriteString(";\n")
	return b.String()
}

// conversion is the form of a function such as convert_uchar16_sat_rte, which takes every type of
// elements.
func conversion(name string) (form, bool) {
	parts := strings.Split(name, "_")
	if len(parts) < 2 || parts[0] != "convert" {
		return form{}, false
	}
	to := strings.TrimRight(parts[1], "0123456789")
	n := 1
	if digits := parts[1][len(to):]; digits != "" {
		n, _ = strconv.Atoi(digits)
	}
	modes := parts[2:]
	if len(modes) > 0 && modes[0] == "sat" && slices.Contains(strings.Fields(integers), to) {
		modes = modes[1:]
	}
	if len(modes) > 0 && slices.Contains([]string{"rte", "rtz", "rtp", "rtn"}, modes[0]) {
		modes = modes[1:]
	}
	if len(modes) > 0 || !slices.Contains(strings.Fields(numbers), to) || !slices.Contains(every, n) || vector(to, n) != parts[1] {
		return form{}, false
	}
	return form{numbers, []int{n}, "CONST " + vector(to, n) + " F(T)"}, true
}
