// journal's plugin: hands what happens in a session to journal, one call after the other, and hands
// the answers to the model. Nothing here may break a call of the agent: everything that can fail is
// caught, and every wait is bounded.
import { spawn } from "node:child_process"

const HOOK = {{hook}} // the words of the command that takes a hook
const PATIENCE = 5000 // milliseconds for one hook

const safely = async (f) => {
  try {
    return await f()
  } catch {
    return undefined
  }
}

// soon returns what a promise does, or undefined after PATIENCE: a call of the client waits no
// longer, however many hooks stand before its own.
const soon = (promise) => {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// run hands one hook over and returns the answer, {} for none.
const run = (payload) =>
  new Promise((resolve) => {
    let out = ""
    let timer
    const done = () => {
      clearTimeout(timer)
      let answer
      try {
        answer = JSON.parse(out)
      } catch {}
      resolve(answer ?? {})
    }
    try {
      const text = JSON.stringify(payload) // may throw, and a child without input would stay
      const child = spawn(HOOK[0], HOOK.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      timer = setTimeout(() => {
        out = ""
        child.kill("SIGKILL")
        done()
      }, PATIENCE)
      child.stdout.setEncoding("utf8") // a piece may end within a character
      child.stdout.on("error", () => {})
      child.stdout.on("data", (piece) => (out += piece))
      child.stdin.on("error", () => {})
      child.on("error", done)
      child.on("close", done)
      child.stdin.end(text)
    } catch {
      done()
    }
  })
