// Package payload reads the one JSON document a hook receives on its standard input.
//
// Such a document is 100 bytes to 600 KB in practice and 100 MB by accident or
// attack. Read goes over it once, in fixed memory, and keeps the ends of what is
// too long, so that a huge payload costs time and never a failure, and the
// session id after a 50 MB field is still found (ADR-0014). A broken
// document yields what came before the break: a hook is told once, and half of
// what it was told is worth more than an error.
//
// Glossary:
//
//   - kept: a value that is part of the result.
//   - held: the text of a string that is too long, with a margin on both sides
//     of the coming cut, until Clean has removed the secrets.
//   - cut: shortened or left out because of a limit.
//   - mark: the text that stands where bytes were left out,
//     "…[+N bytes sha256:16 hex digits]…".
//   - path: the names that lead to a value, joined by dots, an element of an
//     array written as "[]": "tool_input.todos[].content".
//   - unit: a UTF-16 code unit, in which clients count their own limits.
package payload
