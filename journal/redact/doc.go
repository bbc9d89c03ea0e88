// Package redact removes secrets from text before the text is appended to the log. What was never written cannot leak.
//
// The idea in a paragraph: a gate looks for the keywords of all rules in one pass over the text. Where a keyword stands, and
// only there, its rule looks at the bytes around it and says which part is the secret; that part is replaced by a mark. Text
// without keywords costs that one pass and is returned as it is, without an allocation. Regular expressions belong to few
// rules and are compiled when one of their keywords has occurred, because the process that redacts often lives for one hook.
//
// A string of a structured value stands at a place: the names above it, and what stands beside it, say what it is. Named
// judges it with them, JSON does so for a whole document, and Text for a text that is one.
//
// A name that tells decides, unless its value has a form that is known to be harmless. Where less than a sign joins the two,
// the value must look like a secret. Columns, manifests, commands and calls name values too.
//
// The words used here:
//
//   - keyword: a literal part of the text that every secret of a rule has in it or beside it.
//   - rule: keywords, and what makes the text beside them a secret: a record of rules.txt, or the shape of a token in formats.txt.
//   - kind: the word of a rule that the mark shows, such as "github-token".
//   - mark: "[redacted:KIND]", what stands in the place of a secret. Marks are never touched again.
//   - filler: a value that is not a secret although it stands where one is expected: ${VAR}, <token>, xxxxx, changeme.
//   - place: where in a structured value a string stands: a member's name and those above, the option before it in an array.
//   - sense: the value that a name promises: no secret, a secret whatever it is, a secret if it looks random, …
//   - made: of a value that it looks made for a password: words are not so. Of a token: chance, made by a machine.
//   - view: the text without what hides a secret: characters without a width, numbers of lines.
//   - window: the number of bytes a rule may look at before it has decided; it keeps the time linear on hostile text.
//
// Only bytes inside a secret change. Valid UTF-8 stays valid, and invalid bytes elsewhere stay as they are.
package redact
