package redact

// Registries of packages and images.
var packageRegistries = [...]Rule{
	{
		Name: "npm-token", Kind: "npm-token", Finds: "an access token of npm",
		Keywords: []string{"npm_"}, apart: alnum, body: alnum, least: 36, check: genuine,
	},
	{
		Name: "npmrc-auth", Kind: "npm-token", Finds: "the credentials in an .npmrc",
		Keywords: []string{"_authToken=", "_auth="}, body: base64 | word, least: 16, behind: true, check: genuine,
	},
	{
		Name: "pypi-token", Kind: "pypi-token", Finds: "an upload token of PyPI",
		Keywords: []string{"pypi-"}, apart: alnum, body: word, least: 50, check: random,
	},
	{
		Name: "rubygems-key", Kind: "rubygems-key", Finds: "an API key of RubyGems",
		Keywords: []string{"rubygems_"}, apart: alnum, body: hex, least: 48, check: genuine,
	},
	{
		Name: "docker-token", Kind: "docker-token", Finds: "a personal or organisation access token of Docker Hub",
		Keywords: []string{"dckr_pat_", "dckr_oat_"}, apart: alnum, body: word, least: 20, check: genuine,
	},
	{
		Name: "crates-token", Kind: "crates-token", Finds: "an API token of crates.io",
		Keywords: []string{"cio"}, apart: word, body: alnum, least: 32, check: random,
	},
	{
		Name: "nuget-key", Kind: "nuget-key", Finds: "an API key of NuGet",
		Keywords: []string{"oy2"}, apart: word, body: lower | digit, least: 43, check: random,
	},
}

var _ = declare(packageRegistries[:])
