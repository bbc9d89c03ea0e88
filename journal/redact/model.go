package redact

// Vendors and hosts of language models.
var (
	_ = declare(Rule{
		Name: "openai-key", Kind: "openai-key", Finds: "an API key of OpenAI, or of a vendor that writes its keys alike",
		Keywords: []string{"sk-"}, apart: alnum, find: token(word, 20), check: random,
	})
	_ = declare(Rule{
		Name: "openai-project-key", Kind: "openai-key", Finds: "a project, service account or admin key of OpenAI",
		Keywords: []string{"sk-proj-", "sk-svcacct-", "sk-admin-"}, apart: alnum, find: token(word, 20), check: genuine,
	})
	_ = declare(Rule{
		Name: "openrouter-key", Kind: "openrouter-key", Finds: "an API key of OpenRouter",
		Keywords: []string{"sk-or-v1-"}, apart: alnum, find: token(word, 20), check: genuine,
	})
	_ = declare(Rule{
		Name: "anthropic-key", Kind: "anthropic-key", Finds: "an API, admin or OAuth key of Anthropic",
		Keywords: []string{"sk-ant-"}, apart: alnum, find: token(word, 20), check: genuine,
	})
	_ = declare(Rule{
		Name: "huggingface-token", Kind: "huggingface-token", Finds: "a user or organisation token of Hugging Face",
		Keywords: []string{"hf_", "api_org_"}, apart: alnum, find: token(alnum, 30), check: genuine,
	})
	_ = declare(Rule{
		Name: "groq-key", Kind: "groq-key", Finds: "an API key of Groq",
		Keywords: []string{"gsk_"}, apart: alnum, find: token(alnum, 40), check: genuine,
	})
	_ = declare(Rule{
		Name: "xai-key", Kind: "xai-key", Finds: "an API key of xAI",
		Keywords: []string{"xai-"}, apart: word, find: token(alnum, 60), check: genuine,
	})
	_ = declare(Rule{
		Name: "perplexity-key", Kind: "perplexity-key", Finds: "an API key of Perplexity",
		Keywords: []string{"pplx-"}, apart: alnum, find: token(alnum, 40), check: genuine,
	})
	_ = declare(Rule{
		Name: "replicate-token", Kind: "replicate-token", Finds: "an API token of Replicate",
		Keywords: []string{"r8_"}, apart: word, find: token(alnum, 37), check: genuine,
	})
	_ = declare(Rule{
		Name: "langsmith-key", Kind: "langsmith-key", Finds: "an API key of LangSmith",
		Keywords: []string{"lsv2_pt_", "lsv2_sk_"}, apart: alnum, find: token(hex.and(setOf("_")), 32), check: genuine,
	})
)
