// driver.mjs PLUGIN: calls the extension's handlers as the client does, and prints what each returned and what was sent.
const handlers = {}
const sent = []
const pi = { on: (name, f) => (handlers[name] = f), sendMessage: (m, o) => sent.push([m.customType, m.content, m.display, o.triggerTurn]) }
const ctx = {
  cwd: "/w", mode: "tui", hasUI: true, model: { id: "m" }, getContextUsage: () => ({ tokens: 90, contextWindow: 100 }),
  ui: { notify: (text) => sent.push(["person", text]) },
  sessionManager: { getSessionId: () => "s", getSessionFile: () => "/s.jsonl", getEntries: () => [] },
}
;(await import(process.argv[2])).default(pi)
const call = async (name, event) => {
  const got = await handlers[name](event, ctx)
  console.log(name, JSON.stringify(got ?? null), JSON.stringify(sent.splice(0)))
}
const text = (text) => [{ type: "text", text }]
const request = { messages: [{ role: "user", content: text("build") }] }
await call("session_start", { reason: "startup" })
await call("input", { text: "/skill:door", source: "interactive" })
await call("before_agent_start", { prompt: "<skill>", messageType: "user" })
await call("message_end", { message: { role: "user", content: text("<skill>") } })
await call("context", request)
await call("tool_execution_start", { toolCallId: "1", args: { command: "make" } })
await call("tool_result", { toolName: "bash", toolCallId: "1", input: { command: "make" }, content: text("made"), isError: false })
await call("tool_execution_end", { toolName: "bash", toolCallId: "1", isError: false })
await call("tool_execution_start", { toolCallId: "2", args: { x: 1 } })
await call("tool_execution_end", { toolName: "hammer", toolCallId: "2", result: { content: text("no hammer") }, isError: true })
await call("input", { text: "and paint", source: "interactive", streamingBehavior: "steer" })
await call("turn_end", { message: { content: text("Made.") }, toolResults: [{}, {}] })
await call("session_before_compact", { reason: "threshold" })
await call("session_compact", { reason: "threshold", compactionEntry: { summary: "It stands." } })
await call("context", request)
await call("context", { messages: [{ role: "custom", customType: "journal", content: "TEXT" }] })
await call("message_end", { message: { role: "user", content: text("and paint") } })
await call("turn_end", { message: { content: [] }, toolResults: [] })
await call("context", request)
await call("agent_settled", { aborted: false })
await call("session_shutdown", { reason: "reload" })
await call("session_start", { reason: "reload" })
await call("session_shutdown", { reason: "quit" })
