export const Journal = async ({ directory, worktree, client }) => {
  const known = new Map() // sessions seen in this process: {begun, parent, trigger, said, earlier, calls, tokens, sampled, window, model, texts, created}
  const summaries = new Set() // ids of messages that are summaries
  let queue = Promise.resolve() // order is that of the calls

  const of = (id) => {
    if (!known.has(id)) known.set(id, { texts: {} })
    return known.get(id)
  }
  // entry names the command that began a session at which nobody sits: it asks no questions.
  const entry = (info) => {
    const quiet = Array.isArray(info?.permission) && info.permission.some((p) => p?.permission === "question" && p.action === "deny")
    return quiet || process.argv.slice(2).find((a) => !a.startsWith("-")) === "run" ? "run" : undefined
  }
  // top gives the session that a child belongs to in the end.
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
  // sample tells how full the context is, when that changed by so much of the window.
  const sample = (id, share) => {
    const s = of(id)
    if (!s.tokens || !s.window || Math.abs(s.tokens - (s.sampled ?? 0)) <= s.window * share) return
    s.sampled = s.tokens
    send("usage", id, { tokens: s.tokens, window: s.window, model: s.model })
  }
  // keep has a text stand in every request of a session from now on.
  const keep = (s, name, answer) => {
    s.texts[name] = answer.then((a) => a.context ?? "")
    return s.texts[name]
  }

  // descend finds the ancestors of a session that began in another process.
  const descend = async (id) => {
    for (let n = 0; n < 32 && id && !of(id).begun && !of(id).parent; n++) {
      const found = await safely(() => soon(client.session.get({ path: { id } })))
      id = of(id).parent = found?.data?.parentID
    }
  }
  // resume has a session that began in another process go on in this one. Its first sign may be a command, a revert or a compaction.
  const resume = async (id) => {
    const s = of(id)
    if (!id || s.begun) return s
    await descend(id)
    if (!s.begun && !s.parent) keep(s, "start", send("session.resumed", id, { entry: entry() }))
    s.begun = true
    return s
  }

  const events = {
    "session.created": ({ sessionID, info }) => {
      const s = of(sessionID)
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
    // What a revert hides can come back until the next prompt, for which it is removed.
    "session.updated": ({ sessionID, info }) => {
      const revert = info?.revert
      if (revert?.messageID) of(sessionID ?? info.id).revert = { message: revert.messageID, files: Boolean(revert.snapshot) }
    },
    "message.removed": ({ sessionID }) => {
      const s = of(sessionID)
      if (s.revert) send("session.reverted", sessionID, s.revert)
      s.revert = undefined
    },
    "session.compacted": ({ sessionID }) => {
      const s = of(sessionID)
      s.texts = {}
      keep(s, "recovery", send("session.compacted", sessionID, { trigger: s.trigger }))
    },
    "session.idle": ({ sessionID }) => {
      const s = of(sessionID)
      if (s.stopped && !s.parent) return // its words came with the interruption
      send("session.idle", sessionID, { said: s.said }).then((a) =>
        a.person ? safely(() => client.tui.showToast({ body: { message: a.person, variant: "info" } })) : undefined,
      )
      s.said = undefined
    },
    "session.error": ({ sessionID, error }) => {
      if (!sessionID) return
      const s = of(sessionID)
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
        const s = of(sessionID)
        s.tokens = n
        s.model = info.modelID
        sample(sessionID, 0.05)
      }
    },
    "message.part.updated": ({ sessionID, part }) => {
      if (part?.type === "compaction") of(sessionID).trigger = part.auto ? "auto" : "manual"
      const copied = part?.state?.time?.end < of(sessionID).created // a fork begins with a copy of its parent
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
        s.said = s.earlier = s.stopped = undefined // what was said last is said since the newest prompt
        const parts = (output.parts ?? []).filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text)
        keep(s, "notice", send("chat.message", id, { text: parts.join("\n"), agent: output.message?.agent, message: output.message?.id }))
        s.revert = undefined
      }),
    "chat.params": (input) =>
      safely(() => {
        const window = input.model?.limit?.context
        if (window) of(input.sessionID).window = window
      }),
    "tool.execute.after": (input, output) =>
      safely(async () => {
        const { tool, sessionID, callID, args } = input
        of(sessionID).calls++
        const answer = await soon(send("tool.execute.after", sessionID, {
          tool, callID, args, output: output.output, metadata: output.metadata,
        }))
        if (answer?.context) output.output = (output.output ?? "") + "\n\n" + answer.context
      }),
    "experimental.text.complete": (input, output) =>
      safely(() => {
        const s = of(input.sessionID)
        if (summaries.has(input.messageID)) send("compaction.summary", input.sessionID, { text: output.text, trigger: s.trigger })
        else Object.assign(s, { earlier: s.said ? [...(s.earlier ?? []), s.said].slice(-20) : s.earlier, said: output.text, calls: 0 }) // tools that run after it
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
        // A request for a title has the session's id too, and nothing but its prompt tells it.
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
