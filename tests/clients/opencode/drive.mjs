// Drives the plugin as opencode does: argv[2] is a file {plugin, directory, sessions, steps}; what came of
// the steps is printed. A step is [hook, input, output]; sessions: {id: {parent, messages} or null for none}.
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
for (const [name, input, output] of steps) await hooks[name]?.(input, output)
await hooks.dispose?.()
const disposed = readdirSync(directory)
process.stdout.write(JSON.stringify({ steps, disposed, exported: exported.length, hooks: Object.keys(hooks) }))
