package clsource

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func texts(t *testing.T, source string) (all []string) {
	t.Helper()
	tokens, err := Tokens(source)
	require.NoError(t, err, "%q", source)
	for _, k := range tokens {
		all = append(all, k.Text)
	}
	return all
}

func TestTextIsSplitAsACompilerDoes(t *testing.T) {
	for source, want := range map[string][]string{
		"":                              nil,
		"a+b":                           {"a", "+", "b"},
		"a // b\nc":                     {"a", "c"},
		"a /* b\n * c */ d":             {"a", "d"},
		"a / b":                         {"a", "/", "b"},
		"// a \\\n b\nc":                {"c"},
		`"b /* \" c" d`:                 {`""`, "d"},
		`'"' a '\'' b`:                  {`""`, "a", `""`, "b"},
		"get_glo\\\nbal_id(0)":          {"get_global_id", "(", "0", ")"},
		"get_glo\\ \t\r\nbal_id":        {"get_global_id"},
		"/\\\n/ a\nb":                   {"b"},
		"/\\\n* a *\\\n/ b":             {"b"},
		"0x1fget_ 1e+5f 1.5e-3f .5 2+3": {"0x1fget_", "1e+5f", "1.5e-3f", ".5", "2", "+", "3"},
		"a##b # c":                      {"a", "##", "b", "#", "c"},
		"a #\\\n# b":                    {"a", "##", "b"},
		"x\xc3\xa9y":                    {"x\xc3\xa9y"},
	} {
		require.Equal(t, want, texts(t, source), "%q", source)
	}
	tokens, err := Tokens("a\n/*\n*/ b\\\n c\n  # define d e\\\n f\ng")
	require.NoError(t, err)
	require.Equal(t, []Token{
		{"a", 1, false, false}, {"b", 3, false, false}, {"c", 4, false, false}, {"#", 5, true, false}, {"define", 5, true, false}, {"d", 5, true, false},
		{"e", 5, true, false}, {"f", 6, true, false}, {"g", 7, false, false},
	}, tokens)
}

func TestTokensThatAdjoinAreMarked(t *testing.T) {
	tokens, err := Tokens("a--b - -c -/**/- -\\\n-d(.5)//\n-\n-")
	require.NoError(t, err)
	var got string
	for _, x := range tokens {
		if !x.Adjoins {
			got += " "
		}
		got += x.Text
	}
	require.Equal(t, " a--b - -c - - --d(.5) - -", got)
}

func TestTextThatIsNotPlainIsAnError(t *testing.T) {
	for _, source := range []string{
		"??=define", "%:define", "a ??/\n", "/* a", `"a`, "'a\n'", `a \u0067et`, "a\x00b", `"a\`, "a\\",
	} {
		_, err := Tokens(source)
		require.ErrorIs(t, err, errUnclear, "%q", source)
	}
}

func FuzzTokensAreOfTheText(f *testing.F) {
	f.Add("kernel void k() { /* */ a = \"b\"; }")
	f.Add("a \\\n b // \\\n")
	f.Fuzz(func(t *testing.T, source string) {
		tokens, _ := Tokens(source)
		for _, k := range tokens {
			require.NotEmpty(t, k.Text)
		}
	})
}
