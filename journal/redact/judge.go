package redact

import "strings"

const (
	// shortestNamed is the shortest string that a name makes a secret.
	shortestNamed = 3
	// leastRandom is the shortest value that chance tells from a word.
	leastRandom = 16
)

// tells reports whether the value v is a secret under a name of this sense.
func (s sense) tells(v string) bool {
	if len(v) < shortestNamed || filler(v) {
		return false
	}
	switch s.how {
	case byName:
		return !said(v)
	case byShape:
		return len(v) >= shortestPassword && !said(v) && !numeric(v) && (made(v) && !phrase(v) || !codeName(v) && !wordy(v))
	case byPass:
		return len(v) >= shortestPassword && !said(v) && !numeric(v) && (!wordy(v) || len(v) >= shortestKey && lower.only(v) || phrase(v) || tangled(v) || strange(v))
	case byKey:
		return chance(v) && !labelled(v)
	case byChance:
		return chance(v)
	case byCookie:
		return len(v) >= shortestKey && !said(v) && !wordy(v) && !numeric(v)
	case byDigits:
		return len(v) >= 4 && len(v) <= 8 && digit.only(v)
	}
	return false
}

// said reports whether v, which stands under the name of a secret, is a word, a message, a reference or a label, and not the
// secret.
func said(v string) bool {
	if expression(v) || strings.ContainsFunc(v, wide) || reference(v) || commonplace(v) || path(v) || version(v) && len(v) < leastRandom {
		return true
	}
	switch n := fields(v); {
	case n < 3 && labelOf(v):
		return true
	case n == 1:
		bare := strings.TrimLeft(v, "#.@:$-*")
		return digit.in(v) == 0 && label(bare) && named(bare) || strings.ContainsAny(v, "([") && named(v) && strings.ContainsAny(v, ")]")
	case n == 2:
		return digit.in(v) == 0 && (sentence(v) || upper.has(v[0]) && (letters|gap).only(v) || anyWide(v))
	default:
		return sentence(v)
	}
}

// expression reports whether v is a pattern, or the options of a mount: ^(?=.*\d), id=npm,src=.npmrc.
func expression(v string) bool {
	return v[0] == '-' && len(v) > 1 && v[1] == '-' || strings.HasPrefix(v, "id=") || strings.Contains(v, ".*") ||
		v[0] == '^' && (strings.Contains(v, "(?") || strings.Contains(v, "[") || strings.Contains(v, `\`))
}

// label reports whether v consists of letters and of what parts words: js.fetch:credentials.
func label(v string) bool {
	for i := range len(v) {
		if !(letters | slash).has(v[i]) && v[i] != ':' && v[i] != '*' {
			return false
		}
	}
	return true
}

// labelOf reports whether v is what the field of a password is called: Passwort, Ihr Kennwort.
func labelOf(v string) bool {
	v = strings.TrimRight(v, ":*?")
	return digit.in(v) == 0 && !strings.ContainsAny(v, "!#$%^&*+~@_") && senseOf(v[strings.LastIndexByte(v, ' ')+1:]).how == byName
}

// path reports whether v is the path of a file or directory, also of Windows.
func path(v string) bool {
	if len(v) > 3 && v[1] == ':' && (v[2] == '\\' || v[2] == '/') {
		return true
	}
	return (strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~/")) && strings.Count(v, "/") > 1 && (dotted | slash | tilde).only(v) && !chance(v)
}

// messageWords are words of messages and descriptions, which passphrases of random words do not have.
var messageWords = words(`
	a an and are as at be been below by can cannot contain contains could do does enter field for forgot from has have if in incorrect
	invalid is it its least may must not of on or our please required requires reset should that the this to too used using was
	when which will with without you your der die das und ist nicht bitte mit le la les des est et pour por el los una de para`)

// sentence reports whether v is prose.
func sentence(v string) bool {
	hits := 0
	part := " \t\r\n"
	if !strings.ContainsAny(v, part) {
		part = "-"
	}
	for rest := v; rest != ""; {
		n := indexOr(rest, part)
		w := strings.Trim(rest[:n], ".,:;!?()'\"")
		rest = rest[min(n+1, len(rest)):]
		if messageWords().has(w) || len(w) > 5 && w != v && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing")) {
			hits++
		}
	}
	return hits > 0 || named(v)
}

// wordy reports whether v is made of words as people join them: letters alone, or words beside numbers.
func wordy(v string) bool {
	if strings.ContainsAny(v, " \t\n") {
		return true
	}
	if !(dotted | slash).only(v) {
		return digit.in(v) == 0 && (dotted | slash).only(strings.Trim(v, "@:#,")) && !strings.ContainsAny(v, "!$%^&*")
	}
	return digit.in(v) == 0 && caseChanges(v)*3 < len(v)
}

// chance reports whether v looks made by a machine: no words, no number, no path, no digest that says it is one.
func chance(v string) bool {
	if len(v) < leastRandom || filler(v) || reference(v) && !strings.HasPrefix(v, "/") {
		return false
	}
	if uuidLike(v) {
		return true
	}
	for _, d := range [...]string{"sha1", "sha256", "sha384", "sha512", "md5", "SHA256:", "ssh-rsa", "ssh-ed25519", "ecdsa-"} {
		if strings.HasPrefix(v, d) {
			return false
		}
	}
	if _, rare := pairs(v); (upper | digit).only(v) && digit.in(v) > 1 && rare > 2 {
		return true
	}
	odd, all := 0, 0 // letters and digits
	for i := 0; i < len(v); {
		n := alnum.run(v[i:])
		if n == 0 {
			if v[i] <= ' ' || v[i] >= 0x7f || strings.IndexByte("-_.~+/=%:$!@#^*&?", v[i]) < 0 {
				return jumble(v)
			}
			i++
			continue
		}
		if oddPiece(v[i : i+n]) {
			odd += n
		}
		all += n
		i += n
	}
	return odd >= leastRandom/2 && odd*2 >= all || digit.in(v) > 1 && (caseChanges(v) > 2 && inWords(v)*3 <= len(v) || strange(v))
}

// jumble reports whether v mixes all sorts of bytes as generators of keys do and code does not.
func jumble(v string) bool {
	const least = 32
	signs := 0
	for i, c := range []byte(v) {
		if c < ' ' || c >= 0x7f {
			return false
		}
		if !alnum.has(c) && strings.IndexByte(v[:i], c) < 0 {
			signs++
		}
	}
	_, rare := pairs(v)
	return len(v) >= least && signs > 5 && digit.in(v) > 2 && rare > 2 && inWords(v)*4 < len(v)
}

// caseChanges returns how often a small letter and a capital stand beside each other.
func caseChanges(s string) (n int) {
	for i := 1; i < len(s); i++ {
		if lower.has(s[i]) && upper.has(s[i-1]) || upper.has(s[i]) && lower.has(s[i-1]) {
			n++
		}
	}
	return n
}

// oddPiece reports whether letters and digits that nothing parts are no word and no number.
func oddPiece(s string) bool {
	digits, groups, changes := digit.in(s), 0, caseChanges(s)
	for i := range len(s) {
		if digit.has(s[i]) && (i == 0 || !digit.has(s[i-1])) {
			groups++
		}
	}
	switch {
	case digits == len(s):
		return false
	case len(s) < 8:
		return digits > 1 && groups > 1 || digits > 0 && len(s) > 3 && (hex.only(s) || (upper|digit).only(s))
	case digits >= 3 && groups >= 2, digits > 0 && changes >= 2 && inWords(s)*2 <= len(s):
		return true
	case changes*3 >= len(s)-digits:
		return true
	}
	const sure = 20
	return len(s) >= sure && inWords(s)*3 <= len(s) || len(s) >= leastRandom && strange(s)
}

// made reports whether v, which nobody would write as a word or a name, mixes letters with digits or signs as passwords do, or
// is a phrase of words.
func made(v string) bool {
	const signs, rest = "!#$%^&*+~?", "@-_./="
	if phrase(v) {
		return true
	}
	if len(v) < shortestPassword || version(v) || numeric(v) || codeName(v) || (lower|upper).in(v) == 0 {
		return false
	}
	mixed := digit.in(v) > 0
	for i := range len(v) {
		switch {
		case alnum.has(v[i]), strings.IndexByte(rest, v[i]) >= 0:
		case strings.IndexByte(signs, v[i]) >= 0:
			mixed = mixed || i > 0
		default:
			return false
		}
	}
	if at := strings.IndexByte(v, '@'); at > 0 && (strings.Contains(v[at:], ".") || version(v[at+1:])) {
		return false // an address, or a version of a package
	}
	return mixed || len(v) >= shortestKey && letters.only(v) && (strange(v) || tangled(v))
}

// mingled is made for what nothing marks as a value: of small and capital letters, digits and signs it has three.
func mingled(v string) bool {
	kinds := 0
	for _, set := range [...]charset{lower, upper, digit} {
		if set.in(v) > 0 {
			kinds++
		}
	}
	if !dotted.only(v) {
		kinds++
	}
	return kinds > 2 && made(v) || phrase(v) || chance(v)
}

// inWords returns how many bytes of s are in runs of small letters as words have them: three or more, a vowel in every four.
func inWords(s string) (n int) {
	for i := 0; i < len(s); {
		run := lower.run(s[i:])
		vowels := 0
		for _, c := range []byte(s[i : i+run]) {
			if strings.IndexByte("aeiou", c) >= 0 {
				vowels++
			}
		}
		if run >= 3 && vowels*4 >= run {
			n += run
		}
		i += max(run, 1)
	}
	return n
}

// labelled reports whether v is a key as caches, stores and tables have them: words beside what chance made.
func labelled(v string) bool {
	for i := 0; i < len(v); {
		n := alnum.run(v[i:])
		if w := v[i : i+n]; n >= 4 && (lower.only(w) || upper.only(w) || upper.has(w[0]) && lower.only(w[1:])) {
			return true
		}
		i += max(n, 1)
	}
	return uuidLike(v)
}

// uuidLike reports whether v is spelled as a UUID, which names things.
func uuidLike(v string) bool {
	return len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-' && (hex | hyphen).only(v)
}
