// driver.mjs PLUGIN STEPS: calls the plugin's hooks as the client does, one step a line of
// {hook, input, output}, and prints what each left in its output.
import { readFileSync } from "node:fs"

const { Journal } = await import(process.argv[2])
const shown = []
const hooks = await Journal({
  directory: "/home/dev/project",
  worktree: "/home/dev/project",
  client: { tui: { showToast: async (t) => shown.push(t.body.message) } },
})
for (const line of readFileSync(process.argv[3], "utf8").trim().split("\n")) {
  const { hook, input, output } = JSON.parse(line)
  await hooks[hook](input, output)
  if (output !== undefined) console.log(JSON.stringify({ hook, output }))
}
await hooks.dispose()
if (shown.length) console.log(JSON.stringify({ shown }))
