package redact

// Credentials among the arguments of commands. An option such as -u means something else to most commands, so the command's
// name is the keyword. What lies between is bounded by the line, which a backslash may continue, and by the window.
const (
	arguments = `(?:[^\n\\;|&]|\\(?s:.)|&[^&])*?`
	// commandWindow holds the commands that people write.
	commandWindow = 1 << 10
)

var (
	_ = declare(Rule{
		Name: "curl-user", Kind: "password", Finds: "the password of curl -u user:password",
		Keywords: []string{"curl "}, apart: word, window: commandWindow, generic: true,
		pattern: `curl` + arguments + `(?:\s|\\n)(?:-[a-zA-Z]*[uU]|--(?:proxy-)?user)(?:[\s=]|\\)*["'\\]*[^\s:"'\\$=]+:([^\s"'\\]{3,})`, check: argument,
	})
	_ = declare(Rule{
		Name: "mysql-password", Kind: "password", Finds: "the password of mysql -ppassword",
		Keywords: []string{"mysql ", "mysqldump ", "mysqladmin ", "mariadb "}, apart: word, window: commandWindow, generic: true,
		pattern: `[a-z]+` + arguments + `\s-p["'\\]*([^\s"'\\]{6,})`, check: argument,
	})
	_ = declare(Rule{
		Name: "sshpass-password", Kind: "password", Finds: "the password of sshpass -p",
		Keywords: []string{"sshpass "}, apart: word, window: commandWindow, generic: true,
		pattern: `sshpass\s+-p\s*["'\\]*([^\s"'\\]{3,})`, check: argument,
	})
	_ = declare(Rule{
		Name: "docker-login", Kind: "password", Finds: "the password of docker login -p",
		Keywords: []string{"docker login ", "podman login "}, apart: word, window: commandWindow, generic: true,
		pattern: `[a-z]+ login` + arguments + `\s-p[\s=]+["'\\]*([^\s"'\\]{3,})`, check: argument,
	})
	_ = declare(Rule{
		Name: "netrc", Kind: "password", Finds: "the password of an entry in a .netrc",
		Keywords: []string{"machine "}, apart: word, generic: true,
		pattern: `machine\s+\S+\s+login\s+\S+\s+password\s+([^\s"'\\]{3,})`, check: argument,
	})
)

// argument reports whether an argument is a password and not a variable or a number, as the user and group of a container.
func argument(v string) bool { return !filler(v) && !numeric.only(v) }
