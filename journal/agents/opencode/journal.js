const MAX_EARLIER = 20 // bound of the words that are kept before the newest ones
export const Journal = async ({ directory, worktree, client }) => {
  // known has the state of each session seen in this process: {begun, parent, created, revert, stopped, trigger, texts}, the words since
  // the newest prompt {said, earlier, calls}, and the usage of the context {tokens, sampled, window, model}.
  const known = new Map()
  const summaries = new Set() // ids of messages that are summaries
  let queue = Promise.resolve() // order is that of the calls

  // stateOf returns the state of a session, and adds a new one.
  const stateOf = (id) => {
    if (!known.has(id)) known.set(id, { texts: {} })
    return known.get(id)
  }
  // entry returns the command that began a session without a person: such a session asks no questions.
  const entry = (info) => {
    const quiet = Array.isArray(info?.permission) && info.permission.some((p) => p?.permission === "question" && p.action === "deny")
    return quiet || process.argv.slice(2).find((a) => !a.startsWith("-")) === "run" ? "run" : undefined
  }
  // top returns the session without a parent above a session. Its bound ends a cycle.
  const top = (id) => {
    for (let n = 0; n < 32 && known.get(id)?.parent; n++) id = known.get(id).parent
    return id
  }
  const send = (hook, id, more) => {
    if (!id) return Promise.resolve({})
    const session = top(id)
    const payload = { hook, session, lane: session === id ? "" : id, directory, worktree, pid: process.pid, ...more }
    const answer = queue.then(() => run(payload)).catch(() => ({}))
    queue = answer
    return answer
  }
  // sample reports the usage of the context if it changed by more than a share of the window.
  const sample = (id, share) => {
    const s = stateOf(id)
    if (!s.tokens || !s.window || Math.abs(s.tokens - (s.sampled ?? 0)) <= s.window * share) return
    s.sampled = s.tokens
    send("usage", id, { tokens: s.tokens, window: s.window, model: s.model })
  }
  // keep adds the text of an answer to every later request of a session.
  const keep = (s, name, answer) => {
    s.texts[name] = answer.then((a) => a.context ?? "")
    return s.texts[name]
  }

  // findParents finds the sessions above a session that began in another process.
  const findParents = async (id) => {
    for (let n = 0; n < 32 && id && !stateOf(id).begun && !stateOf(id).parent; n++) {
      const found = await safely(() => soon(client.session.get({ path: { id } })))
      id = stateOf(id).parent = found?.data?.parentID
    }
  }
  // resume reports, once, a session that began in another process and continues in this one, and returns its state.
  const resume = async (id) => {
    const s = stateOf(id)
    if (!id || s.begun) return s
    await findParents(id)
    if (!s.begun && !s.parent) keep(s, "start", send("session.resumed", id, { entry: entry() }))
    s.begun = true
    return s
  }

  const events = {
    "session.created": ({ sessionID, info }) => {
      const s = stateOf(sessionID)
      s.begun = true
      s.parent = info?.parentID
      s.created = info?.time?.created
      const answer = send("session.created", sessionID, { title: info?.title, agent: info?.agent, entry: entry(info) })
      if (!s.parent) keep(s, "start", answer)
    },
    "session.deleted": ({ sessionID, info }) => {
      const id = sessionID ?? info?.id
      send("session.deleted", id, {})
      known.delete(id)
    },
    // The person can restore reverted messages until the next prompt, at which the client removes them.
    "session.updated": ({ sessionID, info }) => {
      const revert = info?.revert
      if (revert?.messageID) stateOf(sessionID ?? info.id).revert = { message: revert.messageID, files: Boolean(revert.snapshot) }
    },
    "message.removed": ({ sessionID }) => {
      const s = stateOf(sessionID)
      if (s.revert) send("session.reverted", sessionID, s.revert)
      s.revert = undefined
    },
    "session.compacted": ({ sessionID }) => {
      const s = stateOf(sessionID)
      s.texts = {}
      keep(s, "recovery", send("session.compacted", sessionID, { trigger: s.trigger }))
    },
    "session.idle": ({ sessionID }) => {
      const s = stateOf(sessionID)
      if (s.stopped && !s.parent) return // session.error has sent the words
      send("session.idle", sessionID, { said: s.said }).then((a) =>
        a.person ? safely(() => client.tui.showToast({ body: { message: a.person, variant: "info" } })) : undefined,
      )
      s.said = undefined
    },
    "session.error": ({ sessionID, error }) => {
      if (!sessionID) return
      const s = stateOf(sessionID)
      s.stopped = error?.name === "MessageAbortedError"
      send("session.error", sessionID, { error, said: s.stopped ? s.said : undefined })
    },
    "todo.updated": ({ sessionID, todos }) => send("todo.updated", sessionID, { todos }),
    "permission.replied": (p) => p.reply === "reject" && send("permission.replied", p.sessionID, { reply: p.reply, requestID: p.requestID }),
    "message.updated": ({ sessionID, info }) => {
      if (info?.role !== "assistant") return
      if (info.summary) summaries.add(info.id)
      const t = info.tokens ?? {}
      const n = (t.input ?? 0) + (t.cache?.read ?? 0) + (t.cache?.write ?? 0)
      if (n > 0 && !info.summary) {
        const s = stateOf(sessionID)
        s.tokens = n
        s.model = info.modelID
        sample(sessionID, 0.05) // a smaller change is not worth an event
      }
    },
    "message.part.updated": ({ sessionID, part }) => {
      if (part?.type === "compaction") stateOf(sessionID).trigger = part.auto ? "auto" : "manual"
      const copied = part?.state?.time?.end < stateOf(sessionID).created // a fork begins with a copy of its parent
      if (part?.type === "tool" && part.state?.status === "error" && !copied) {
        return send("tool.error", sessionID, { tool: part.tool, callID: part.callID, args: part.state.input, error: part.state.error, time: part.state.time })
      }
    },
  }

  return {
    event: ({ event }) => safely(() => void events[event?.type]?.(event.properties ?? {})),
    "chat.message": (input, output) =>
      safely(async () => {
        const id = input.sessionID
        const s = await resume(id)
        s.said = s.earlier = s.stopped = undefined // they hold what happened since the newest prompt
        const parts = (output.parts ?? []).filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text)
        keep(s, "notice", send("chat.message", id, { text: parts.join("\n"), agent: output.message?.agent, message: output.message?.id }))
        s.revert = undefined
      }),
    "chat.params": (input) =>
      safely(() => {
        const window = input.model?.limit?.context
        if (window) stateOf(input.sessionID).window = window
      }),
    "tool.execute.after": (input, output) =>
      safely(async () => {
        const { tool, sessionID, callID, args } = input
        stateOf(sessionID).calls++ // NaN before the first words, and so not reported
        const answer = await soon(send("tool.execute.after", sessionID, {
          tool, callID, args, output: output.output, metadata: output.metadata,
        }))
        if (answer?.context) output.output = (output.output ?? "") + "\n\n" + answer.context
      }),
    "experimental.text.complete": (input, output) =>
      safely(() => {
        const s = stateOf(input.sessionID)
        if (summaries.has(input.messageID)) send("compaction.summary", input.sessionID, { text: output.text, trigger: s.trigger })
        else Object.assign(s, { earlier: s.said ? [...(s.earlier ?? []), s.said].slice(-MAX_EARLIER) : s.earlier, said: output.text, calls: 0 })
      }),
    "experimental.session.compacting": (input, output) =>
      safely(async () => {
        const { trigger, said, earlier, calls } = await resume(input.sessionID)
        sample(input.sessionID, 0)
        const answer = await soon(send("experimental.session.compacting", input.sessionID, { trigger, said, earlier, calls: calls || undefined }))
        if (answer?.context) output.context.push(answer.context)
      }),
    "experimental.chat.system.transform": (input, output) =>
      safely(async () => {
        // A request for a title has the session's id too. Only its prompt distinguishes it.
        if (/^You are a title generator/.test(output.system?.[0] ?? "")) return
        const texts = known.get(input.sessionID)?.texts ?? {}
        const ready = await Promise.all(["start", "recovery", "notice"].map((name) => soon(texts[name])))
        output.system.push(...ready.filter(Boolean))
      }),
    "shell.env": (input, output) =>
      safely(() => {
        if (input.sessionID) output.env.JOURNAL_SESSION = top(input.sessionID)
      }),
    dispose: () =>
      safely(async () => {
        for (const [id, s] of known) if (s.begun && !s.parent) send("dispose", id, {})
        await Promise.race([queue, new Promise((resolve) => setTimeout(resolve, 2000).unref?.())])
      }),
  }
}
