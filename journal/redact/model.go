package redact

// Vendors and hosts of language models.
var models = [...]Rule{
	{
		Name: "openai-key", Kind: "openai-key", Finds: "an API key of OpenAI, or of a vendor that writes its keys alike",
		Keywords: []string{"sk-"}, apart: alnum, body: word, least: 20, check: random,
	},
	{
		Name: "openai-project-key", Kind: "openai-key", Finds: "a project, service account or admin key of OpenAI",
		Keywords: []string{"sk-proj-", "sk-svcacct-", "sk-admin-"}, apart: alnum, body: word, least: 20, check: genuine,
	},
	{
		Name: "openrouter-key", Kind: "openrouter-key", Finds: "an API key of OpenRouter",
		Keywords: []string{"sk-or-v1-"}, apart: alnum, body: word, least: 20, check: genuine,
	},
	{
		Name: "anthropic-key", Kind: "anthropic-key", Finds: "an API, admin or OAuth key of Anthropic",
		Keywords: []string{"sk-ant-"}, apart: alnum, body: word, least: 20, check: genuine,
	},
	{
		Name: "huggingface-token", Kind: "huggingface-token", Finds: "a user or organisation token of Hugging Face",
		Keywords: []string{"hf_", "api_org_"}, apart: alnum, body: alnum, least: 30, check: genuine,
	},
	{
		Name: "groq-key", Kind: "groq-key", Finds: "an API key of Groq",
		Keywords: []string{"gsk_"}, apart: alnum, body: alnum, least: 40, check: genuine,
	},
	{
		Name: "xai-key", Kind: "xai-key", Finds: "an API key of xAI",
		Keywords: []string{"xai-"}, apart: word, body: alnum, least: 60, check: genuine,
	},
	{
		Name: "perplexity-key", Kind: "perplexity-key", Finds: "an API key of Perplexity",
		Keywords: []string{"pplx-"}, apart: alnum, body: alnum, least: 40, check: genuine,
	},
	{
		Name: "replicate-token", Kind: "replicate-token", Finds: "an API token of Replicate",
		Keywords: []string{"r8_"}, apart: word, body: alnum, least: 37, check: genuine,
	},
	{
		Name: "langsmith-key", Kind: "langsmith-key", Finds: "an API key of LangSmith",
		Keywords: []string{"lsv2_pt_", "lsv2_sk_"}, apart: alnum, body: hex | underscore, least: 32, check: genuine,
	},
}

var _ = declare(models[:])
