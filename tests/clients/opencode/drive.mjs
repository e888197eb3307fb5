// Drives the plugin as opencode does: argv[2] is a file {plugin, directory, sessions, steps}; what came of
// the steps is printed. A step is [hook, input, output]; sessions: {id: {parent, messages} or null for none}.
// Printed too: waits, the milliseconds of every timer that was set.
import { readdirSync, readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const { plugin, directory, sessions, steps } = JSON.parse(readFileSync(process.argv[2], "utf8"))
const of = (id) => {
  if (!sessions[id]) throw new Error("no such session")
  return sessions[id]
}
const client = {
  session: {
    get: async ({ path }) => ({ data: { id: path.id, parentID: of(path.id).parent } }),
    messages: async ({ path }) => ({ data: Array.from({ length: of(path.id).messages ?? 0 }, () => ({})) }),
  },
}
const exported = Object.values(await import(pathToFileURL(plugin).href))
const hooks = await exported[0]({ client, directory, worktree: directory })
const waits = []
const set = globalThis.setTimeout
globalThis.setTimeout = (does, ms) => {
  waits.push(ms)
  return set(does, ms)
}
for (const [name, input, output] of steps) {
  await hooks[name]?.(input, output)
  const session = sessions[input?.sessionID]
  if (session && name === "chat.message") session.messages = (session.messages ?? 0) + 1 // it is stored then
}
await hooks.dispose?.()
const disposed = readdirSync(directory)
const told = { steps, disposed, waits, exported: exported.length, hooks: Object.keys(hooks) }
process.stdout.write(JSON.stringify(told))
