package redact

import "strings"

// This file finds passwords in sentences without a colon: "log in with admin / …", "use … as the password". It also has the finders
// and checks of rules for texts that have a form of their own, such as lists of codes and seed phrases.

// hasCodeDigits reports whether more than a sixth of the bytes of recovery codes are digits.
func hasCodeDigits(v string) bool { return digit.in(v)*6 > len(v) }

// isGroupedSecret reports whether base32, perhaps in groups, does not consist of words.
func isGroupedSecret(v string) bool {
	return digit.in(v) > 0 || hasRandomLetters(strings.ReplaceAll(v, " ", ""))
}

// charactersOf finds the literal that ends where the keyword begins, as in "…".toCharArray().
func charactersOf(s string, at, _ int) (int, int) {
	from := max(0, at-usualWindow/2)
	from += strings.LastIndexByte(s[from:at], '"') + 1
	return from, at
}

// listedUser finds the password on a line that consists of a user and a password, each in quotes. The keyword stands between them.
func listedUser(s string, at, end int) (int, int) {
	user := s[lineBegin(s, at):at]
	line := s[end:lineEnd(s, end)]
	v := strings.TrimSuffix(line, `"`)
	pair := strings.HasPrefix(user, `"`) && dotted.only(user[1:]) && len(v) < len(line) && !strings.Contains(v, `"`)
	return placeIf(pair && (looksRandom(clip(v, judged)) || isPassword(clip(v, judged))), end, end+len(v))
}

// isSeedPhrase reports whether v may be the seed phrase of a wallet: less than a third of its words are usual in sentences or repeated.
func isSeedPhrase(v string) bool {
	usual, last := 0, ""
	for w := range strings.FieldsSeq(v) {
		bare := strings.Trim(w, "\"',|>*")
		if inList("messageWords", bare) || inList("ordinary", bare) || bare == last {
			usual++
		}
		last = w
	}
	return usual*3 < wordCount(v)
}

// loginSentence finds the password of a sentence such as "log in with USER / PASSWORD". The keyword stands before the password.
func loginSentence(s string, at, end int) (int, int) {
	const mostHead = 64
	before := s[max(0, at-longestName):at]
	bare := strings.TrimRight(before, "`*")
	user := len(dotted.tail(bare)) + 2*(len(before)-len(bare)) // width of the user with the quotes around it
	end += leading(clip(s[end:], 2), "*")
	head := s[lineBegin(s, at):at]
	if user == len(head) {
		head = s[lineBegin(s, max(0, at-user-1)):at] // below a title
	}
	head = head[max(0, len(head)-mostHead):]
	from, to := sentenceWord(s, end)
	if from < 0 {
		return -1, -1
	}
	login := foldContains(head, parts("logins")) && unmistakable(clip(s[from:to], judged))
	if s[at+1] != '/' { // the keyword is no slash behind a user
		return placeIf(login || foldContains(head, parts("loginVerbs")) || foldContains(head, parts("logins")) && isChosenWord(s[from:to]), from, to)
	}
	if user < 2 || len(head) < user || strings.Contains(head, " / ") || len(head) > user && head[len(head)-user-1] == '/' {
		return -1, -1 // a path, a list
	}
	return placeIf(login || foldContains(head[:len(head)-user]+clip(s[to:lineEnd(s, to)], mostHead), parts("logins")), from, to)
}

// loginPair finds the password of USER:PASSWORD or USER/PASSWORD. The pair stands directly behind the keyword, which names a login, or
// behind words or signs such as "is" and a colon.
func loginPair(s string, at, end int) (int, int) {
	if end+1 < len(s) && (s[end] == ':' || s[end] == '/') && s[end+1] != ' ' {
		if from, to := sentenceWord(s, end+1); from >= 0 && !(at > 0 && (word | slash).has(s[at-1])) && unmistakablePassword(clip(s[from:to], judged)) {
			return from, to // admin:…
		}
	}
	for w := -1; w != 0; end += max(w, 0) {
		w = prefixOf(s[end:], " 정보", "정보", " details", " info", " data", " credentials", "은", "는", "は", " is", " are", ":", "：", "=")
	}
	i := end + leading(clip(s[end:], longestBlank), " \t\n")
	user := dotted.run(s[i:])
	if strings.Contains(s[end:i], "\n\n") && s[end-1] != ':' {
		return -1, -1 // a new paragraph
	}
	joined := i > end || s[end-1] == '=' || s[end-1] == '"'
	if !joined || user < 2 || i+user == len(s) {
		return -1, -1
	}
	ownLine := s[i+user] == '\n' && s[i-1] == '\n' && s[end-1] == ':' // the user is, and so is the password below it
	if s[i+user] != ':' && s[i+user] != '/' && !ownLine {
		return -1, -1
	}
	return sentenceWord(s, i+user+1)
}

// sentenceWord returns the bounds of the word of a sentence at from if it looks like a password, else -1, -1.
func sentenceWord(s string, from int) (int, int) {
	q, width := opening(s[from:])
	from += width
	to := from + indexOr(s[from:], " \t\r\n\"'`\\")
	if q.close != "" {
		to = from + q.value(s[from:])
	}
	if i := strings.IndexFunc(s[from:to], func(r rune) bool { return wide(r) || strings.ContainsRune("—“”‘’→│", r) }); i >= 0 {
		to = from + i
	}
	if q.close == "" {
		bare, _, _ := strings.Cut(s[from:to], "</") // the end of an element of HTML
		to = from + len(strings.TrimRight(bare, ".,;:!?)*"))
	}
	if i := strings.IndexByte(s[from:to], '='); i > 0 && (namesSecret(s[from:from+i]) || lower.only(s[from:from+i]) && dotted.only(s[from+i+1:to])) {
		return -1, -1 // an assignment, for which other rules exist
	}
	v := clip(s[from:to], judged)
	_, verb, ok := strings.Cut(v, "%")
	format := ok && prefixOf(verb, "s", "0", ".", "%0") > 0 && !scrambled(v) // %s, %.4s, %%0A
	if wordCount(v) != 1 || pathlike(v) || format || prefixOf(v, "[", "-", ":", "x:") > 0 || letters.only(v) && strings.HasPrefix(s[to:], ":") {
		return -1, -1
	}
	code := prefixOf(v, ")", ".") > 0 && strings.Contains(v, "(") || q.close == "" && strings.HasSuffix(v, "++") || prefixOf(v, "*", "&") > 0 && isSelector(v)
	return placeIf(!code && (sense{namedPassword, byName}.isSecretAnywhere(v) || isChosenWord(v)), from, to)
}

// usedAs finds the password of "use PASSWORD as the password". The name begins at start.
func usedAs(s string, start int) (int, int) {
	near := max(0, start-longestTail)
	head := strings.TrimRight(s[near:start], " ") // up to the word "as", in the end
	for _, sign := range parts("asSigns") {
		if before, ok := strings.CutSuffix(head, sign); ok {
			head = strings.TrimRight(before, " ") + " as"
		}
	}
	blank := strings.LastIndexByte(head, ' ')
	for blank >= 0 && inList("articles", head[blank+1:]) {
		head = strings.TrimRight(head[:blank], " ")
		blank = strings.LastIndexByte(head, ' ')
	}
	if blank < 0 || !inList("asWords", head[blank+1:]) {
		return -1, -1
	}
	end := near + len(strings.TrimSuffix(head[:blank], " in"))
	from := max(strings.LastIndexAny(s[:end], " \t\r\n")+1, end-usualWindow/2)
	v := strings.Trim(s[from:end], "`\"'")
	from += strings.Index(s[from:end], v)
	begin, to := sentenceWord(s[:from+len(v)], from)
	description := inList("equating", head[blank+1:]) && (hasCodeWord(v) || !unmistakablePassword(v)) // X is the password
	return placeIf(begin >= 0 && !description, begin, max(to, from+len(v)))
}
