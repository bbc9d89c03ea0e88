package redact

import (
	"slices"
	"strings"
)

// This file decides how a value looks: like a password, random, or like a name in code.

// The lengths of the shortest secrets, in bytes: a shorter secret would protect nothing.
const (
	shortestNamed    = 3 // of a structured value, if the name alone decides
	shortestEntry    = 4 // in a text, if the name alone decides
	shortestPassword = 6 // if the look of the value counts too
	shortestKey      = 8 // if a machine made the value
)

// leastRandom is the length of the shortest value that looksRandom can distinguish from a word.
const leastRandom = 16

// isSecret reports whether v is a secret as the value of a name with this sense.
func (s sense) isSecret(v string) bool {
	if len(v) < shortestNamed || isFiller(v) {
		return false
	}
	switch s.how {
	case byName:
		byMachine := s.rule == namedToken || s.rule == namedKey // such secrets are not chosen by a person
		mayBeMade := len(v) >= shortestKey && !numeric(v) && wordCount(v) == 1 && !(s.rule == namedKey && isKeyID(v))
		return !harmless(v) && (!byMachine || mayBeMade)
	case byToken:
		labels := strings.Contains(v, ":") && isLabel(strings.TrimRight(v, "0123456789"))
		if len(v) < shortestKey || wordCount(v) != 1 || harmless(v) || numeric(v) || labels {
			return false
		}
		word := letters.only(v) || isCodeName(v)
		return !word || len(v) >= leastRandom && !strings.Contains(v, ".") || isChosenWord(v)
	case byShape, byPass:
		if len(v) < shortestPassword || harmless(v) || numeric(v) {
			return false
		}
		if s.how == byPass {
			return !wordy(v) || len(v) >= shortestKey && lower.only(v) || isPhrase(v) || isChosenWord(v)
		}
		return passwordLike(v) && !isPhrase(v) || !isCodeName(v) && !wordy(v) || isChosenWord(v)
	case byKey:
		return (looksRandom(v) || digit.in(v) > 0 && scrambled(v) && !isPattern(v)) && !isStoreKey(v)
	case byRandom:
		switch {
		case s.rule == namedAuth:
			commit := hex.only(v) && len(v) == 40
			return looksRandom(v) && !commit || isChosenWord(v)
		case s.rule == namedKey:
			return looksRandom(v) || len(v) >= 10 && wordCount(v) == 1 && unmistakable(v)
		}
		return looksRandom(v)
	case byCookie:
		return len(v) >= shortestKey && !harmless(v) && (!wordy(v) || isChosenWord(v)) && !numeric(v)
	case byDigits:
		return len(v) >= 4 && len(v) <= leastRandom && digit.only(v)
	}
	return false
}

// strong reports whether the name decides nearly alone that a value is a secret.
func (s sense) strong() bool { return s.how == byName || s.how == byShape || s.how == byPass }

// isSecretAnywhere reports whether v looks so much like a secret that it is one even if it may not be the value of the name.
func (s sense) isSecretAnywhere(v string) bool {
	if len(v) < shortestPassword || harmless(v) || uuidLike(v) && !s.strong() {
		return false
	}
	if s.how == byKey && (!isMachineKey(v) || hex.only(v) || isStoreKey(v)) {
		return false
	}
	if s.strong() && s.rule != namedToken && s.rule != namedKey {
		return passwordLike(v) || looksRandom(v)
	}
	return looksRandom(v)
}

// isKeyID reports whether v is the id or the fingerprint of a PGP key.
func isKeyID(v string) bool {
	return (len(v) == 16 || len(v) == 40) && (digit | upper).only(v) && hex.only(v) && upper.in(v) > 0
}

// wordy reports whether v consists of words: it has blanks, or no digits and few changes of case.
func wordy(v string) bool {
	return strings.Contains(v, " ") || (dotted|slash).only(v) && digit.in(v) == 0 && caseChanges(v)*3 < len(v)
}

// looksRandom reports whether v looks random, as if made by a machine: no words, no number, no path, no digest with a label.
func looksRandom(v string) bool {
	if len(v) < leastRandom || !(alnum | common | colon).only(v) || isFiller(v) || isReference(v) || digestNamed(v) {
		return false
	}
	odd, all := 0, 0 // letters and digits
	for piece := range alnum.runs(v) {
		if isOddPiece(piece) {
			odd += len(piece)
		}
		all += len(piece)
	}
	oddPieces := odd >= leastRandom/2 && odd*5 >= all*2
	mixed := caseChanges(v) > 2 && inWords(v)*3 <= len(v)
	return oddPieces || digit.in(v) > 1 && (mixed || hasRandomLetters(v))
}

// digestNamed reports whether v begins with the name of a digest, a cipher or a kind of public key, or as encrypted values do.
func digestNamed(v string) bool {
	const sealed = 96 // bytes of the shortest SealedSecret, whose first bytes name its key
	n := prefixOf(v, "sha1", "sha224", "sha256", "sha384", "sha512", "md5")
	labelled := n > 0 && (n == len(v) || !alnum.has(v[n]) && v[n] != '~') // sha256~… is a token of OpenShift
	return labelled || prefixOf(v, "aes-", "AES/", "SHA-", "SHA256:", "AWS4-", "PBKDF2", "UTF-", "ISO-", "CRAM-", "SCRAM-", "ECDH-", "MD5", "RSA", "ssh-rsa", "ssh-ed25519", "ecdsa-", "ENC(", "{cipher}", "AQICAH", "$ANSIBLE_VAULT") > 0 ||
		len(v) >= sealed && prefixOf(v, "AgA", "AgB", "AgC", "AgD") > 0 && base64.only(v)
}

// caseChanges returns the number of places where a small letter and a capital are neighbours.
func caseChanges(s string) (n int) {
	for i := 1; i < len(s); i++ {
		if lower.has(s[i]) && upper.has(s[i-1]) || upper.has(s[i]) && lower.has(s[i-1]) {
			n++
		}
	}
	return n
}

// isOddPiece reports whether a run of letters and digits is neither a word nor a number.
func isOddPiece(s string) bool {
	digits, groups, changes := digit.in(s), digit.groups(s), caseChanges(s)
	switch {
	case digits == len(s), digits == 0 && !hasRandomLetters(s):
		return false
	case (digits > 1 && groups > 1 || changes > 1) && inWords(s)*2 <= len(s):
		return true
	}
	return changes*3 >= len(s)-digits || len(s) >= leastRandom && hasRandomLetters(s)
}

// passwordLike reports whether v looks like a password that a person made: no word and no name, but letters mixed with digits or signs,
// or a phrase of words.
func passwordLike(v string) bool {
	if isPhrase(v) {
		return true
	}
	if len(v) < shortestPassword || isCodeName(v) && !(digit.has(v[len(v)-1]) && isChosenWord(v)) || (lower|upper).in(v) == 0 {
		return false
	}
	if !(alnum | common).only(v) {
		return scrambled(v)
	}
	if at := strings.IndexByte(v, '@'); at > 0 && (isVersion(v[at+1:]) || isHost(v[at+1:])) {
		return false // an address, or a version of a package
	}
	return digit.in(v) > 0 || caseChanges(v) > 3 && hasRandomLetters(v) || strings.ContainsAny(v[1:], "!#$%^&*+~?")
}

// isHost reports whether v is the name of a host with a domain.
func isHost(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	return dot > 0 && dotted.only(v) && lower.only(v[dot+1:]) && len(v)-dot > 2 && upper.in(v) == 0 && !jumbled(v)
}

// kindsIn returns how many of three kinds of characters are in v: small letters, capitals, digits.
func kindsIn(v string) int { return min(lower.in(v), 1) + min(upper.in(v), 1) + min(digit.in(v), 1) }

// scrambled reports whether v changes between letters, digits and signs as code and sentences do not.
func scrambled(v string) bool {
	kinds, changes, last := kindsIn(v), 0, charset(0)
	for i := range len(v) {
		class := classes[v[i]] & alnum
		if class != last && !(class == lower && last == upper) {
			changes++
		}
		last = class
	}
	signs := len(v) - alnum.in(v)
	mixed := kinds > 2 || kinds == 2 && digit.in(v) == 0 && signs*4 >= len(v) && !isFiller(v)
	return len(v) >= 10 && mixed && changes*3 > len(v) && inWords(v)*3 <= len(v) && wordCount(v) == 1
}

// mingled is passwordLike for a text that nothing marks as a value: it must have small letters, capitals and digits, or be a phrase or
// random letters.
func mingled(v string) bool {
	return (kindsIn(v) > 2 || caseChanges(v) > 3 && hasRandomLetters(v)) && passwordLike(v) || isPhrase(v)
}

// inWords returns the number of bytes of s in runs of small letters that can be words: three or more, a quarter of them vowels.
func inWords(s string) (n int) {
	for run := range lower.runs(s) {
		if len(run) >= 3 && vowel.in(run)*4 >= len(run) {
			n += len(run)
		}
	}
	return n
}

// jumbled reports whether v mixes capitals, small letters and digits as names do not.
func jumbled(v string) bool { return digit.in(v) > 0 && caseChanges(v) > 1 && inWords(v)*3 <= len(v) }

// isStoreKey reports whether v is the key of a cache, a store or a table: it has a word beside random parts, or is an id.
func isStoreKey(v string) bool {
	base64Like := strings.HasSuffix(v, "=") // its parts may look like words
	for w := range alnum.runs(v) {
		if !base64Like && len(w) >= 4 && (lower.only(w[1:]) && !digit.has(w[0]) || upper.only(w)) {
			return true
		}
	}
	return uuidLike(v) || isKeyID(v)
}

// uuidLike reports whether v has the form of a UUID.
func uuidLike(v string) bool {
	return len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-' && (hex | hyphen).only(v)
}

// isPhrase reports whether v is a passphrase: three to eight words between blanks or hyphens, and no sentence.
func isPhrase(v string) bool {
	n := wordCount(v)
	if n == 1 {
		n = 1 + strings.Count(v, "-")
	}
	words := n > 2 && n < 9 && (word | gap).only(v) && lower.in(v) > 0
	capitals := upper.in(v)
	plain := capitals == 0 || capitals == 1 && !strings.Contains(v, " ")
	return words && plain && !contains(v, " -", "--") && !isSentence(v)
}

// isChosenWord reports whether v is a passphrase without blanks: three or more words that capitals or signs separate, none of them usual
// in names of code; a run of small letters that is too long for a word; or random letters.
func isChosenWord(v string) bool {
	v = strings.TrimRight(v, "0123456789-_")
	if len(v) < longWord || !(lower | upper | hyphen | underscore).only(v) || lower.in(v) == 0 {
		return false
	}
	if caseChanges(v) > 3 && hasRandomLetters(v) {
		return !harmless(v) // random letters
	}
	words, rest := 0, v
	for ; rest != ""; words++ {
		n := max(1, wordRun(rest))
		if !isChosenPart(rest[:n]) {
			return false
		}
		rest = strings.TrimLeft(rest[n:], "-_")
	}
	return (words > 2 || words == 1 && lower.only(v) && len(v) > longWord) && !harmless(v)
}

// isWordWithNumber reports whether v is a word with a capital, a sign and a number of two to four digits: Summer-2026.
func isWordWithNumber(v string) bool {
	if len(v) < shortestPassword || !upper.has(v[0]) {
		return false
	}
	n := 1 + lower.run(v[1:])
	digits := len(v) - n - 1
	return n >= shortestEntry && digits > 1 && digits < 5 && strings.IndexByte("-_.@#!", v[n]) >= 0 && digit.only(v[n+1:])
}

// isChosenPart reports whether w may be a word of a passphrase.
func isChosenPart(w string) bool {
	const shortest = 3
	if len(w) < shortest || !(lower | upper).only(w) || len(w) > 3 && upper.only(w) {
		return false
	}
	if inList("ordinary", w) || inList("ordinary", strings.TrimSuffix(w, "s")) {
		return false
	}
	derived := slices.ContainsFunc(parts("derived"), func(e string) bool { return len(w) > len(e)+2 && strings.HasSuffix(w, e) })
	return !derived && strings.ContainsAny(w, "aeiouyAEIOUY")
}

// isCodeName reports whether v is a name in code: two or more joined words, with few digits.
func isCodeName(v string) bool {
	digits := digit.in(v)
	numbers := digits > 3 || digits == 3 && (strings.Contains(v, ".") || digit.has(v[len(v)-1]))
	if v == "" || !dotted.only(v) || !(lower | upper | underscore).has(v[0]) || numbers || len(v) >= 10 && jumbled(v) {
		return false
	}
	if strings.Contains(v, ".") {
		return caseChanges(v) < 3 && digit.in(v) == 0 || inWords(v)*2 >= len(v)
	}
	stem := strings.TrimRight(v, "0123456789")
	numbersInside := digit.groups(stem)
	joined := namesSecret(stem) || strings.ContainsAny(stem, "_-") || stem != "" && wordRun(stem) < len(stem)
	return joined && (numbersInside == 0 || numbersInside == 1 && inWords(v)*2 >= len(v) && caseChanges(v) > 1)
}

// follows holds, for each small letter, the letters that often follow it in words of English prose and of names in code, as a bit
// set: 272 of 676 pairs, which are 93 % of the pairs in 15,000 such words.
var follows = func() (t [26]uint32) {
	for i, letters := range [...]string{
		"abcdfgiklmnprstuvxy", "abceilorsuy", "acdehiklorstu", "adefilorsu", "abcdefgilmnopqrstvwxy", "acdefilorstu", "acehilnorsu", "aeiort", "abcdefglmnoprstvxz", "", "eis", "adeilopstuy", "abeimopsu", "acdefgiklnostuv", "abcdfgiklmnoprstuvw", "acehiloprstu", "u", "acdefgiklmnoprstuvy", "aceghiklmopstuwy", "acdefhiloprstuy", "abcefgilmnprst", "aei", "aeiors", "efipt", "ps", "e",
	} {
		for _, c := range []byte(letters) {
			t[i] |= 1 << (c - 'a')
		}
	}
	return t
}()

// hasRandomLetters reports whether the letters of v, whatever their case, follow each other as random letters do. Of the pairs of random
// letters 40 % are in follows, of those of words 87 %. Fewer than seven pairs do not count.
func hasRandomLetters(v string) bool {
	all, rare := 0, 0
	for i := 1; i < len(v); i++ {
		if (lower | upper).has(v[i]) && (lower | upper).has(v[i-1]) {
			all++
			rare += 1 - int(follows[(v[i-1]|0x20)-'a']>>((v[i]|0x20)-'a')&1)
		}
	}
	return all >= 7 && rare*10 > all*4
}

// tokenLike reports whether a machine may have made a token, which is no name with hyphens: it has a digit, and a capital or two more
// digits.
func tokenLike(secret string) bool {
	d := digit.in(secret)
	return genuine(secret) && d > 0 && (d > 2 || upper.in(secret) > 0)
}

// genuine reports whether a token is more than the example of one. Dots at its end belong to the text around it.
func genuine(secret string) bool { return !isFiller(strings.TrimRight(secret, ".")) }

// pathlike reports whether v looks like the path of a file, a URL or a link.
func pathlike(v string) bool {
	if i := strings.LastIndexByte(v, '.'); i > 0 && len(v)-i > 2 && len(v)-i < 6 && lower.only(v[i+1:]) && (dotted | slash).only(v) {
		return true // a file name with an extension
	}
	if strings.HasPrefix(v, "//") || strings.Contains(v, "](") {
		return true // a URL behind its scheme, or a link of Markdown
	}
	plain := (dotted | slash | tilde).only(strings.ReplaceAll(strings.TrimLeft(v, "#@*<$"), "*", "")) && !looksRandom(v) && !jumbled(v)
	return plain && (strings.Contains(v, "/") || strings.IndexByte(".#$", v[0]) >= 0) || strings.Contains(v, "://")
}

// isPassword reports whether the argument of a login is a password.
func isPassword(v string) bool {
	return (passwordLike(v) || isChosenWord(v)) && !harmless(v) && !pathlike(v)
}

// unmistakablePassword is isPassword for a text that no login announces: its look must leave less doubt.
func unmistakablePassword(v string) bool {
	return (mingled(v) || isChosenWord(v) || looksRandom(v)) && isPassword(v)
}

// isMachineKey reports whether v looks like a key of a service, and not like an id.
func isMachineKey(v string) bool {
	const least, leastHex = 20, 32
	return len(v) >= least && digit.in(v) > 0 && (len(v) >= leastHex || upper.in(v) > 0) && looksRandom(v) && !uuidLike(v) && v[0] != '/'
}

// unmistakable reports whether v looks like a password or a key wherever it stands.
func unmistakable(v string) bool {
	const signs = "!@#$%^&*+~?="
	switch {
	case isChosenWord(v):
		return !lower.only(v)
	case strings.Count(v, ".") > 1 && digit.has(v[0]), numeric(v), hasNonASCII(v), hasCodeWord(v), isCodeName(v), isCode(v):
		return false
	case (dotted | slash).only(v):
		return jumbled(v) && !strings.Contains(v, "/") && (digit.in(strings.TrimRight(v, "0123456789")) > 0 || caseChanges(v) > 3) || looksRandom(v)
	}
	return scrambled(v) && strings.ContainsAny(v, signs) && strings.Count(v, ".") < 2
}

// hasCodeWord reports whether v contains a word that is usual in names of code, or that names secrets. Capitals and signs separate
// words.
func hasCodeWord(v string) bool {
	const shortest = 3
	for n := 1; v != ""; v, n = v[n:], 1 {
		if !(lower | upper).has(v[0]) {
			continue
		}
		n = wordRun(v)
		if w := strings.TrimSuffix(v[:n], "s"); len(w) >= shortest && (inList("ordinary", w) || namesSecret(w)) {
			return true
		}
	}
	return false
}
