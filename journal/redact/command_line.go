package redact

import "strings"

// commandWindow holds the commands that people write.
const commandWindow = 1 << 10

// Credentials among the arguments of commands. An option such as -u means something else to most commands, so the command's
// name is the keyword. Options whose own name tells, as --password, need no command: see assignment.
var commandLines = [...]Rule{
	command{letters: "uUa", long: []string{"--user", "--proxy-user", "--auth"}, apart: true, glued: true, user: ":,"}.rule("command-user", "password", word, "the password of an option that takes user:password: curl -u",
		"curl ", "http ", "https ", "xh ", "lftp "),
	{
		Name: "curl-cookie", Kind: "cookie", Finds: "the cookies of curl -b NAME=VALUE",
		Keywords: []string{"curl "}, apart: word, window: commandWindow, generic: true, each: curlCookies,
	},
	command{letters: "U", long: []string{"--user"}, apart: true, glued: true, user: "%"}.rule("samba-user", "password", word, "the password of smbclient -U user%password",
		"smbclient ", "rpcclient ", "smbget "),
	command{letters: "p", glued: true}.rule("command-p-glued", "password", word, "the password of an option -ppassword: mysql, 7z",
		"mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mysqlcheck ", "mysqlsh ", "mariadb ", "mariadb-dump ", "7z ", "7za ", "7zz ", "unrar "),
	command{letters: "p", apart: true, glued: true, only: true}.rule("command-p", "password", word, "the password of an option -p password or --password password of commands to which -p means that",
		"sshpass ", "login ", "mongo ", "mongosh ", "mongodump ", "mongorestore ", "mongoimport ", "mongoexport ", "cqlsh ", "rdesktop ", "evil-winrm ", "crackmapexec ", "nxc "),
	command{letters: "P", apart: true, only: true}.rule("command-capital-p", "password", word, "the password of an option -P password: zip, sqlcmd, mosquitto_pub",
		"zip ", "unzip ", "sqlcmd ", "bcp ", "mosquitto_pub ", "mosquitto_sub ", "ipmitool ", "zipcloak "),
	command{letters: "a", apart: true, only: true}.rule("command-a", "password", 0, "the password of redis-cli -a password",
		"is-cli ", "ey-cli ", "db-cli "),
	command{letters: "w", apart: true, only: true}.rule("command-w", "password", word, "the password of ldapsearch -w password",
		"ldapsearch ", "ldapadd ", "ldapmodify ", "ldapdelete ", "ldapwhoami ", "ldappasswd ", "ldapcompare "),
	command{letters: "NP", apart: true, only: true}.rule("command-n", "password", word, "the passphrase of ssh-keygen -N passphrase",
		"ssh-keygen "),
	{
		Name: "command-value", Kind: "secret", Finds: "the value that a command stores as a secret: gh secret set NAME --body value",
		Keywords: []string{"secret set ", "secrets set ", "e-secret ", "-secret-value ", "-parameter ", "secret create "},
		window:   commandWindow, generic: true, find: command{letters: "b", long: []string{"--body", "--value", "--secret-string"}, apart: true, only: true}.find, check: argument,
	},
	{
		Name: "command-pairs", Kind: "secret", Finds: "the values that a command stores as secrets: --from-literal=NAME=value, secrets set NAME=value",
		Keywords: []string{"--from-literal", "secrets set ", "secrets:set "}, window: commandWindow, generic: true, each: literalPairs,
	},
	{
		Name: "command-positional", Kind: "password", Finds: "the password among the arguments of htpasswd -b, vault login, mc alias set",
		Keywords: []string{"htpasswd -", "vault login ", "mc alias set ", "mc config host add ", "wpa_passphrase "}, apart: word, window: commandWindow, generic: true,
		pattern: `(?:htpasswd +-\w*b\w* +\S+ +\S+|vault login(?: +-\S+)*|mc alias set +\S+ +\S+ +\S+|mc config host add +\S+ +\S+ +\S+|wpa_passphrase +\S+) +["']?([^\s"'\\;|&-][^\s"'\\;|&]*)`,
		check:   argument,
	},
	{
		Name: "command-login", Kind: "token", Finds: "what looks random among the arguments of a command that logs in: cargo login …, doctl auth init -t …",
		Keywords: []string{"login ", "auth ", "authtoken "}, apart: word, window: commandWindow, generic: true, find: randomArgument,
	},
	{
		Name: "command-user-p", Kind: "password", Finds: "the password of -p behind the user of -u: twine upload -u user -p password",
		Keywords: []string{" -p "}, generic: true, find: behindUser, check: argument,
	},
	{
		Name: "net-use", Kind: "password", Finds: "the password behind the user of net use: /user:name password",
		Keywords: []string{"/user:"}, generic: true, pattern: `/user:[\w.\\-]+ +["']?([^\s"'/-][^\s"']*)`, check: made,
	},
	{
		Name: "net-user", Kind: "password", Finds: "the password of a user that a command adds: net user name password /add, rabbitmqctl add_user name password",
		Keywords: []string{"net user ", "mqctl "}, generic: true,
		pattern: `(?:net user +(?:/add +)?|mqctl +(?:add_user|change_password) +)["']?[\w.\\@-]+["']? +["']?([^\s"'/-][^\s"']{2,})`, check: argument,
	},
	{
		Name: "slash-p", Kind: "password", Finds: "the password of /p:password: xfreerdp",
		Keywords: []string{" /p:"}, generic: true, pattern: ` /p:["']?([^\s"']{3,})`, check: argument,
	},
	{
		Name: "here-string", Kind: "password", Finds: "what a command that asks for a password is given: kinit <<< password",
		Keywords: []string{"<<< "}, generic: true, find: hereString, check: argument,
	},
	{
		Name: "openssl-pass", Kind: "password", Finds: "the password of openssl -passin pass:password",
		Keywords: []string{"pass:"}, apart: word, generic: true, pattern: `pass:([^\s"'\\]{3,})`, check: argument,
	},
	{
		Name: "piped-password", Kind: "password", Finds: "what echo gives a command that reads a password: echo … | docker login --password-stdin",
		Keywords: []string{"--password-stdin", "sudo -s", "sudo -ks", "--with-token", "chpasswd", "passwd --stdin"}, Fold: true, apart: word, generic: true, find: piped, check: argument,
	},
	{
		Name: "secure-string", Kind: "password", Finds: "the text that PowerShell makes a secure string of",
		Keywords: []string{"o-securestring "}, Fold: true, generic: true, pattern: `\S+ +(?:-\w+ +)*["']([^"'\r\n]{3,})["']`, check: argument,
	},
	{
		Name: "sql-user", Kind: "password", Finds: "the password of a user that SQL creates: IDENTIFIED BY 'password'",
		Keywords: []string{"identified by ", "identified with "}, Fold: true, apart: word, generic: true,
		pattern: `\w+ +(?:\w+ +(?:\w+ +)?by +)?(?:\w+ +)?["'\\]+([^\s"'\\;]{3,})`, check: argument,
	},
	{
		Name: "netrc", Kind: "password", Finds: "the password of an entry in a .netrc",
		Keywords: []string{"machine "}, apart: word, generic: true,
		pattern: `machine\s+\S+\s+login\s+\S+\s+password\s+([^\s"'\\]{3,})`, check: argument,
	},
	{
		Name: "oracle-user", Kind: "password", Finds: "the password of user/password@host, as Oracle's tools take it",
		Keywords: []string{"e:thin:", "sqlplus ", "sqlldr "}, generic: true,
		pattern: `(?:e:thin:|\w+(?: +-\w+)* +["']?)\w+/["']?([^\s"'@/]{3,})["']?@`, check: argument,
	},
	{
		Name: "pgpass", Kind: "password", Finds: "the password of a line in a .pgpass: host:port:database:user:password",
		Keywords: []string{":5432:", ":5433:", ":6432:", ":*:*:"}, generic: true, pattern: `:[\d*]+:[^:\s]+:[^:\s]+:([^\s"']{3,})`, check: argument,
	},
}

var _ = declare(commandLines[:])

// hereString finds the word behind <<< of a command that reads a password.
func hereString(s string, at, end int) (int, int) {
	line := s[lineBegin(s, at):at]
	for _, c := range [...]string{"kinit", "passwd", "sudo -S", "password-stdin", "cryptsetup", "passphrase", "with-token"} {
		if strings.Contains(line, c) {
			return wordAt(s, end)
		}
	}
	return -1, -1
}

func curlCookies(s string, at, end int) []span {
	from, _ := command{letters: "b", long: []string{"--cookie"}, apart: true, glued: true}.find(s, at, end)
	if from < 0 {
		return nil
	}
	return cookiesIn(s[:from+indexOr(s[from:], "\"'\\\r\n")], from)
}

// literalPairs finds the values of the arguments NAME=value that follow, up to the end of the command.
func literalPairs(s string, at, end int) (found []span) {
	if strings.HasPrefix(s[at:], "--") {
		i := end + leading(clip(s[end:], 4), " =\"'")
		n := word.run(s[i:]) + dot.run(s[i:])
		if i += n + (dotted).run(s[i+n:]); n == 0 || i == len(s) || s[i] != '=' {
			return nil
		}
		_, to := wordAt(s, i+1)
		return checked(found, s, i+1, to)
	}
	for i := end; i < len(s) && strings.IndexByte("\r\n;|&", s[i]) < 0; {
		from, to := wordAt(s, i)
		if name, _, ok := strings.Cut(s[from:to], "="); ok && word.only(name) && name != "" {
			found = checked(found, s, from+len(name)+1, to)
		}
		i = max(to, from) + 1
	}
	return found
}

func checked(found []span, s string, from, to int) []span {
	if q, width := opening(s[from:]); q.close != "" {
		from += width
		to = from + q.value(s[from:])
	}
	if from < to && argument(clip(s[from:to], judged)) {
		found = append(found, span{from: from, to: to})
	}
	return found
}

// randomArgument finds the argument that looks random, up to the end of the command.
func randomArgument(s string, at, end int) (int, int) {
	const mostWords = 8
	line := s[lineBegin(s, at):at]
	line = strings.Trim(line[strings.LastIndexAny(line, ";|&\"'")+1:], " $")
	if n := fields(line); n == 0 || n > 2 || !(lower | digit | hyphen | gap).only(line) {
		return -1, -1 // no command: prose
	}
	for i, n := end, 0; n < mostWords && i < len(s) && strings.IndexByte("\r\n;|&", s[i]) < 0; {
		from, to := wordAt(s, i)
		if v := clip(s[from:to], judged); chance(v) && !uuidLike(v) && !strings.Contains(v, "://") && strings.IndexByte("-./", v[0]) < 0 && !strings.ContainsAny(v, "=:@") {
			return from, to
		}
		i = max(to, from) + 1
		n++
	}
	return -1, -1
}

// behindUser finds the argument of -p when the command says before who the user is.
func behindUser(s string, at, end int) (int, int) {
	line := s[lineBegin(s, at):at]
	line = line[strings.LastIndexAny(line, ";|&")+1:]
	i := max(strings.LastIndex(line, " -u "), strings.LastIndex(line, " --username "), strings.LastIndex(line, " --user "))
	if i < 0 || strings.Contains(line, "sudo ") || strings.HasPrefix(strings.TrimLeft(line[i+len(" -u "):], " "), "-") {
		return -1, -1
	}
	from, to := wordAt(s, end)
	if v := s[from:to]; strings.HasPrefix(v, "-") || digit.has(s[min(from, len(s)-1)]) && strings.Contains(v, ":") || strings.HasPrefix(v, "/") || !made(v) && !chance(v) && !strange(v) {
		return -1, -1
	}
	return from, to
}

// wordAt returns where the word of a command is that begins at i, without the quotes around it.
func wordAt(s string, i int) (from, to int) {
	q, width := opening(s[i:])
	from = i + width
	if q.close != "" {
		return from, from + q.value(s[from:])
	}
	return from, from + indexOr(s[from:], argumentEnds)
}

// piped finds what echo or printf writes into the command at.
func piped(s string, at, _ int) (int, int) {
	line := s[lineBegin(s, at):at]
	bar := strings.LastIndexByte(line, '|')
	if bar < 0 {
		return -1, -1
	}
	offset := at - len(line)
	line = line[:bar]
	begin := -1
	for _, c := range [...]string{"echo ", "printf "} {
		if i := strings.LastIndex(line, c); i >= 0 {
			begin = i + len(c)
		}
	}
	if begin < 0 {
		return -1, -1
	}
	for strings.HasPrefix(line[begin:], "-") || strings.HasPrefix(line[begin:], "'%s") || strings.HasPrefix(line[begin:], `"%s`) {
		next := strings.IndexByte(line[begin:], ' ')
		if next < 0 {
			return -1, -1
		}
		begin += next + 1
	}
	from, to := wordAt(s, offset+begin)
	if user, _, ok := strings.Cut(s[from:to], ":"); ok && word.only(user) {
		from += len(user) + 1
	}
	return from, to
}

// argument reports whether an argument is a password and not a variable or a number, as the user and group of a container.
func argument(v string) bool { return len(v) >= 3 && !filler(v) && !numeric(v) }

// command says which argument of a command is a secret.
type command struct {
	letters string   // each a short option that takes the secret; others may be written before it, as in -su
	long    []string // long options that take it
	apart   bool     // a blank or an equals sign may stand between option and secret
	glued   bool     // nothing may
	only    bool     // the letter stands alone: -p, not -it
	user    string   // the secret is what follows the first of these: user:password
}

// rule gives the rule for the commands that take such an argument.
func (c command) rule(name, kind string, apart charset, finds string, commands ...string) Rule {
	return Rule{Name: name, Kind: kind, Finds: finds, Keywords: commands, apart: apart, window: commandWindow, generic: true, find: c.find, check: argument}
}

// find looks for the option up to the end of the command. A backslash continues the line.
func (c command) find(s string, _, end int) (from, to int) {
	for i := end - 1; i+1 < len(s); i++ {
		switch s[i] {
		case '\n', ';', '|':
			return -1, -1
		case '&':
			if s[i+1] == '&' {
				return -1, -1
			}
		case '\\':
			i++
		case ' ', '\t':
			if from, to := c.secret(s, i+1); from >= 0 && from < to {
				return from, to
			}
		}
	}
	return -1, -1
}

// argumentEnds end an argument, which is not split at quotes that are escaped inside of JSON.
const argumentEnds = " \t\r\n\"'\\"

// secret returns where the secret is of the option at s[at:], or -1, -1 when there is no such option.
func (c command) secret(s string, at int) (from, to int) {
	i := at + c.option(s[at:])
	if i == at {
		return -1, -1
	}
	parted := false
	for i < len(s) && strings.IndexByte(" \t=", s[i]) >= 0 {
		parted = true
		i++
	}
	if i < len(s) && s[i] == '-' && c.apart {
		return -1, -1 // the next option
	}
	if parted && !c.apart || !parted && !c.glued {
		return -1, -1
	}
	if q, width := opening(s[i:]); q.close != "" {
		i += width
		to = i + q.value(s[i:])
	} else {
		to = i + indexOr(s[i:], argumentEnds)
	}
	if c.user == "" {
		return i, to
	}
	user := indexOr(s[i:to], c.user)
	if user == 0 || i+user >= to {
		return -1, -1
	}
	i += user + 1
	if q, width := opening(s[i:]); q.close != "" {
		i += width
		to = i + q.value(s[i:])
	}
	return i, to
}

// option returns the width of the option at the start of s if it takes the secret, or 0.
func (c command) option(s string) int {
	for _, l := range c.long {
		if strings.HasPrefix(s, l) && len(s) > len(l) && (s[len(l)] == ' ' || s[len(l)] == '=') {
			return len(l)
		}
	}
	if len(s) < 2 || s[0] != '-' {
		return 0
	}
	const most = 8
	cluster := clip(s[1:], most)
	cluster = cluster[:(lower | upper).run(cluster)]
	if i := strings.IndexAny(cluster, c.letters); i >= 0 && !(c.only && (i > 0 || !c.glued && len(cluster) > 1)) {
		return len("-") + i + 1
	}
	return 0
}
