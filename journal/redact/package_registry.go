package redact

// Registries of packages and images.
var (
	_ = declare(Rule{
		Name: "npm-token", Kind: "npm-token", Finds: "an access token of npm",
		Keywords: []string{"npm_"}, apart: alnum, find: token(alnum, 36), check: genuine,
	})
	_ = declare(Rule{
		Name: "npmrc-auth", Kind: "npm-token", Finds: "the credentials in an .npmrc",
		Keywords: []string{"_authToken=", "_auth="}, find: tail(base64.and(word), 16), check: genuine,
	})
	_ = declare(Rule{
		Name: "pypi-token", Kind: "pypi-token", Finds: "an upload token of PyPI",
		Keywords: []string{"pypi-"}, apart: alnum, find: token(word, 50), check: random,
	})
	_ = declare(Rule{
		Name: "rubygems-key", Kind: "rubygems-key", Finds: "an API key of RubyGems",
		Keywords: []string{"rubygems_"}, apart: alnum, find: token(hex, 48), check: genuine,
	})
	_ = declare(Rule{
		Name: "docker-token", Kind: "docker-token", Finds: "a personal or organisation access token of Docker Hub",
		Keywords: []string{"dckr_pat_", "dckr_oat_"}, apart: alnum, find: token(word, 20), check: genuine,
	})
	_ = declare(Rule{
		Name: "crates-token", Kind: "crates-token", Finds: "an API token of crates.io",
		Keywords: []string{"cio"}, apart: word, find: token(alnum, 32), check: random,
	})
	_ = declare(Rule{
		Name: "nuget-key", Kind: "nuget-key", Finds: "an API key of NuGet",
		Keywords: []string{"oy2"}, apart: word, find: token(lower.and(digit), 43), check: random,
	})
)
