export default (pi) => {
  let queue = Promise.resolve() // hooks are called in the order of the events
  let start // the answer at the session's start, until a run takes it
  let typed // the newest input, until its run starts
  let starting // whether a run begins whose first prompt was sent to journal
  let queued = [] // inputs that were typed while a run goes on
  let waiting = [] // texts that the session's file does not have yet
  let said, calls, failed // the model's newest words in this run, the tool calls since, and the error of the newest turn
  let sampled = 0 // tokens in the newest sample
  const began = new Map() // arguments of tool calls without a result yet, by the call's id

  const send = (hook, ctx, more) => {
    const session = ctx.sessionManager.getSessionId()
    const payload = { hook, session, directory: ctx.cwd, pid: process.pid, ...more }
    const answer = queue.then(() => run(payload)).catch(() => ({}))
    queue = answer
    return answer
  }
  const on = (name, f) => pi.on(name, (event, ctx) => safely(() => f(event, ctx)))
  const textIn = (content) =>
    typeof content === "string" ? content : (content ?? []).filter((c) => c.type === "text").map((c) => c.text).join("\n")

  const trigger = (reason) => (reason === "manual" ? reason : "auto")

  // tell adds a text to the session. While a run goes on, the client appends the text only at the end of the turn; until then
  // the event "context" puts it behind each request.
  const tell = (answer) => {
    if (!answer?.context) return
    waiting.push(answer.context)
    pi.sendMessage({ customType: "journal", content: answer.context, display: false }, { triggerTurn: false })
  }
  on("context", ({ messages }) => {
    const missing = waiting.filter((text) => !messages.some((m) => m.customType === "journal" && textIn(m.content) === text))
    if (!missing.length) return
    const added = missing.map((content) => ({ role: "custom", customType: "journal", content, display: false, timestamp: Date.now() }))
    return { messages: [...messages, ...added] }
  })

  on("session_start", ({ reason }, ctx) => {
    if (reason === "reload") return // the session goes on
    const known = ctx.sessionManager.getEntries().some((e) => e.type === "message")
    start = send("session_start", ctx, {
      source: reason === "startup" && known ? "resume" : reason, mode: ctx.mode, transcript: ctx.sessionManager.getSessionFile(),
    })
  })
  on("session_shutdown", async ({ reason }, ctx) => {
    if (reason !== "reload") send("session_shutdown", ctx, { reason })
    await Promise.race([queue, new Promise((resolve) => setTimeout(resolve, 2000).unref?.())])
  })
  on("input", ({ text, source, streamingBehavior }) => {
    const input = { text, machine: source === "extension" || undefined }
    if (streamingBehavior) queued.push(input)
    else typed = input
  })
  on("before_agent_start", async ({ prompt, messageType }, ctx) => {
    said = calls = failed = undefined
    starting = messageType !== "custom"
    const answers = [start, starting && send("input", ctx, typed ?? { text: prompt })]
    start = typed = undefined
    for (const answer of answers) if (answer) await soon(answer.then(tell))
  })
  // An input that was typed while a run goes on reaches the model later, or never: it is reported when it arrives.
  on("message_end", ({ message }, ctx) => {
    if (message?.role !== "user") return
    if (starting) return void (starting = false)
    const text = textIn(message.content)
    const [input] = queued.splice(Math.max(0, queued.findIndex((q) => q.text === text)), 1)
    send("input", ctx, input ?? { text }).then(tell)
  })
  on("tool_execution_start", ({ toolCallId, args }) => void began.set(toolCallId, args))
  on("tool_result", async ({ toolName, toolCallId, parentToolCallId, input, content, details, structuredContent, isError }, ctx) => {
    began.delete(toolCallId)
    const answer = await soon(send("tool_result", ctx, { tool: toolName, call: toolCallId, args: input, output: textIn(content), details, failed: isError }))
    if (parentToolCallId || Array.isArray(details)) return tell(answer) // a program reads the result
    if (answer?.context) return { content: [...content, { type: "text", text: answer.context }], details: { ...details, journal: true }, structuredContent }
  })
  // For a call that was blocked, or had wrong arguments, this is the only event.
  on("tool_execution_end", ({ toolName, toolCallId, result, isError }, ctx) => {
    const args = began.get(toolCallId)
    if (began.delete(toolCallId) && isError) send("tool_result", ctx, { tool: toolName, call: toolCallId, args, output: textIn(result?.content), failed: true }).then(tell)
  })
  on("turn_end", ({ message, toolResults }, ctx) => {
    waiting = []
    const words = textIn(message?.content)
    calls = (words ? 0 : (calls ?? 0)) + (toolResults?.length ?? 0)
    said = words || said
    failed = message?.errorMessage
    const { tokens, contextWindow: window } = ctx.getContextUsage() ?? {}
    if (!tokens || !window || Math.abs(tokens - sampled) <= window * 0.05) return
    sampled = tokens
    send("usage", ctx, { tokens, window, model: ctx.model?.id })
  })
  on("agent_settled", async ({ aborted }, ctx) => {
    const answer = await soon(send("agent_settled", ctx, { said, aborted: aborted || undefined, error: failed }))
    if (answer?.person && ctx.hasUI) ctx.ui.notify(answer.person, "info")
  })
  on("session_before_compact", ({ reason, customInstructions }, ctx) =>
    void send("session_before_compact", ctx, { trigger: trigger(reason), instructions: customInstructions, said, calls: calls || undefined }))
  on("session_compact", async ({ compactionEntry, reason }, ctx) => {
    send("session_compact", ctx, { trigger: trigger(reason), summary: compactionEntry?.summary })
    await soon(send("compacted", ctx, { trigger: trigger(reason) }).then(tell))
  })
}
