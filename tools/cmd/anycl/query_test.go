package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const weather = `city,day,t,note
Brno,2024-01-01,21,
Oslo,2024-01-02,14,"cold, wet"
Brno,2024-02-03,25,dry
Lima,2024-02-04,30,
Oslo,2024-02-05,11,cold
`

func TestQueriesAreAnswered(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "weather.csv")
	require.NoError(t, os.WriteFile(path, []byte(weather), 0o644))
	ask := func(steps string) (string, error) {
		var out strings.Builder
		err := queryOptions{rows: 10}.run(t.Context(), &out, path, steps)
		return out.String(), err
	}
	for steps, want := range map[string]string{
		`t > 12 | group city : mean(t) as mean, rows() as n | sort -mean | limit 2`:                                    "2 rows x 3 columns\ncity        mean     n\ndictionary  float64  int64\nLima             30      1\nBrno             23      2\n",
		`filter contains(note, "cold") || isnull(note) && t < -3 + 25 | select city, t*2 as "x y" | top 1 -col("x y")`: "1 row x 2 columns\ncity    x y\nutf8  int64\nBrno     42\n",
		`with month(day) as m | group m : max(t) - min(t) as span`:                                                     "2 rows x 2 columns\nm       span\n",
		`select city, note | distinct city | sort city`:                                                                "3 rows x 2 columns\n",
		`day >= date("2024-02-01") && in(city, "Oslo", "Lima") | agg sum(t), quantile(t, 0.5) as q`:                    "1 row x 2 columns\nt      q\n",
		`select offset(day, 1, "month") as later | limit 1`:                                                            "1 row x 1 column\nlater\ndate32\n2024-02-01\n",
		``: "5 rows x 4 columns\n",
		`select choose(t > 20, "warm", "cold") as w, round(t/3, 1) as r, coalesce(note, "-") as note, substring(city, -2, 2) as e`: "5 rows x 4 columns\nw r note e\nutf8 float64 utf8 utf8\nwarm 7 - no\ncold 4.7 cold, wet lo\n",
	} {
		got, err := ask(steps)
		require.NoError(t, err, steps)
		trim := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		require.True(t, strings.HasPrefix(trim(got), trim(want)), "%s\n%s", steps, got)
	}
	for steps, want := range map[string]string{
		`t >`:                        "is no expression",
		`limit x`:                    `"x" is no number of rows`,
		`t > 1 | jump`:               `there is no step "jump"`,
		`group city`:                 "separated by one colon",
		`select nonsense(t)`:         `there is no function "nonsense"`,
		`select round(t)`:            "round has 2 operands, not 1",
		`select like(note, t)`:       "operand 2 of like is a string",
		`wrong > 1`:                  `there is no column "wrong"`,
		`select t & 1`:               "there is no operator &",
		`filter t > 1 | select t[1]`: "is no part of an expression",
	} {
		_, err := ask(steps)
		require.ErrorContains(t, err, want, steps)
	}
}

func TestTablesAreConvertedAndAskedInEveryForm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "weather.csv")
	require.NoError(t, os.WriteFile(path, []byte(weather), 0o644))
	var want string
	for _, ending := range []string{".csv", ".parquet", ".arrow", ".jsonl", ".tsv"} {
		next := filepath.Join(dir, "next"+ending)
		var out strings.Builder
		require.NoError(t, convert(t.Context(), &out, path, next, ""))
		require.Equal(t, next+": 5 rows, 4 columns\n", out.String())
		out.Reset()
		require.NoError(t, queryOptions{rows: 10}.run(t.Context(), &out, next, "t > 12 | select city, t, note"))
		rows := strings.Split(out.String(), "\n") // the third line has types, which JSON does not keep
		got := strings.Join(append(rows[:2:2], rows[3:]...), "\n")
		got = strings.Join(strings.Fields(got), " ")
		if want == "" {
			want = got
		}
		require.Equal(t, want, got, ending)
		path = next
	}
	all := filepath.Join(dir, "all.csv")
	require.NoError(t, queryOptions{rows: 10, out: all}.run(t.Context(), &strings.Builder{}, path, ""))
	again, err := os.ReadFile(all)
	require.NoError(t, err)
	require.Equal(t, weather, string(again))
	require.ErrorContains(t, convert(t.Context(), &strings.Builder{}, path, "table.xlsx", ""), "told by its ending")
	require.ErrorContains(t, convert(t.Context(), &strings.Builder{}, path, all, ",,"), "one byte")
}
