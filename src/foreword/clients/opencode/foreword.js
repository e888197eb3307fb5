// Foreword, a memory for coding agents. Written by `foreword install opencode`, removed by `foreword uninstall
// opencode`. Not to be edited: a changed file is left as it is.
//
// opencode knows no command hooks, so this starts one short process for a prompt and one for a finished
// turn, and hands the model what it says. Whatever happens there, opencode goes on: nothing here throws,
// no prompt waits longer than LIMITS_MS.prompt, whatever it asks, and nothing is printed. It needs no
// package: only Node's own modules.
//
// Seen in runs of 1.18.33 (2026-11-30). A hook that throws breaks the prompt, one that hangs holds it up;
// an event's handler is not waited for, but `dispose` is, and `opencode run` calls it after session.idle.
// The title of a session is made of its first message, by another model maybe: what is handed over stands
// there as a part that no model is shown (`ignored`), and is shown to the agent's own by `messages.transform`.

import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { isAbsolute, join } from "node:path"

const COMMAND = ["python", "-I", "-m", "foreword.hook", "opencode"]
const CALLED = { prompt: "UserPromptSubmit", stop: "Stop", "session-start": "SessionStart" }
const LIMITS_MS = { prompt: 3500, stop: 6000 } // past its own deadline: 2500, 5000
const KEPT_MS = 1000 // of a prompt's time: a slow recall leaves that much for the notes that match
const TRIES = 3 // to get the recall of a session; then its prompts wait for it no more
const LEFT_MS = 200 // for what lies in the pipe of a process that has ended; another may hold it open
const ASKING_MS = 1000 // what opencode itself is asked is in its own process
const LARGEST = 1 << 20 // characters of an answer; a recall has some 6000
const LONGEST_ANSWER = 200_000 // characters of a turn's answer; a note keeps 64,000 of them
const FILES = 20
const SESSIONS = 50 // client sessions of one process that are remembered

// A text as a file that has no name any more, from its start; undefined where that cannot be had. What is
// written to a pipe is lost when opencode is ended in the same moment: Bun writes it a little later.
function nameless(text) {
  if (process.platform === "win32") return undefined // there an open file keeps its name
  let fd
  try {
    const path = join(tmpdir(), `foreword-${randomUUID()}`)
    fd = openSync(path, "wx+", 0o600)
    unlinkSync(path)
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at)
    return fd
  } catch {
    if (fd !== undefined) closeSync(fd)
    return undefined
  }
}

// One event of Foreword: the text for the model, "" for none; undefined for whatever goes wrong, and when it
// takes longer than `limit_ms`.
function ask(event, payload, limit_ms) {
  if (limit_ms <= 0) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    let child, timer, left, fd
    let said = ""
    let hasEnded = false
    const end = (text) => {
      clearTimeout(timer)
      clearTimeout(left)
      child?.stdin?.destroy() // what the process started may hold them, and keep opencode from ending
      child?.stdout?.destroy()
      resolve(text)
    }
    try {
      const [program, ...words] = COMMAND
      const input = JSON.stringify({ hook_event_name: CALLED[event], ...payload })
      const isLast = event === "stop"
      fd = isLast ? nameless(input) : undefined
      child = spawn(program, [...words, event], {
        stdio: [fd ?? "pipe", isLast ? "ignore" : "pipe", "ignore"],
        windowsHide: true,
        detached: isLast && process.platform !== "win32", // Ctrl+C ends opencode, not the saving
      })
      const kill = () => {
        child.kill("SIGKILL")
        end(hasEnded ? context(said) : undefined)
      }
      timer = setTimeout(kill, limit_ms)
      child.on("error", () => end(undefined))
      child.on("exit", (code) => {
        if (code !== 0) return end(undefined)
        hasEnded = true
        left = setTimeout(() => end(context(said)), LEFT_MS)
      })
      child.on("close", (code) => end(code === 0 ? context(said) : undefined))
      child.stdin?.on("error", () => {}) // it is gone already
      child.stdout?.setEncoding("utf8")
      child.stdout?.on("data", (text) => {
        said += text
        if (said.length > LARGEST) kill()
      })
      child.stdin?.end(input)
    } catch {
      end(undefined)
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  })
}

function context(said) {
  if (!said || said.length > LARGEST) return ""
  try {
    const text = JSON.parse(said)?.hookSpecificOutput?.additionalContext
    return typeof text === "string" ? text : ""
  } catch {
    return ""
  }
}

// What a promise gives, or undefined when it fails or takes too long.
function within(promise, limit_ms) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, limit_ms)
  })
  return Promise.race([Promise.resolve(promise).catch(() => {}), late]).finally(() => clearTimeout(timer))
}

// `opencode run "two words"` puts quotes around an argument that holds a space; nobody typed them.
function unquoted(text) {
  const typed = process.argv.find((word) => text === `"${word.replaceAll('"', '\\"')}"`)
  return typed ?? text
}

const isOurs = (part) => part.type === "text" && part.metadata?.foreword === true

// What the user wrote: not what opencode, or a plugin, put beside it.
function wordsOf(parts) {
  const typed = parts.filter((part) => part?.type === "text" && !part.synthetic && !part.ignored)
  return typed.map((part) => unquoted(String(part.text ?? ""))).join("\n\n")
}

export const Foreword = async ({ client, directory, worktree }) => {
  if (process.env.FOREWORD_DISABLE === "1") return {}
  const sessions = new Map()
  const saving = new Set()

  function known(id) {
    const session = sessions.get(id) ?? { turns: new Set(), answers: new Map(), files: [] }
    sessions.delete(id)
    sessions.set(id, session) // the last used last
    if (sessions.size > SESSIONS) sessions.delete(sessions.keys().next().value)
    return session
  }

  const common = (id) => ({ session_id: id, cwd: directory, worktree })

  // A subagent's session has a parent.
  async function isChild(id, session) {
    if (session.isChild === undefined) {
      const found = await within(client.session.get({ path: { id } }), ASKING_MS)
      if (!found?.data) return false // asked again at the next prompt
      session.isChild = Boolean(found.data.parentID)
    }
    return session.isChild
  }

  // Why this context begins; a session that has messages still holds what it was handed.
  async function sourceOf(id, session) {
    const found = await within(client.session.messages({ path: { id }, query: { limit: 1 } }), ASKING_MS)
    if (!found?.data?.length) return "startup"
    return session.isNew ? "fork" : "resume"
  }

  // The recall of a session, which is asked for until there is an answer: what stands in `start` outlives
  // one that came too late, and a compaction makes a new one.
  async function recalled(id, session, until) {
    const source = session.start ? "" : await sourceOf(id, session)
    session.start ??= { source, tries: 0 }
    const start = session.start
    if (start.isTold || start.tries >= TRIES) return ""
    start.tries += 1
    const payload = { ...common(id), source: start.source }
    const said = await ask("session-start", payload, until - KEPT_MS - performance.now())
    start.isTold = said !== undefined
    return said
  }

  async function prompted(input, { message, parts }) {
    const until = performance.now() + LIMITS_MS.prompt
    const id = input.sessionID
    const session = known(id)
    const command = session.command
    session.command = undefined
    if (await isChild(id, session)) return
    const prompt = command ?? wordsOf(parts)
    const turn = message.id
    session.turns.add(turn)
    session.turn = turn
    const texts = [await recalled(id, session, until)]
    if (prompt.trim()) {
      const payload = { ...common(id), turn_id: turn, prompt, files: session.files }
      texts.push(await ask("prompt", payload, until - performance.now()))
    }
    const last = parts.map((part) => String(part.id)).sort().at(-1) ?? "prt_0"
    texts.filter(Boolean).forEach((text, n) => {
      // Parts are read in the order of their ids.
      const part = { id: `${last}0${n}`, sessionID: id, messageID: turn, type: "text", text }
      parts.push({ ...part, synthetic: true, ignored: true, metadata: { foreword: true } })
    })
  }

  // New objects, for the title's request may hold the same ones. A compaction's request goes without.
  function shown(output) {
    const session = sessions.get(output.messages.at(-1)?.info.sessionID)
    const isSummary = session?.isCompacting
    if (session) session.isCompacting = false
    if (isSummary) return
    output.messages.forEach((message, n) => {
      if (!message.parts.some(isOurs)) return
      const parts = message.parts.map((part) => (isOurs(part) ? { ...part, ignored: false } : part))
      output.messages[n] = { ...message, parts }
    })
  }

  // The answer of an assistant's message that ended its turn; one that calls tools, failed, was cancelled
  // or is the summary of a compaction answers nothing.
  function settle(session) {
    const said = session.said
    session.said = undefined
    if (!said?.isOver || said.isNoAnswer) return
    const text = [...said.texts.values()].filter((text) => text.trim()).join("\n\n")
    if (text) session.answers.set(said.turn, text)
  }

  function heardOf(info) {
    const session = sessions.get(info.sessionID)
    if (info.role !== "assistant" || !session?.turn) return
    if (session.said?.id !== info.id) {
      if (info.time?.completed && !session.said) return // told once more, after its turn was saved
      settle(session)
      // After a compaction opencode goes on by a message of its own; the turn is still the user's.
      const turn = session.turns.has(info.parentID) ? info.parentID : session.turn
      session.said = { id: info.id, turn, texts: new Map() }
    }
    const said = session.said
    said.isNoAnswer ||= Boolean(info.summary || info.error) || ["tool-calls", "unknown"].includes(info.finish)
    said.isOver ||= Boolean(info.finish && info.time?.completed)
  }

  function heardPart(part) {
    const said = sessions.get(part.sessionID)?.said
    if (said?.id !== part.messageID) return
    if (part.type === "tool") said.isNoAnswer = true
    if (part.type === "text" && !part.synthetic) said.texts.set(part.id, String(part.text ?? ""))
  }

  function stopped(id) {
    const session = sessions.get(id)
    if (!session) return
    settle(session)
    for (const [turn, text] of session.answers) {
      const answer = text.slice(0, LONGEST_ANSWER)
      const payload = { ...common(id), turn_id: turn, last_assistant_message: answer }
      const saved = ask("stop", payload, LIMITS_MS.stop)
      saving.add(saved)
      saved.finally(() => saving.delete(saved))
    }
    session.answers.clear()
  }

  function used(input) {
    const path = input.args?.filePath
    const session = sessions.get(input.sessionID)
    if (!session || typeof path !== "string" || !isAbsolute(path)) return
    session.files = [path, ...session.files.filter((other) => other !== path)].slice(0, FILES)
  }

  const events = {
    "session.created": ({ info }) => {
      Object.assign(known(info.id), { isChild: Boolean(info.parentID), isNew: true })
    },
    "session.deleted": ({ info }) => sessions.delete(info.id),
    "session.compacted": ({ sessionID }) => {
      if (sessions.has(sessionID)) sessions.get(sessionID).start = { source: "compact", tries: 0 }
    },
    "message.updated": ({ info }) => heardOf(info),
    "message.part.updated": ({ part }) => heardPart(part),
    "session.idle": ({ sessionID }) => stopped(sessionID),
  }

  const quietly = (hook) => async (input, output) => {
    try {
      await hook(input, output)
    } catch {
      // a hook of ours is never the reason why a prompt fails
    }
  }

  return {
    event: quietly(({ event }) => events[event.type]?.(event.properties)),
    "chat.message": quietly(prompted),
    "command.execute.before": quietly(({ sessionID, command, arguments: words }) => {
      known(sessionID).command = `/${command} ${words ?? ""}`.trim()
    }),
    "tool.execute.after": quietly(used),
    "experimental.session.compacting": quietly(({ sessionID }) => {
      if (sessions.has(sessionID)) sessions.get(sessionID).isCompacting = true
    }),
    "experimental.chat.messages.transform": quietly((_, output) => shown(output)),
    dispose: quietly(() => Promise.all(saving)),
  }
}
