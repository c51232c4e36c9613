package formula

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const text = `
// A comment; R(1.5) stands for a literal.
#define TWICE(x, y) ((x) + \
    (y))
__constant REAL F(table)[] = {R(1.0), R(-2.0), };
INLINE void F(both)(const int n, REAL *lower) { *lower = TWICE(R(1.0), M(exp)(R(2.0))); }
INLINE REAL F(f)(const REAL x) {
#if DOUBLE
    return R(1.0);
#else
    REAL lower, sum = R(0.0);
    F(both)(1, &lower);
    for (int k = 3; k > 0; k--, sum += lower) {
        if (k & 1) continue;
        else sum -= F(table)[k] * (REAL)k;
    }
    switch (3) { case 3: sum = -sum; break; default: return x; }
    return x != x ? x : sum;
#endif
}
`

func TestLibraryIsReadAsItIsFor(t *testing.T) {
	t.Parallel()
	for _, double := range []bool{false, true} {
		l, err := Parse(text, map[string]bool{"DOUBLE": double})
		require.NoError(t, err)
		require.Len(t, l.Tables["special_table"].Table, 2)
		f := l.Functions["special_f"]
		require.Equal(t, []Param{{Type: "REAL", Name: "x"}}, f.Params)
		loops := 0
		Walk(f.Body, func(x any) {
			if _, is := x.(*For); is {
				loops++
			}
		})
		require.Equal(t, map[bool]int{false: 1, true: 0}[double], loops)
		require.True(t, l.Functions["special_both"].Params[1].Pointer)
	}
}

func TestAssignedVariablesAreThoseFromOutside(t *testing.T) {
	t.Parallel()
	l, err := Parse("INLINE REAL F(f)(REAL a, REAL b) { { REAL c = a; c += b; a++; F(g)(&b); *a = c; } return a; }", nil)
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"a": true, "b": true}, Assigned(l.Functions["special_f"].Body))
}

func TestBindingIsThatOfC(t *testing.T) {
	t.Parallel()
	x, err := ParseExpr("a - b - c * d < 1.5e-3f || !e ? -1 : f ? 2 : 3")
	require.NoError(t, err)
	c := x.(*Choice)
	require.IsType(t, &Choice{}, c.Else)
	or := c.If.(*Binary)
	less := or.X.(*Binary)
	require.Equal(t, "||", or.Op)
	require.Equal(t, "<", less.Op)
	require.Equal(t, "1.5e-3f", less.Y.(*Number).Text)
	require.IsType(t, &Binary{}, less.X.(*Binary).X) // (a - b) - c·d
}

func TestDamagedTextIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a +", "a b", "(a", "f(a", "a ? b", "a @ b", "1 +* ", strings.Repeat("(", 10000), "\"text\""} {
		_, err := ParseExpr(text)
		require.Error(t, err, "%.20q", text)
	}
	for i := range text {
		require.NotPanics(t, func() { Parse(text[:i], nil) }, i)
	}
}

func TestMarksAreThoseWhoseCharactersAdjoin(t *testing.T) {
	for text, right := range map[string]bool{
		"a - -b": true, "a-/**/-b": true, "a--b": false, "a < < b": false, "a << b": true, "a <\\\n< b": true, "a < = b": false, "x.5": false, "x*.5f": true, "a @ b": false, "a \"b\"": false,
	} {
		_, err := ParseExpr(text)
		require.Equal(t, right, err == nil, "%q: %v", text, err)
	}
	for text, right := range map[string]bool{
		"#define TWICE(x) (2 * (x))\nREAL f(REAL a) { return TWICE(a); }":  true,
		"#define TWICE (x) (2 * (x))\nREAL f(REAL a) { return TWICE(a); }": false,
		"#define TWICE\nREAL f(REAL a) { return a; }":                      false,
		"#\nREAL f(REAL a) { return a; }":                                  false,
	} {
		_, err := Parse(text, nil)
		require.Equal(t, right, err == nil, "%q: %v", text, err)
	}
}
