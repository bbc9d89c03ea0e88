package redact

import "strings"

// commandWindow holds the commands that people write.
const commandWindow = 1 << 10

// Credentials among the arguments of commands. An option such as -u means something else to most commands, so the command's
// name is the keyword.
var commandLines = [...]Rule{
	{
		Name: "curl-user", Kind: "password", Finds: "the password of curl -u user:password",
		Keywords: []string{"curl "}, apart: word, window: commandWindow, generic: true,
		find: curlUser, check: argument,
	},
	{
		Name: "curl-cookie", Kind: "cookie", Finds: "the cookies of curl -b NAME=VALUE",
		Keywords: []string{"curl "}, apart: word, window: commandWindow, generic: true, each: curlCookies,
	},
	{
		Name: "sql-user", Kind: "password", Finds: "the password of a user that SQL creates: IDENTIFIED BY 'password'",
		Keywords: []string{"identified by "}, Fold: true, apart: word, generic: true,
		pattern: `\w+ +\w+ +["'\\]+([^\s"'\\;]{3,})`, check: argument,
	},
	{
		Name: "mysql-password", Kind: "password", Finds: "the password of mysql -ppassword",
		Keywords: []string{"mysql ", "mysqldump ", "mysqladmin ", "mariadb "}, apart: word, window: commandWindow, generic: true,
		find: mysqlPassword, check: argument,
	},
	{
		Name: "sshpass-password", Kind: "password", Finds: "the password of sshpass -p password",
		Keywords: []string{"sshpass "}, apart: word, window: commandWindow, generic: true,
		find: sshpassPassword, check: argument,
	},
	{
		Name: "docker-login", Kind: "password", Finds: "the password of docker login -p password",
		Keywords: []string{"docker login ", "podman login "}, apart: word, window: commandWindow, generic: true,
		find: loginPassword, check: argument,
	},
	{
		Name: "netrc", Kind: "password", Finds: "the password of an entry in a .netrc",
		Keywords: []string{"machine "}, apart: word, generic: true,
		pattern: `machine\s+\S+\s+login\s+\S+\s+password\s+([^\s"'\\]{3,})`, check: argument,
	},
}

var _ = declare(commandLines[:])

func curlUser(s string, at, end int) (int, int) {
	return command{letters: "uU", long: []string{"--user", "--proxy-user"}, apart: true, glued: true, user: true}.find(s, at, end)
}

func curlCookies(s string, at, end int) []span {
	from, _ := command{letters: "b", long: []string{"--cookie"}, apart: true, glued: true}.find(s, at, end)
	if from < 0 {
		return nil
	}
	return cookiesIn(s[:from+indexOr(s[from:], "\"'\\\r\n")], from)
}

func mysqlPassword(s string, at, end int) (int, int) {
	return command{letters: "p", glued: true}.find(s, at, end)
}

func sshpassPassword(s string, at, end int) (int, int) {
	return command{letters: "p", apart: true, glued: true}.find(s, at, end)
}

func loginPassword(s string, at, end int) (int, int) {
	return command{letters: "p", apart: true}.find(s, at, end)
}

// argument reports whether an argument is a password and not a variable or a number, as the user and group of a container.
func argument(v string) bool { return len(v) >= 3 && !filler(v) && !numeric(v) }

// command says which argument of a command is a secret.
type command struct {
	letters string   // each a short option that takes the secret; others may be written before it, as in -su
	long    []string // long options that take it
	apart   bool     // a blank or an equals sign may stand between option and secret
	glued   bool     // nothing may
	user    bool     // the secret is what follows the colon of user:password
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
			if from, to := c.secret(s, i+1); from >= 0 {
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
	for i < len(s) && strings.IndexByte(" \t=\"'\\", s[i]) >= 0 {
		if gap.has(s[i]) || s[i] == '=' {
			parted = true
		}
		i++
	}
	if parted && !c.apart || !parted && !c.glued {
		return -1, -1
	}
	to = i + indexOr(s[i:], argumentEnds)
	if c.user {
		user, _, ok := strings.Cut(s[i:to], ":")
		if !ok || user == "" {
			return -1, -1
		}
		i += len(user) + 1
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
	if i := strings.IndexAny(cluster, c.letters); i >= 0 {
		return len("-") + i + 1
	}
	return 0
}
