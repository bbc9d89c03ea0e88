package redact

var (
	_ = declare(Rule{
		Name: "aws-access-key", Kind: "aws-access-key", Finds: "an AWS access key id",
		Keywords: []string{"AKIA", "ASIA"}, apart: alnum, find: token(digit.and(upper), 16), check: genuine,
	})
	_ = declare(Rule{
		Name: "aws-secret-key", Kind: "aws-secret-key", Finds: "an AWS secret access key where it is assigned",
		Keywords: []string{"secret_access_key", "secretaccesskey", "secret-access-key", "secret access key", "aws_secret_key"}, Fold: true,
		find: assigned(base64, 40), check: genuine, generic: true,
	})
	_ = declare(Rule{
		Name: "aws-bedrock-key", Kind: "aws-bedrock-key", Finds: "an API key of Amazon Bedrock",
		Keywords: []string{"ABSK"}, apart: alnum, find: token(base64, 100),
	})
)
