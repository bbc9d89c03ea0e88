package redact

import "strings"

// commandWindow holds the commands that people write.
const commandWindow = 1 << 10

// Credentials among the arguments of commands. An option such as -u means something else to most commands, so the command's
// name is the keyword. Options whose own name tells, as --password, need no command: see assignment.
var commandLines = [...]Rule{
	command{letters: "uUa", long: []string{"--user", "--proxy-user", "--auth", "--src-creds", "--dest-creds", "--creds"}, apart: true, glued: true, user: ":,"}.rule("command-user", "user:password: curl -u", "curl ", "http ", "https ", "xh ", "lftp ", "etcdctl ", "skopeo "),
	command{letters: "U", long: []string{"--user"}, apart: true, glued: true, user: "%"}.rule("samba-user", "user%password: smbclient -U", "smbclient ", "rpcclient ", "smbget ", "net rpc ", "net ads "),
	command{letters: "p", glued: true}.rule("command-p-glued", "-ppassword: mysql, 7z", "mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mysqlcheck ", "mysqlsh ", "mariadb ", "mariadb-dump ", "7z ", "7za ", "7zz ", "unrar ", "rar "),
	command{letters: "p", apart: true, glued: true, only: true}.rule("command-p", "-p password: sshpass, docker login", "sshpass ", "login ", "mongo ", "mongosh ", "mongodump ", "mongorestore ", "mongoimport ", "mongoexport ", "cqlsh ", "rdesktop ", "useradd ", "usermod ", "psexec ", "evil-winrm ", "crackmapexec ", "nxc "),
	command{letters: "P", apart: true, only: true}.rule("command-capital-p", "-P password: zip, sqlcmd", "zip ", "unzip ", "sqlcmd ", "bcp ", "mosquitto_pub ", "mosquitto_sub ", "ipmitool ", "zipcloak "),
	command{letters: "a", apart: true, only: true, within: true}.rule("command-a", "-a password: redis-cli", "is-cli ", "ey-cli ", "db-cli "),
	command{letters: "ws", apart: true, only: true}.rule("command-w", "-w password: ldapsearch", "ldapsearch ", "ldapadd ", "ldapmodify ", "ldapdelete ", "ldapwhoami ", "ldappasswd ", "ldapcompare "),
	command{letters: "w", apart: true, only: true}.rule("command-security", "-w password: security", "add-generic-password ", "add-internet-password "),
	command{letters: "AX", apart: true, only: true}.rule("command-snmp", "-A passphrase -X passphrase: snmpwalk", "snmpwalk ", "snmpget ", "snmpset ", "snmpbulkwalk "),
	command{letters: "kK", apart: true, only: true}.rule("command-k", "-k password: openssl enc", "openssl enc ", "openssl aes-256-cbc "),
	command{letters: "NP", apart: true, only: true}.rule("command-n", "-N passphrase: ssh-keygen", "ssh-keygen "),
	command{letters: "b", long: []string{"--body", "--value", "--secret-string"}, apart: true, only: true, within: true}.rule("command-value", "--value secret of a command that stores one: gh secret set", "secret set ", "secrets set ", "e-secret ", "-secret-value ", "-parameter ", "secret create "),
	{Name: "curl-cookie", Kind: "cookie", Finds: "the cookies of curl -b NAME=VALUE", Keywords: []string{"curl "}, apart: word, window: commandWindow, generic: true, each: curlCookies},
	{Name: "command-pairs", Kind: "secret", Finds: "the values that a command stores as secrets: --from-literal=NAME=value, secrets set NAME=value", Keywords: []string{"--from-literal", "secrets set ", "secrets:set "}, window: commandWindow, generic: true, each: literalPairs},
	argued(`(?:htpasswd +-\w*b\w* +\S+ +\S+|vault login(?: +-\S+)*|operator unseal|mc alias set +\S+ +\S+ +\S+|mc config host add +\S+ +\S+ +\S+|wpa_passphrase +\S+|composer config http-basic\.\S+ +\S+|poetry config \S*(?:token|basic)\S*(?: +\S+@?\S*)?|cloudflared service install|snyk auth|rclone obscure|qpdf --encrypt) +["']?([^\s"'\\;|&=-][^\s"'\\;|&]*)`, argument,
		"positional", "the password among the arguments of htpasswd -b, vault login, mc alias set", "htpasswd -", "vault login ", "operator unseal ", "mc alias set ", "mc config host add ", "wpa_passphrase ", "composer config ", "poetry config ", "cloudflared service ", "snyk auth ", "rclone obscure ", "qpdf "),
	argued(`\S+(?: +-[\w-]+)* +["']?[\w.-]+/[\w.-]+:(\S{3,})@`, argument, "impacket", "the password of domain/user:password@host, as tools of Windows networks take it", "impacket-", "exec.py ", "sdump.py "),
	argued(`(?:/user:[\w.\\-]+|net use(?: +\w:)? +\\\S+) +["']?([^\s"'/-][^\s"']*)`, password, "net-use", "the password behind the user or the share of net use", "/user:", "net use "),
	argued(`(?:net user +(?:/add +)?|mqctl +(?:add_user|change_password) +)["']?[\w.\\@-]+["']? +["']?([^\s"'/-][^\s"']{2,})`, argument, "net-user", "the password of a user that a command adds: net user name password /add, rabbitmqctl add_user name password", "net user ", "mqctl "),
	argued(` [/-]\w+[: ]["']?([^\s"']{3,})`, argument, "slash-p", "the password of /p:password: xfreerdp", " /p:", " /rp ", " /pwd:", " -p:", " -pw ", " -pwd "),
	argued(`pass:["']?([^\s"'\\]{3,})`, argument, "openssl-pass", "the password of openssl -passin pass:password", "pass:"),
	argued(`(?i:\S+) +(?:-\w+ +)*["']([^"'\r\n]{3,})["']`, argument, "secure-string", "the text that PowerShell makes a secure string of", "o-SecureString ", "o-securestring "),
	argued(`(?i:sp_addlogin +N?'[^']+', *N?|\w+ +(?:\w+ +(?:\w+ +)?by +)?(?:\w+ +)?)["'\\]+([^\s"'\\;]{3,})`, argument, "sql-user", "the password of a user that SQL creates: IDENTIFIED BY 'password'", "IDENTIFIED BY ", "IDENTIFIED WITH ", "identified by ", "identified with ", "sp_addlogin "),
	argued(`(?i:acl setuser +\S+[^\n>]* >)(\S{3,})`, argument, "redis-user", "the password of a user of Redis: ACL SETUSER name >password", "ACL SETUSER ", "acl setuser "),
	argued(`machine\s+\S+\s+login\s+\S+\s+password\s+([^\s"'\\]{3,})`, argument, "netrc", "the password of an entry in a .netrc", "machine "),
	argued(`(?:e:thin:|\w+(?: +-\w+)* +["']?)\w+/["']?([^\s"'@/]{3,})["']?@`, argument, "oracle-user", "the password of user/password@host, as Oracle's tools take it", "e:thin:", "sqlplus ", "sqlldr "),
	argued(`:[\d*]+:[^:\s]+:[^:\s]+:([^\s"']{3,})`, argument, "pgpass", "the password of a line in a .pgpass: host:port:database:user:password", ":5432:", ":5433:", ":6432:", ":*:*:"),
	argued(`send(?:_user)? +(?:-- +)?["']([^"'\r\n\\]{3,})\\+r`, password, "expect", "the password that a script of expect sends", "send ", "send_user "),
	argued(`(?:\w+ +\w+(?: +\d+)?|--\w+) +([^\s"']{6,})`, password, "device", "the password in the configuration of a device or a machine", "auth sha ", "auth md5 ", "priv aes ", "--plaintext ", "--iscrypted "),
	argued(`[\w-]+ +key +([^\s"']{6,})`, password, "device-key", "a key in the configuration of a device", "tacacs-server key ", "radius-server key ", "isakmp key "),
	argued(`(?:key-string|secret_id=|\{PLAIN\}) *([^\s"']{6,})`, password, "device-string", "a key of a chain, the secret of a role, a password in plain text", "key-string ", "secret_id=", "{PLAIN}"),
	argued(`.login=(\S{6,})`, password, "login-setting", "what a tool is given to log in: -Dsonar.login=…", ".login="),
	argued(`add-mask::(\S{3,})`, argument, "masked", "what a job of GitHub hides from its log", "add-mask::"),
	{Name: "command-login", Kind: "token", Finds: "what looks random among the arguments of a command that logs in: cargo login …, doctl auth init -t …", Keywords: []string{"login ", "auth ", "authtoken "}, apart: word, window: commandWindow, generic: true, find: randomArgument},
	{Name: "command-option", Kind: "password", Finds: "the password of -p behind the user of -u: twine upload -u user -p password; of other options what looks made", Keywords: []string{" -p ", " -P ", " -k ", " -w ", " -a ", " -t "}, generic: true, find: behindUser, check: argument},
	{Name: "piped-password", Kind: "password", Finds: "what a command that reads a password is given: echo … | docker login --password-stdin, kinit <<< …", Keywords: []string{"--password-stdin", "sudo -s", "sudo -ks", "--with-token", "chpasswd", "passwd --stdin", "kinit ", "secret set ", "secret put ", "secret create ", "env add ", "--passphrase-fd", "| passwd", "| convertto-secure", "<<<", "cryptsetup ", "smbpasswd", "--data-file=-", "pass insert ", "read -r", "read pass"}, Fold: true, apart: word, generic: true, find: piped, check: argument},
}

var _ = declare(commandLines[:])

// argued gives the rule for the passwords among arguments that an expression finds, which begins with a keyword.
func argued(pattern string, check func(string) bool, name, finds string, keywords ...string) Rule {
	return Rule{Name: name, Kind: "password", Finds: finds, Keywords: keywords, window: commandWindow, generic: true, pattern: pattern, check: check}
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

// behindUser finds the argument of an option: of -p any when the command says before who the user is, else what looks made.
func behindUser(s string, at, end int) (int, int) {
	line := s[lineBegin(s, at):at]
	line = line[strings.LastIndexAny(line, ";|&")+1:]
	from, to := wordAt(s, end)
	v := clip(s[from:to], judged)
	if v == "" || strings.IndexByte("-/.", v[0]) >= 0 || pathlike(v) || digit.has(v[0]) && strings.Contains(v, ":") || strings.Contains(line, "sudo ") {
		return -1, -1
	}
	for _, user := range [...]string{" -u ", " --username ", " --user ", " -l ", " -U "} {
		if _, rest, ok := strings.Cut(line, user); ok && s[at+2]|0x20 == 'p' && rest != "" && rest[0] != '-' && fields(rest) < 4 && len(v) >= shortestKey || ok && made(v) {
			return from, to
		}
	}
	if made(v) && !phrase(v) && len(v) >= 10 && digit.in(v) > 1 && upper.in(v) > 0 && lower.in(v) > 0 && !strings.ContainsAny(v, ":=.,") && fields(line) > 0 {
		return from, to
	}
	return -1, -1
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

// stdinReaders are parts of commands that read a secret from their input.
var stdinReaders = []string{"pass", "secret", "token", "login", "kinit", "pdbedit", "cred", "key"}

// piped finds what echo or printf writes into the command at, or what stands behind its <<<.
func piped(s string, at, end int) (int, int) {
	if s[at] == '<' && !foldContains(s[lineBegin(s, at):at], stdinReaders) {
		return -1, -1
	}
	if s[at] == '<' {
		end = at
	}
	command := s[end : end+indexOr(s[end:], "\r\n;|")]
	if i := strings.Index(command, "<<<"); i >= 0 {
		return wordAt(s, end+i+len("<<<")+leading(command[i+len("<<<"):], " "))
	}
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
func argument(v string) bool {
	if name, value, ok := strings.Cut(v, "="); ok && value != "" && lower.only(name) {
		return false // another setting
	}
	i := strings.LastIndexByte(v, '$')
	return len(v) >= 3 && !(strings.Contains(v, ":") && label(v)) && !filler(v) && !numeric(v) && !(i > 0 && len(v)-i > 3 && upper.only(v[i+1:]))
}

// command says which argument of a command is a secret.
type command struct {
	letters string   // each a short option that takes the secret; others may be written before it, as in -su
	long    []string // long options that take it
	apart   bool     // a blank or an equals sign may stand between option and secret
	glued   bool     // nothing may
	only    bool     // the letter stands alone: -p, not -it
	within  bool     // the keyword is only the end of the command's name
	user    string   // the secret is what follows the first of these: user:password
}

// rule gives the rule for the commands that take such an argument.
func (c command) rule(name, finds string, commands ...string) Rule {
	apart := word
	if c.within {
		apart = 0
	}
	return Rule{Name: name, Kind: "password", Finds: "the password of an option " + finds, Keywords: commands, apart: apart, window: commandWindow, generic: true, find: c.find, check: argument}
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
