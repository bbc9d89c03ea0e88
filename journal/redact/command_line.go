package redact

import "strings"

// This file decides which argument of a command is a secret.

// commandWindow holds the commands that people write.
const commandWindow = 1 << 10

// Credentials among the arguments of commands. An option such as -u means something else to most commands, so the command's
// name is the keyword. Options whose own name tells, as --password, need no command: see assignment.
func commandRules() []Rule {
	return []Rule{
		taking(`-[A-Za-z]*[uUa][ \t=]*|--(?:user|proxy-user|auth|src-creds|dest-creds|creds)[ \t=]+`, ":,", "command-user", "the password of user:password: curl -u", "curl ", "http ", "https ", "xh ", "lftp ", "etcdctl ", "skopeo ", "curlie ", "ftp ", "mosquitto_rr ", "jenkins-cli.jar ", "ab -", "hey -", "oha ", "crane auth "),
		argued(`(?:(?:im|ex)pdp +["']?[\w.-]+/|nsupdate +-y +[\w-]+:[\w.-]+:|createUser +\S+ +[\w-]+ +"?(?:\[redacted\S+ \w+ +"?)?|<auth-user-pass>\s*\S+\s+|mysqlsh +[\w.-]+:)([^\s"']{3,}?)["']?(?:@[\w.-]+(?::\d+)?)?(?:\s|$)`, argument, "user-then", "the password behind the user that a command or a file is given", "impdp ", "expdp ", "nsupdate ", "createUser ", "<auth-user-pass>", "mysqlsh "),
		taking(`-[AP][ \t=]*`, ":", "command-bench", "the password of user:password: ab -A", "ab -"),
		argued(`(?:auth|AUTH)["']? *(?:=>|[:=]) *[\[(] *["'][^"']+["'], *["']([^"'\s]{6,})`, password, "auth-pair", "the second of a user and a password that auth is given", "auth' =>", "auth\" =>", "auth: [", "auth=["),
		taking(`-U[ \t=]*|--user[ \t=]+`, "%", "samba-user", "the password of user%password: smbclient -U", "smbclient ", "rpcclient ", "smbget ", "net rpc ", "net ads ", "winexe ", "smbcacls ", "smbcquotas ", "smbtree ", "wmic "),
		taking(`-h?p`, "", "command-p-glued", "the password of -ppassword: mysql, 7z", "mysql ", "mysqldump ", "mysqladmin ", "mysqlimport ", "mysqlcheck ", "mysqlsh ", "mariadb ", "mariadb-dump ", "7z ", "7za ", "7zz ", "unrar ", "rar "),
		taking(`-p[ \t=]*`, "", "command-p", "the password of -p password: sshpass, docker login", "sshpass ", "login ", "mongo ", "mongosh ", "mongodump ", "mongorestore ", "mongoimport ", "mongoexport ", "cqlsh ", "rdesktop ", "useradd ", "usermod ", "psexec ", "evil-winrm ", "crackmapexec ", "nxc ", "netexec ", "cypher-shell ", "smbmap ", "hydra ", "medusa ", "bloodhound-python ", "enum4linux ", "rabbitmqadmin ", "acadm ", "ilorest ", "dfishtool ", "certutil ", "esxcli ", "ldapdomaindump ", "importpfx ", "hg_unlock ", "unlock-keychain ", "create-keychain ", "jf rt ", "nodetool ", "ftpput ", "ftpget ", "ncftp ", "supabase ", "airflow users "),
		taking(`-P[ \t=]*`, "", "command-capital-p", "the password of -P password: zip, sqlcmd", "zip ", "unzip ", "sqlcmd ", "bcp ", "mosquitto_pub ", "mosquitto_sub ", "mosquitto_rr ", "ipmitool ", "zipcloak ", "isql ", "isql-fb ", "fisql ", "tsql ", "bsqldb ", "vncpasswd ", "security import "),
		taking(`-a[ \t=]+`, "", "command-a", "the password of -a password: redis-cli", "is-cli ", "ey-cli ", "db-cli "),
		taking(`-[ws][ \t=]+`, "", "command-w", "the password of -w password: ldapsearch", "ldapsearch ", "ldapadd ", "ldapmodify ", "ldapdelete ", "ldapwhoami ", "ldappasswd ", "ldapcompare ", "slappasswd ", "ldapmodrdn ", "ldapexop ", "ldapurl ", "ldapvi "),
		taking(`-w[ \t=]+`, "", "command-security", "the password of -w password: security", "add-generic-password ", "add-internet-password "),
		taking(`-[AX][ \t=]+`, "", "command-snmp", "the passphrase of -A passphrase -X passphrase: snmpwalk", "snmpwalk ", "snmpget ", "snmpset ", "snmpbulkwalk ", "snmpbulkget ", "snmpgetnext ", "snmptable ", "snmptrap ", "snmpinform ", "snmpstatus ", "snmptranslate ", "snmpdf ", "snmpusm "),
		taking(`-[kK][ \t=]+`, "", "command-k", "the password of -k password: openssl enc", "openssl enc ", "openssl aes-256-cbc ", "openssl aes-128-cbc ", "openssl des3 ", "swift -", "swift --"),
		taking(`-[NP][ \t=]+`, "", "command-n", "the passphrase of -N passphrase: ssh-keygen", "ssh-keygen "),
		taking(`(?:-b|--body|--value|--secret-string)[ \t=]+`, "", "command-value", "the secret of --value of a command that stores one: gh secret set", "secret set ", "secrets set ", "e-secret ", "-secret-value ", "-parameter ", "secret create ", "secret:create ", "env:create "),
		argued(`(?:--from-literal[ =]|secrets[ :]set +)\\*["']?[\w./-]+=["']?([^\s"'\\]+)`, argument, "command-pairs", "the value that a command stores as a secret: --from-literal=NAME=value, secrets set NAME=value", "--from-literal", "secrets set ", "secrets:set "),
		argued(`[\w:-]+(?: [\w:-]+)*? (?:\S+ )*?["']?[\w./-]+=["']?([^\s"'\\]+)`, func(v string) bool { return unmistakablePassword(v) && !uuidLike(v) }, "command-settings", "what looks like a secret among the settings that a command stores: vault kv put PATH NAME=value, config:set NAME=value", "vault kv put ", "vault kv patch ", "vault write ", "bao kv put ", "bao kv patch ", "bao write ", "config:set ", "env:set ", "variables --set ", "env set "),
		taking(`-[tkT][ \t=]+`, "", "command-token", "the token of -t token: codecov", "codecov ", "codecovcli ", "codecov.io/bash", "ldcli ", "uploader "),
		placed("positional", "the password among the arguments of htpasswd -b, vault login, mc alias set",
			`htpasswd -n\w* @; htpasswd -\w*b\w* @ @; htpasswd -c -b @ @; mosquitto_passwd -\w*b @ @; mosquitto_passwd -c -b @ @; openssl passwd~; mkpasswd~; oathtool~; radtest @; radtest @ \[redacted\S+ @ \d+; wpa_passphrase @; vault login~; bao login~; operator unseal~; mc alias set @ @ @; mc config host add @ @ @; mc admin user add @ @; mc admin user svcacct add @ @ --secret-key; etcdctl user add @:; addauth digest @:; sentinel auth-pass @; wifi connect-network @ \w+; wifi connect @ password; networksetup -setairportnetwork @ @; iwconfig @ key(?: s:)?; `+
				`cloudflared service install; convex env set @; circleci context store-secret @ @ @ @; chamber write @ @; snyk auth; rclone obscure; rclone config create @ @ pass; composer config~ http-basic\S+ @; composer config~ [a-z]+-oauth\.\S+; composer config~ [a-z]+-token\.\S+; composer config~ bearer\S+; poetry config \S*token\S*; poetry config http-basic\S* @; bundle config(?: set)?~ @ @:; npm config set @_?auth\w*; yarn config set npmAuthToken; nuget setapikey; nuget setApiKey; nuget push @(?: -[a-jl-z]\w* @)* -k; nuget push @; choco \w+ .*?-k; mvn -ep; mvn -emp; mvn --encrypt-(?:master-)?password; drush user:password @; drush upwd @; cf auth @; ngrok authtoken; ngrok config add-authtoken; glab variable (?:set|update) @; avis encrypt; `+
				`gpg-preset-passphrase~; dscl \S+ -?passwd @; dminctl .*?-(?:newP|p)assword; kutil apfs unlock\w* @ -passphrase; hdiutil .*?-passphrase; e-vault encrypt_string(?: --[\w-]+ @)*; qpdf --encrypt; qpdf --encrypt \[redacted\S+; user_pw; wner_pw; p4 passwd -[PO]; cpw -pw; addprinc -pw; ank -pw; ktpass .*?[/-]pass; keyctl (?:add|padd) user @; importprivkey; walletpassphrase; yptwallet; virsh secret-set-value @(?: --base64)?; neo4j-admin (?:dbms )?set-initial-password; t-admin-password; occ config:\w+:set .*?--value[= ]; kubeadm join .*?--token; x11vnc .*?-passwd; vmrun .*?-[gv]p; s3cmd .*?--secret_key[= ]; snmpwalk .*?-c; snmpget .*?-c; snmpset .*?-c; dsadd user .*?-pwd; dsmod user .*?-pwd; isql \S+ \w+; tsql .*?-P; iscsiadm .*?password -v; bw unlock; bw login @; lpass login; steamcmd .login @; b2 account authorize @; b2 authorize-account @; 6379> AUTH @; 6379> AUTH; az sql .*?-p`),
		argued(`\S+(?: +-[\w-]+)* +["']?[\w.-]+/[\w.-]+:(\S{3,})@`, argument, "impacket", "the password of domain/user:password@host, as tools of Windows networks take it", "impacket-", "exec.py ", "sdump.py "),
		argued(`(?:/user:[\w.\\-]+|net use(?: +\w:)? +\\\S+) +["']?([^\s"'/-][^\s"']*)`, password, "net-use", "the password behind the user or the share of net use", "/user:", "net use "),
		argued(`(?:net user +(?:/add +)?|ba-tool +user +\w+ +|mqctl +(?:add_user|change_password|authenticate_user) +)["']?[\w.\\@-]+["']? +["']?([^\s"'/-][^\s"']{2,})`, argument, "net-user", "the password of a user that a command adds: net user name password /add, rabbitmqctl add_user name password", "net user ", "ba-tool user ", "mqctl "),
		argued(`["' ][/-]\w+[: ]["']?([^\s"']{3,})`, argument, "slash-p", "the password of /p:password: xfreerdp", " /p:", "'/p:", " /p ", " /rp ", " /RP ", " /P ", " /pass:", " /pwd:", " -p:", " -upw ", " -pw ", " -pwd "),
		{Name: "openssl-pass", Kind: "password", Finds: "the password of openssl -passin pass:password", Keywords: []string{"pass:"}, apart: word, window: commandWindow, generic: true, pattern: `pass:["']?([^\s"'\\]{3,})`, check: argument},
		argued(`(?i:\S+) +(?:-\w+ +)*["']([^"'\r\n]{3,})["']`, argument, "secure-string", "the text that PowerShell makes a secure string of", "o-SecureString ", "o-securestring "),
		argued(`(?i:sp_addlogin +N?'[^']+', *N?|\w+ +(?:\w+ +(?:\w+ +)?by +)?(?:\w+ +)?)["'\\]+([^\s"'\\]{3,})`, argument, "sql-user", "the password of a user that SQL creates: IDENTIFIED BY 'password'", "IDENTIFIED BY ", "IDENTIFIED WITH ", "identified by ", "identified with ", "sp_addlogin "),
		argued(`(?:e:thin:|\w+(?: +-\w+| +target| +auxiliary| +catalog)* +["']?)[\w.-]+/["']?([^\s"'@]{3,})["']?@`, argument, "oracle-user", "the password of user/password@host, as Oracle's tools take it", "e:thin:", "sqlplus ", "NNECT ", "nnect ", "sqlldr ", "impdp ", "expdp ", "rman ", "exp ", "tnsping ", "sqlcl "),
		argued(`:[\d*]+:[^:\s]+:[^:\s]+:([^\s"']{3,})`, argument, "pgpass", "the password of a line in a .pgpass: host:port:database:user:password", ":5432:", ":5433:", ":6432:", ":*:*:"),
		argued(`send(?:_user|line)?[( ]+(?:-- +)?["']((?:[^"'\r\n\\]|\\["'$\[\]]|'){3,}?)(?:\\+[rn]|["']\))`, password, "expect", "the password that a script of expect sends", "send ", "send_user ", "sendline("),
		argued(`(?:\w+ +\w+(?: +\d+)?|--\w+|gest-key \d+ md5(?: \d)?|tication-key \d+ md5(?: \d)?) +([^\s"']{6,})`, password, "device", "the password in the configuration of a device or a machine", "auth sha ", "auth md5 ", "priv aes ", "--plaintext ", "--iscrypted ", "gest-key ", "tication-key "),
		argued(`(?:key-string|secret_id=|\{PLAIN\}|[\w-]+(?: +key| +community)?(?: +\d)?) *([^\s"']{6,})`, password, "device-string", "a key of a device, the secret of a role, a password in plain text, the community of an agent of SNMP", "key-string ", "secret_id=", "{PLAIN}", "tacacs-server key ", "radius-server key ", "isakmp key ", "snmp-server community ", "rwcommunity ", "ocommunity ", "rwcommunity6 ", "snmp community "),
		argued(`.*?=["']?(\S{6,})`, password, "login-setting", "what a tool is given to log in: -Dsonar.login=…", ".login=", "_LOGIN=", "keyMaterial="),
		argued(`\w+[:=] ?[\w.@-]+[,;]? +(?:p|pw|pass)[:=] ?(\S{6,})`, password, "short-pair", "the password of u: user p: password", "u: ", "usr: ", "user: ", "id: "),
		argued(`: (?:EAP|XAUTH|PSK|PIN|NTLM) +["']([^"'\r\n]{3,})`, argument, "ipsec-secret", "a secret in the file of an IPsec daemon: user : EAP \"password\"", ": EAP ", ": XAUTH ", ": PIN ", ": NTLM "),
		{Name: "changed", Kind: "password", Finds: "what a secret was changed or decoded to: \"…\" -> \"…\"", Keywords: []string{" -> ", " => ", " | base64 -d\n", " | base64 -D\n", " | base64 --decode\n"}, generic: true, check: password, find: changedTo},
		argued(`(?:chpasswd\b[^\n]*<<[^\n]*\n\S+?:|successfully reset\.\s+New value: +|add-mask(?:::|\])|task\.setsecret\]|issecret=true\]|\]:\d+ +\S+?:|john --show[^\n]*\n[\w.-]+:|Key Content +: +|pwgen[^\n>]*\n(?:\S{8,}\s+)*|(?:dumpprivkey|ssl rand)[^\n>]*\n|pppd +"|(?i:acl setuser) +\S+[^\n>]* >|BUNDLE_\w+__\w+[:=] *["']?[\w.@-]+:|\[\+\] ?[^\s\\]+\\+[\w.$-]+:)(\S{3,})`, argument, "announced", "what the words before it announce: a list for chpasswd, a password that elasticsearch, netsh or a tool that tried it shows, what a job of GitHub masks, a line of sasl_passwd, chap-secrets, a user of Redis", "chpasswd ", "successfully reset.", "add-mask", "task.setsecret]", "issecret=true]", "]:587 ", "]:465 ", "]:25 ", "john --show", "Key Content ", "dumpprivkey ", "ssl rand", "pwgen", "pppd ", "ACL SETUSER ", "acl setuser ", "BUNDLE_", "[+] "),
		argued(`(?:\nuser|[A-Z]+) +(?:["']?[\w.@-]+["']? +)?["']?([^\s"']{6,}?)["']?;?(?:\s*[\r\n]|$)`, unmistakablePassword, "protocol", "the password that a client sends: PASS …, AUTH user …, LOGIN user …, IDENTIFY …", "PASS ", "AUTH ", "\nuser ", "LOGIN ", "IDENTIFY ", "IDENTIFIED BY "),
		{Name: "command-login", Kind: "token", Finds: "what looks random among the arguments of a command that logs in: cargo login …, doctl auth init -t …", Keywords: []string{"login ", "auth ", "authtoken ", "unlock ", "unwrap ", "user add ", "_user ", "keys set ", "import ", "_string ", "-password "}, apart: word, window: commandWindow, generic: true, find: randomArgument},
		{Name: "command-option", Kind: "password", Finds: "the password of -p behind the user of -u: twine upload -u user -p password; of other options what looks made", Keywords: []string{" -p ", " -P ", " -k ", " -K ", " -w ", " -a ", " -t ", " -pw "}, generic: true, find: behindUser, check: argument},
		{Name: "piped-password", Kind: "password", Finds: "what a command that reads a password is given: echo … | docker login --password-stdin, kinit <<< …", Keywords: []string{"echo ", "printf ", "yes ", "<<<"}, generic: true, find: piped, check: password},
	}
}

// changedTo finds what an arrow behind a mark leads to.
func changedTo(s string, at, end int) (int, int) {
	before := strings.TrimRight(s[max(0, at-longestName):at], "\"'`")
	from, to := wordAt(s, end)
	return placeIf(isMark(before[max(0, strings.LastIndex(before, markOpen)):]), behindColon(s[:to], from), to)
}

// taking gives the rule for the password that an option of a command takes, alone or behind a user and one of some signs. Up
// to the option, on lines that a backslash continues, no other command begins.
func taking(option, signs, name, finds string, keywords ...string) Rule {
	secret := `([^\s\[-][^\s"'\\]*|\[[^r\s][^\s"'\\]*)`
	if signs != "" {
		secret = `[^\s"'\\:,%-][^\s"'\\:,%]*(?:\\+[\w.-]+)?[` + signs + `]["']?` + secret
	}
	r := argued(`(?s:\S+(?:[^\n;|&\\]|\\.|&[^&])*?[ \t](?:`+option+`)\\*["']?)`+secret, argument, name, finds, keywords...)
	r.needs = [2]string{"-", signs}
	return r
}

// argued gives the rule for the passwords among arguments that an expression finds, which begins with a keyword.
func argued(pattern string, check func(string) bool, name, finds string, keywords ...string) Rule {
	return Rule{Name: name, Kind: "password", Finds: finds, Keywords: keywords, window: commandWindow, generic: true, pattern: pattern, check: check}
}

// placed gives the rule for the password behind the words of commands: any word stands at @, any options at ~.
func placed(name, finds, commands string) Rule {
	var keywords []string
	wild := strings.NewReplacer(" @", ` +\S+?`, "~", `(?: +-[\w-]+)*`, " ", " +")
	patterns := strings.Split(commands, "; ")
	for i, c := range patterns {
		keywords = append(keywords, c[:indexOr(c, `@~\([.`)])
		if keywords[i] == c {
			keywords[i] += " "
		}
		patterns[i] = wild.Replace(c)
		if strings.IndexByte(":]", c[len(c)-1]) < 0 {
			patterns[i] += " +"
		}
	}
	return argued("(?:"+strings.Join(patterns, "|")+`)["']?([^\s"'\\;|&=\[+-][^\s"'\\;|&]*|\[[^r\s][^\s"'\\;|&]*)`, argument, name, finds, keywords...)
}

// randomArgument finds the argument that looks random, up to the end of the command.
func randomArgument(s string, at, end int) (int, int) {
	const mostWords = 8
	line := s[lineBegin(s, at):at]
	line = strings.Trim(line[strings.LastIndexAny(line, ";|&\"'")+1:], " $+%>❯")
	if n := fields(line); n == 0 || n > 2 || !(lower | digit | hyphen | gap).only(line) {
		return -1, -1 // no command: prose
	}
	for i, n := end, 0; n < mostWords && i < len(s) && strings.IndexByte("\r\n;|&", s[i]) < 0; {
		from, to := wordAt(s, i)
		v := clip(s[from:to], judged)
		if strings.ContainsAny(v, "()") && coded(v) {
			return -1, -1
		}
		quoted := from > i && (mingled(v) || chosenWord(v)) && !pathlike(v)
		if quoted || (machineKey(v) || len(v) >= longWord && jumbled(v)) && v[0] != '-' && !strings.ContainsAny(v, "=:@") {
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
	if v == "" || contains(line, "mysql", "mariadb", "sudo ") || prefixOf(v, "-", "/", ".") > 0 || pathlike(v) || digit.has(v[0]) && strings.Contains(v, ":") {
		return -1, -1
	}
	for _, user := range [...]string{" -u ", " --username ", " --user ", " -l ", " -U "} {
		if _, rest, ok := strings.Cut(line, user); ok && s[at+2]|0x20 == 'p' && rest != "" && rest[0] != '-' && fields(rest) < 4 && len(v) >= shortestKey || ok && made(v) {
			return from, to
		}
	}
	quoted := from > end && s[at+2]|0x20 == 'p' && fields(v) == 1 && password(v) && !strings.Contains(line, "grep")
	mixed := made(v) && !phrase(v) && len(v) >= 10 && digit.in(v) > 1 && upper.in(v) > 0 && lower.in(v) > 0
	return placeIf(quoted || mixed && !strings.ContainsAny(strings.TrimRight(v, "="), ":=.,") && fields(line) > 0, from, to)
}

// wordAt returns where the word of a command is that begins at i, without the quotes around it.
func wordAt(s string, i int) (from, to int) {
	q, width := opening(s[i:])
	from = i + width
	if q.close != "" {
		return from, from + q.value(s[from:])
	}
	return from, from + argumentRun(s[from:])
}

// argumentRun returns the length of an argument without quotes. A backslash before a sign belongs to it.
func argumentRun(s string) (n int) {
	for n < len(s) && (strings.IndexByte(argumentEnds, s[n]) < 0 || s[n] == '\\' && n+1 < len(s) && !alnum.has(s[n+1]) && strings.IndexByte(argumentEnds, s[n+1]) < 0) {
		n++
	}
	return n
}

// stdinReaders are parts of commands that read a secret from their input, and filters are commands that read anything.
var stdinReaders = []string{"pass", "pwd", "secret", "token", "cred", "login", "signin", "kinit", "pdbedit", "cred", "key", "su ", "sudo -", "crypt", "unlock", "auth", "vault", "realm", "gpg", " -p "}
var filters = words("grep egrep rg awk sed jq yq tee wc cut tr sort cat less head tail xargs md5sum sha1sum sha256sum bc node ruby")

// piped finds what echo or printf writes for a command that reads a secret, behind a bar or in front of it as a file, or what
// stands behind its <<<.
func piped(s string, at, end int) (int, int) {
	before := s[lineBegin(s, at):at]
	line := s[end:lineEnd(s, end)]
	for _, next := range [...]string{" || ", " && ", " 2>"} {
		line, _, _ = strings.Cut(line, next)
	}
	bar := strings.LastIndexByte(line, '|')
	switch {
	case s[at] == '<':
		from, to := wordAt(s, end+gap.run(s[end:]))
		return placeIf(foldContains(before, stdinReaders) && !filters().has(before[:indexOr(before, " ")]), behindColon(s, from), to)
	case strings.HasSuffix(before, "<("):
		bar = min(len(line), indexOr(line, ")"))
		if !foldContains(before, stdinReaders) && !foldContains(line[bar:], stdinReaders) {
			return -1, -1
		}
	case bar < 0 && strings.Contains(line, " > "):
		if bar = strings.Index(line, " > "); !foldContains(line[bar:], stdinReaders[:5]) {
			return -1, -1
		}
	case bar < 0, !foldContains(s[end+bar:end+min(len(line)+1, len(s)-end)], stdinReaders):
		return -1, -1
	}
	begin := end
	for strings.HasPrefix(s[begin:], "-") || strings.Contains(s[begin:begin+indexOr(s[begin:], " |")], "%s") {
		next := strings.IndexByte(s[begin:end+bar], ' ')
		if next < 0 {
			return -1, -1
		}
		begin += next + 1
	}
	from, to := wordAt(s, begin)
	return behindColon(s[:to], from), to
}

// behindColon returns where the password begins in the word at from, which may have a user before it.
func behindColon(s string, from int) int {
	if n := dotted.run(s[from:]); n > 0 && strings.HasPrefix(s[from+n:], ":") {
		return from + n + 1
	}
	return from
}

// argument reports whether an argument is a password and not a variable or a number, as the user and group of a container.
func argument(v string) bool {
	name, value, assigns := strings.Cut(v, "=")
	worded := caseChanges(name) > 0 && inWords(name)*3 >= len(name)*2
	setting := assigns && letters.only(name) && len(name) > 2 && (value == "" || worded || commonplace(value) || !mingled(value) && caseChanges(name) == 0)
	speaks := lower.only(v) && (len(v) < shortestPassword || named(v)) || strings.Contains(v, ":") && label(v)
	i := strings.LastIndexByte(v, '$')
	inserted := i > 0 && len(v)-i > 3 && upper.only(v[i+1:]) // a variable
	return len(v) >= 3 && !setting && !speaks && !inserted && !(fields(v) > 1 && sentence(v)) && !strings.ContainsFunc(v, wide) && !filler(v) && !commonplace(v) && !numeric(v)
}

// argumentEnds end an argument, which is not split at quotes that are escaped inside of JSON.
const argumentEnds = " \t\r\n\"'\\"
