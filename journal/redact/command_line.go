package redact

import "strings"

// This file finds secrets among the arguments of commands.

// changedTo finds the word behind an arrow or a decoder that a mark precedes: a redacted secret was changed or decoded to that word.
func changedTo(s string, at, end int) (int, int) {
	before := strings.TrimRight(s[max(0, at-longestName):at], "\"'`")
	from, to := wordAt(s, end)
	return placeIf(isMark(before[max(0, strings.LastIndex(before, markOpen)):]), behindColon(s[:to], from), to)
}

// optionPattern returns the expression for the password after an option of a command. If signs is not empty, a user and one of these
// signs stand before the password. No other command begins between the command and the option; a backslash may continue the line.
func optionPattern(option, signs string) string {
	secret := `([^\s\[-][^\s"'\\]*|\[[^r\s][^\s"'\\]*)`
	if signs != "" {
		secret = `[^\s"'\\:,%-][^\s"'\\:,%]*(?:\\+[\w.-]+)?[` + signs + `]["']?` + secret
	}
	return `(?s:\S+(?:[^\n;|&\\]|\\.|&[^&])*?[ \t](?:` + option + `)\\*["']?)` + secret
}

// behindCommands returns the keywords of commands, which "; " separates, and the expression for the password behind them. In a
// command " @" means any word, and "~" any options.
func behindCommands(commands string) (keywords []string, pattern string) {
	wild := strings.NewReplacer(" @", ` +\S+?`, "~", `(?: +-[\w-]+)*`, " ", " +")
	patterns := strings.Split(commands, "; ")
	for i, c := range patterns {
		keywords = append(keywords, c[:indexOr(c, `@~\([.`)])
		if keywords[i] == c {
			keywords[i] += " "
		}
		patterns[i] = wild.Replace(c)
		if strings.IndexByte(":]", c[len(c)-1]) < 0 { // behind these signs no blank is needed
			patterns[i] += " +"
		}
	}
	return keywords, "(?:" + strings.Join(patterns, "|") + `)["']?([^\s"'\\;|&=\[+-][^\s"'\\;|&]*|\[[^r\s][^\s"'\\;|&]*)`
}

// isSettingSecret reports whether a value that a command stores under any name looks like a secret.
func isSettingSecret(v string) bool { return unmistakablePassword(v) && !uuidLike(v) }

// randomArgument finds the first argument that looks random or, in quotes, like a password, among the first eight of the command.
func randomArgument(s string, at, end int) (int, int) {
	const mostWords = 8
	line := s[lineBegin(s, at):at]
	line = strings.Trim(line[strings.LastIndexAny(line, ";|&\"'")+1:], " $+%>❯")
	if n := wordCount(line); n == 0 || n > 2 || !(lower | digit | hyphen | gap).only(line) {
		return -1, -1 // prose, and no command
	}
	for i, n := end, 0; n < mostWords && i < len(s) && strings.IndexByte("\r\n;|&", s[i]) < 0; n++ {
		from, to := wordAt(s, i)
		v := clip(s[from:to], judged)
		if strings.ContainsAny(v, "()") && isCode(v) {
			return -1, -1
		}
		quoted := from > i && (mingled(v) || isChosenWord(v)) && !pathlike(v)
		if quoted || (isMachineKey(v) || len(v) >= longWord && jumbled(v)) && v[0] != '-' && !strings.ContainsAny(v, "=:@") {
			return from, to
		}
		i = max(to, from) + 1
	}
	return -1, -1
}

// behindUser finds the password that an option such as -p takes. Closely behind a user any argument of -p that is long enough counts,
// elsewhere only what looks like a password.
func behindUser(s string, at, end int) (int, int) {
	line := s[lineBegin(s, at):at]
	line = line[strings.LastIndexAny(line, ";|&")+1:]
	from, to := wordAt(s, end)
	v := clip(s[from:to], judged)
	if v == "" || contains(line, "mysql", "mariadb", "sudo ") {
		return -1, -1 // mysql's -p has its password without a blank, and sudo's -p has a prompt
	}
	if prefixOf(v, "-", "/", ".") > 0 || pathlike(v) || digit.has(v[0]) && strings.Contains(v, ":") {
		return -1, -1 // an option, a path, or ports such as 80:80
	}
	optionP := s[at+2]|0x20 == 'p' // -p or -P
	for _, option := range [...]string{" -u ", " --username ", " --user ", " -l ", " -U "} {
		_, user, ok := strings.Cut(line, option)
		long := optionP && user != "" && user[0] != '-' && wordCount(user) < 4 && len(v) >= shortestKey
		if ok && (long || passwordLike(v)) {
			return from, to
		}
	}
	quoted := from > end && optionP && wordCount(v) == 1 && isPassword(v) && !strings.Contains(line, "grep")
	mixed := passwordLike(v) && !isPhrase(v) && len(v) >= 10 && digit.in(v) > 1 && kindsIn(v) == 3
	setting := strings.ContainsAny(strings.TrimRight(v, "="), ":=.,")
	return placeIf(quoted || mixed && !setting && wordCount(line) > 0, from, to)
}

// wordAt returns the bounds of the word of a command that begins at i, without the quotes around it.
func wordAt(s string, i int) (from, to int) {
	q, width := opening(s[i:])
	from = i + width
	if q.close != "" {
		return from, from + q.value(s[from:])
	}
	return from, from + argumentRun(s[from:])
}

// argumentRun returns the length of an argument without quotes. Such an argument has a backslash only before a sign that is not in
// argumentEnds.
func argumentRun(s string) (n int) {
	for n < len(s) && (strings.IndexByte(argumentEnds, s[n]) < 0 || s[n] == '\\' && n+1 < len(s) && !alnum.has(s[n+1]) && strings.IndexByte(argumentEnds, s[n+1]) < 0) {
		n++
	}
	return n
}

// piped finds the secret that a command reads from its input: echo SECRET, piped to the command; cmd <(echo SECRET); echo SECRET
// into a file that it reads; cmd <<< SECRET.
func piped(s string, at, end int) (int, int) {
	before := s[lineBegin(s, at):at]
	line := s[end:lineEnd(s, end)]
	for _, next := range [...]string{" || ", " && ", " 2>"} {
		line, _, _ = strings.Cut(line, next)
	}
	readsSecret := func(command string) bool { return foldContains(command, parts("stdinReaders")) }
	stop := strings.LastIndexByte(line, '|') // index in line behind the argument of echo
	var isRead bool
	switch {
	case s[at] == '<':
		from, to := wordAt(s, end+gap.run(s[end:]))
		return placeIf(readsSecret(before) && !inList("filters", before[:indexOr(before, " ")]), behindColon(s, from), to)
	case strings.HasSuffix(before, "<("):
		stop = indexOr(line, ")")
		isRead = readsSecret(before) || readsSecret(line[stop:])
	case stop < 0:
		stop = strings.Index(line, " > ")
		isRead = stop >= 0 && foldContains(line[stop:], parts("secretFiles"))
	default:
		isRead = readsSecret(s[end+stop : min(end+len(line)+1, len(s))]) // with the byte behind line: some stdinReaders end with a blank
	}
	if !isRead {
		return -1, -1
	}
	begin := end // behind options, and the format of printf
	for strings.HasPrefix(s[begin:], "-") || strings.Contains(s[begin:begin+indexOr(s[begin:], " |")], "%s") {
		next := strings.IndexByte(s[begin:end+stop], ' ')
		if next < 0 {
			return -1, -1
		}
		begin += next + 1
	}
	from, to := wordAt(s, begin)
	return behindColon(s[:to], from), to
}

// behindColon returns where the password begins in the word at from, which may begin with a user and a colon.
func behindColon(s string, from int) int {
	if n := dotted.run(s[from:]); n > 0 && strings.HasPrefix(s[from+n:], ":") {
		return from + n + 1
	}
	return from
}

// mayBePassword reports whether an argument may be a password: no setting (NAME=value), name, variable, sentence, or number such as the
// user and group of a container (1000:1000).
func mayBePassword(v string) bool {
	name, value, assigns := strings.Cut(v, "=")
	nameOfWords := caseChanges(name) > 0 && inWords(name)*3 >= len(name)*2
	plainValue := value == "" || commonplace(value) || !mingled(value) && caseChanges(name) == 0
	isSetting := assigns && letters.only(name) && len(name) > 2 && (nameOfWords || plainValue)
	isName := lower.only(v) && (len(v) < shortestPassword || namesSecret(v)) || strings.Contains(v, ":") && isLabel(v)
	i := strings.LastIndexByte(v, '$')
	endsInVariable := i > 0 && len(v)-i > 3 && upper.only(v[i+1:])
	isProse := wordCount(v) > 1 && isSentence(v) || strings.ContainsFunc(v, wide)
	return len(v) >= 3 && !(isSetting || isName || endsInVariable || isProse || isFiller(v) || commonplace(v) || numeric(v))
}

// argumentEnds holds the bytes that end an argument. The backslash is among them: in JSON it precedes the quote that ends the argument.
const argumentEnds = " \t\r\n\"'\\"
