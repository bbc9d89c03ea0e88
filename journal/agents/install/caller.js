// journal's plugin: hands what happens in a session to journal-hook, one call after the other,
// and gives its answers to the model. Nothing here may break a call of the agent: everything that
// can fail is caught, and every wait is bounded.
import { spawn } from "node:child_process"

const HOOK = {{hook}} // the command that hooks are handed to
const PATIENCE = 5000 // milliseconds for one of them

const safely = async (f) => {
  try {
    return await f()
  } catch {
    return undefined
  }
}

// soon gives what a promise does, or undefined when that takes too long: no call of the client
// waits for more than one hook, however many stand before it.
const soon = (promise) => {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// run hands one hook over and gives the answer: {} when there is none.
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
      const text = JSON.stringify(payload) // may throw; a child that gets nothing would stay
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
