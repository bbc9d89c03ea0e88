package shell

import (
	"fmt"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"":                                    "",
		" ;\n ":                               "",
		"make":                                "[make]",
		"make;":                               "[make];",
		"cd x && make || a & b;c\nd":          "[cd x]&& [make]|| [a]& [b]; [c]; [d]",
		"a |& b":                              "[a]| [b]",
		`a "b; c" 'd | e' f\;g \` + "\nh":     "[a b; c d | e f;g h]",
		`a "\$x \"y\" \n C:\dir" ''`:          `[a $x "y" \n C:\dir ]`,
		`a "b\\" "c\` + "\n" + `d" e`:         `[a b\ cd e]`,
		"a b>c 2>d":                           "[a b > c 2> d]",
		`a $(b \) c) d`:                       `[a $(b \) c) d]`,
		"a 2>&1 | b":                          "[a 2>&1]| [b]",
		"a &> log; b >f 2>> g >|h":            "[a &> log]; [b > f 2>> g >| h]",
		`a >"x y" >$(pwd)/z`:                  "[a > x y > $(pwd)/z]",
		"cat <&3 <f":                          "[cat <&3 <f]",
		`a "$(b "c; d" | e)" f`:               `[a $(b "c; d" | e) f]`,
		"a `b; c` ${d:-e f} <(g | h)":         "[a `b; c` ${d:-e f} <(g | h)]",
		"a ${b":                               "[a ${b]",
		"#{b c} {d":                           "",
		"a {b c}":                             "[a {b c}]",
		"a#{b} c":                             "[a#{b} c]",
		"a%{b c} $d{e f}":                     "[a%{b c} $d{e f}]",
		"(cd x; make) | tail":                 "[cd x]; [make]| [tail]",
		"{ a; b; } && c":                      "[a]; [b]&& [c]",
		"find . -exec rm {} \\; ; mv {a,b} c": "[find . -exec rm {} ;]; [mv {a,b} c]",
		"case $x in a) mv p q;; esac":         "[case $x in a] [mv p q];; [esac]",
		"a # b; c\nd a#b":                     "[a]; [d a#b]",
		"cat <<'E' > f\na | b\nE\nmake":       "[cat <<E > f]; [make]",
		"git commit -m \"$(cat <<E\na; b\nE\n)\"": "[git commit -m $(cat <<E\n)]",
		"echo $((1<<n))\nmake":                    "[echo $((1<<n))]; [make]",
		"read a <<< \"$b\"\nmake":                 "[read a <<< $b]; [make]",
		// What looks like a here-document in quotes or in a comment begins none.
		"grep 'a << b' c\ngit stash":                     "[grep a << b c]; [git stash]",
		"python3 -c \"print(1 << 2)\"\nrm f":             "[python3 -c print(1 << 2)]; [rm f]",
		"git commit -m \"a\n\nb << c\n\"\ngit push":      "[git commit -m a\n\nb << c\n]; [git push]",
		"a # don't << b\ncat <<E\nc | d\nE\ne":           "[a]; [cat <<E]; [e]",
		"a \"$(b 'c << d' <<E\nf\nE\n) << g\"\nh":        "[a $(b 'c << d' <<E\n) << g]; [h]",
		"a \\\"b <<E\nc | d\nE\ne; cat <<E <<F\nE\nF\nf": "[a \"b <<E]; [e]; [cat <<E <<F]; [f]",
		// Paths of Windows, and PowerShell.
		`cd C:\Users\ana\测试 ; .\gradlew.bat test`:           `[cd C:\Users\ana\测试]; [.\gradlew.bat test]`,
		`type src\main.go | findstr a\.b`:                   `[type src\main.go]| [findstr a.b]`,
		`ls C:\.claude ; C:\\a\\b`:                          `[ls C:\.claude]; [C:\a\b]`,
		"npm run build `\n  --silent; x `\r\n -y":           "[npm run build --silent]; [x -y]",
		"git commit -m @'\nit's a; b\n'@; npm test":         "[git commit -m it's a; b]; [npm test]",
		"a @\"\nb \"c\" | d\n\"@ | e":                       "[a b \"c\" | d]| [e]",
		"$env:A = '1'; & \"C:\\Program Files\\x.exe\" -n 2": `[$env:A = 1]; [C:\Program Files\x.exe -n 2]`,
		"a @'\n'@ b; a @\"\r\nb\n\"@":                       "[a  b]; [a b]",
		"a @'\nb":                                           "[a b]",
		`글 "값`:                                              "[글 값]",
	} {
		var got []string
		for _, p := range Split(command) {
			got = append(got, fmt.Sprint(p.Words)+p.Op)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", command, s, want)
		}
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"":                        "",
		"a/b.md":                  "a/b.md",
		"$(a $(b)/c).md":          "*.md",
		"`pwd`/x-${A:-b}-$B_1.c$": "*/x-*-*.c$",
		"글$(":                     "글*",
		"a/$(b)$(c d)/e":          "a/**/e",
		"$((1+2)).md":             "*.md",
		"${A}${B:-$(c)}.d":        "**.d",
		"x`y`z":                   "x*z",
		"$":                       "$",
		"$-a":                     "$-a",
	} {
		if got := Pattern(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("a \"$(b 'c)\" | {d; } >&2 # e")
	f.Add("cat <<E\n\\")
	f.Fuzz(func(t *testing.T, command string) {
		for _, p := range Split(command) {
			if len(p.Words) == 0 {
				t.Errorf("a part without words of %q", command)
			}
			for _, w := range p.Words {
				Pattern(w)
			}
		}
	})
}
