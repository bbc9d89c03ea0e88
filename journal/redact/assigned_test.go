package redact_test

// kind is a way to write a name and a value: §S§ and its kin are the name (see styled), §V§ the value, §w§ a word, §n§ a number,
// §h§ an id.
type kind struct {
	file string // its name, if it is a file
	how  string // how the value is written, see written
	text string

	value func(seeds) string // where only values of one shape stand, else nil
}

// assignedKinds are lines that assign, in files and outputs.
var assignedKinds = []kind{
	// Lines of .env, shells and their kin.
	{".env", "", "PORT=8080\n§S§=§V§\nDEBUG=false\n", nil},
	{".env.production", "double", "HOST=db1\n§S§=\"§V§\"\nDEBUG=false\n", nil},
	{".env.local", "", "NODE_ENV=test\n§S§='§V§'\n", nil},
	{"app.env", "", "# settings\nexport §S§=§V§\n", nil},
	{"setup.sh", "single", "#!/bin/sh\nset -e\nexport §S§='§V§'\n./run\n", nil},
	{"setup.sh", "double", "#!/bin/bash\n§S§=\"§V§\"\necho ok\n", nil},
	{"run.bat", "", "@echo off\r\nset §S§=§V§\r\nstart.exe\r\n", nil},
	{"run.ps1", "", "$env:§S§ = '§V§'\n", nil},
	{"config.fish", "single", "set -gx §S§ '§V§'\n", nil},
	{"Dockerfile", "double", "FROM alpine:3\nENV §S§=\"§V§\"\nRUN make\n", nil},
	{"Dockerfile", "", "FROM alpine:3\nENV §S§ §V§\nCMD [\"app\"]\n", nil},
	{"app.service", "double", "[Service]\nEnvironment=\"§S§=§V§\"\nExecStart=/usr/bin/app\n", nil},
	{"", "", "HOME=/home/bob\nLANG=C.UTF-8\n§S§=§V§\nSHLVL=1\n", nil},
	{"", "word", "§S§=§V§ npm run migrate\n", nil},
	{"", "single", "$ §S§='§V§' ./server --port 80\n", nil},

	// YAML.
	{"config.yaml", "plain", "db:\n  host: db1\n  §s§: §V§\n  port: 5432\n", nil},
	{"values.yml", "double", "app:\n  §c§: \"§V§\"\n  replicas: 2\n", nil},
	{"values.yaml", "yaml", "app:\n  §c§: '§V§'\n  replicas: 2\n", nil},
	{"docker-compose.yml", "plain", "services:\n  web:\n    environment:\n      §S§: §V§\n      TZ: UTC\n", nil},
	{"docker-compose.yml", "", "services:\n  web:\n    environment:\n      - §S§=§V§\n      - TZ=UTC\n", nil},
	{"deploy.yaml", "double", "      env:\n        - name: §S§\n          value: \"§V§\"\n        - name: TZ\n          value: UTC\n", nil},
	{"secret.yaml", "plain", "kind: Secret\nmetadata:\n  name: app\nstringData:\n  §k§: §V§\n", nil},
	{"vars.yml", "plain", "---\n§s§: §V§  # rotate each year\nuser: bob\n", nil},
	{"", "plain", "§s§: §V§", nil},

	// JSON.
	{"config.json", "double", "{\n  \"host\": \"db1\",\n  \"§c§\": \"§V§\",\n  \"port\": 5432\n}\n", nil},
	{"appsettings.json", "double", "{\"App\":{\"§c§\":\"§V§\",\"Level\":\"info\"}}", nil},
	{"", "double", "{\"ok\":true,\"data\":{\"§s§\":\"§V§\",\"id\":§n§}}", nil},
	{"", "double", "    \"§s§\": \"§V§\",\n", nil},
	{"", "double", "response: {\"status\": 200, \"§s§\": \"§V§\"} in 12ms\n", nil},

	// TOML, INI, properties, HCL.
	{"config.toml", "double", "[server]\nname = \"a\"\n§s§ = \"§V§\"\n", nil},
	{"config.toml", "double", "[db]\nurl = \"x\"\nauth = { user = \"bob\", §s§ = \"§V§\" }\n", nil},
	{"app.ini", "", "[main]\nuser = bob\n§s§ = §V§\nretries = 3\n", nil},
	{"my.cnf", "", "[client]\nuser=root\n§s§=§V§\n", nil},
	{"application.properties", "", "server.port=8080\n§d§=§V§\nspring.jpa.show-sql=true\n", nil},
	{"application.properties", "", "server.port = 8080\n§d§ = §V§\n", nil},
	{"gradle.properties", "", "§c§=§V§\norg.gradle.daemon=true\n", nil},
	{"main.tfvars", "double", "region = \"eu-west-1\"\n§s§ = \"§V§\"\n", nil},
	{"main.tf", "double", "resource \"x\" \"y\" {\n  name     = \"main\"\n  §s§ = \"§V§\"\n}\n", nil},

	// XML.
	{"settings.xml", "xml", "<server>\n  <id>main</id>\n  <§c§>§V§</§c§>\n</server>\n", nil},
	{"web.config", "xml", "<appSettings>\n  <add key=\"§c§\" value=\"§V§\" />\n</appSettings>\n", nil},
	{"context.xml", "xml", "<Resource name=\"jdbc/a\" username=\"app\" §c§=\"§V§\" maxTotal=\"20\"/>\n", nil},
	{"beans.xml", "xml", "<property name=\"§c§\" value=\"§V§\"/>\n", nil},
	{"Info.plist", "xml", "<dict>\n  <key>§c§</key>\n  <string>§V§</string>\n</dict>\n", nil},

	// Headers.
	{"", "double", "curl -s -H \"X-§H§: §V§\" https://api.test/v1\n", nil},
	{"", "", "GET /v1 HTTP/1.1\nHost: api.test\nX-§H§: §V§\nAccept: */*\n", nil},
	{"", "", "> Authorization: Bearer §V§\n> Accept: */*\n", nil},

	// Flags.
	{"", "single", "tool login --user bob --§k§ '§V§' --verbose\n", nil},
	{"", "single", "tool login --§k§='§V§'\n", nil},
	{"", "double", "tool login --§k§=\"§V§\" --region eu\n", nil},
	{"", "word", "tool login --§k§ §V§ --verbose\n", nil},
	{"", "word", "tool login --§k§=§V§\n", nil},

	// Tables and outputs.
	{"README.md", "cell", "| name | value |\n|---|---|\n| user | bob |\n| §S§ | §V§ |\n", nil},
	{"README.md", "cell", "| name | value |\n|---|---|\n| `§S§` | `§V§` |\n", nil},
	{"", "cell", "+------+--------+\n| user | §s§ |\n+------+--------+\n| bob  | §V§ |\n+------+--------+\n", nil},
	{"", "cell", "│ §s§ │ §V§ │\n", nil},
	{"users.csv", "cell", "id,user,§s§\n1,bob,§V§\n", nil},
	{"", "", "diff --git a/.env b/.env\n@@ -1,2 +1,2 @@\n-PORT=1\n+PORT=2\n+§S§=§V§\n", nil},
	{"", "", ".env:12:§S§=§V§\n", nil},
	{"", "", "    11\tPORT=8080\n    12\t§S§=§V§\n    13\tTZ=UTC\n", nil},
	{"", "", "  §s§ = §V§\n  region = eu-west-1\n", nil},
	{"", "", "§T§: §V§\nUser: bob\n", nil},
	{"", "", "db.host => db1\n§s§ => §V§\n", nil},
}

// assignedHeldOut are held-out ways: no rule was developed with them.
var assignedHeldOut = []kind{
	{"prod.env", "", "A=1\r\n§S§ = §V§\r\nB=2\r\n", nil},
	{".envrc", "single", "layout go\nexport §S§='§V§'\n", nil},
	{"Makefile", "", "CC = gcc\n§S§ := §V§\nall: x\n", nil},
	{"", "", "declare -x §S§=\"§V§\"\n", nil},
	{"", "word", "docker run -d -e §S§=§V§ -p 80:80 img\n", nil},
	{"", "single", "helm upgrade a ./a --set app.§c§='§V§'\n", nil},
	{"Procfile", "", "web: x\n§S§=§V§\n", nil},
	{"", "", "setx §S§ \"§V§\"\n", nil},
	{"all.yml", "double", "all:\n  vars:\n    ansible_user: root\n    §s§: \"§V§\"\n", nil},
	{"ci.yml", "plain", "env:\n  CI: true\n  §S§: §V§\njobs:\n", nil},
	{"x.yaml", "double", "db: {host: a, §s§: \"§V§\", port: 1}\n", nil},
	{"x.yaml", "plain", "users:\n  - name: bob\n    §s§: §V§\n    role: admin\n", nil},
	{"package.json", "double", "{\n\t\"config\" : {\n\t\t\"§k§\" : \"§V§\"\n\t}\n}\n", nil},
	{"launch.json", "double", "{\"env\": {\"§S§\": \"§V§\", \"A\": \"1\"}} // local\n", nil},
	{"", "double", "{'user': 'bob', '§s§': \"§V§\"}\n", nil},
	{"", "double", "[{\"Key\":\"§s§\",\"Value\":\"§V§\"}]\n", nil},
	{"pyproject.toml", "", "[tool.x]\n§k§ = '§V§'\n", nil},
	{"setup.cfg", "", "[upload]\nusername: bob\n§s§: §V§\n", nil},
	{"php.ini", "double", "[x]\n§d§ = \"§V§\"\n", nil},
	{"log4j.properties", "", "a.b=c\n§k§: §V§\n", nil},
	{"terragrunt.hcl", "double", "inputs = {\n  §s§ = \"§V§\"\n}\n", nil},
	{"pom.xml", "xml", "<properties><a.b>1</a.b><§d§>§V§</§d§></properties>\n", nil},
	{"app.config", "xml", "<setting name=\"§c§\"><value>§V§</value></setting>\n", nil},
	{"x.xml", "xml", "<entry key=\"§d§\">§V§</entry>\n", nil},
	{"", "double", "http GET https://a.test 'X-§H§:§V§'\n", nil},
	{"", "", "< x-§k§: §V§\n< date: x\n", nil},
	{"", "single", "x --a 1 --§s§='§V§' && echo ok\n", nil},
	{"", "", "  Setting            Value\n  §s§     §V§\n", nil},
	{"notes.md", "cell", "User | §T§\n--- | ---\nbob | §V§\n", nil},
	{"", "cell", "  | §s§ | §V§ | 2024-01-01 |\n", nil},
	{"", "", "time=10:22 level=info msg=start §s§=\"§V§\"\n", nil},
	{"", "", "config/app.ini-14-§s§ = §V§\n", nil},
	{"", "", "12→§S§=§V§\n13→A=1\n", nil},
	{"", "", "*** §T§: §V§\n", nil},
	{"", "", "- **§T§**: `§V§`\n", nil},
}
