package redact

// Registries of packages and images.
var packageRegistries = [...]Rule{
	shape{"npm-token", "npm-token", alnum, alnum, 36, genuine}.rule("an access token of npm", "npm_"),
	{
		Name: "npmrc-auth", Kind: "npm-token", Finds: "the credentials in an .npmrc",
		Keywords: []string{"_authToken=", "_auth="}, body: base64 | word, least: 16, behind: true, check: genuine,
	},
	shape{"pypi-token", "pypi-token", alnum, word, 50, random}.rule("an upload token of PyPI", "pypi-"),
	shape{"rubygems-key", "rubygems-key", alnum, hex, 48, genuine}.rule("an API key of RubyGems", "rubygems_"),
	shape{"docker-token", "docker-token", alnum, word, 20, genuine}.rule("a personal or organisation access token of Docker Hub", "dckr_pat_", "dckr_oat_"),
	shape{"crates-token", "crates-token", word, alnum, 32, random}.rule("an API token of crates.io", "cio"),
	shape{"nuget-key", "nuget-key", word, lower | digit, 43, random}.rule("an API key of NuGet", "oy2"),
}

var _ = declare(packageRegistries[:])
