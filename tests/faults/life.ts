import { spawn } from 'node:child_process'
import { NATIVE_MEMORY } from '../../collector/launch/start-collector'
import type { CollectorMessage } from '../../collector/main'

/** One life of a collector: from its start to its end, whichever way that comes. */
export interface Life {
  /** Its address once it takes envelopes; `null` when it ended before. */
  readonly ready: Promise<string | null>
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  readonly pid: number
  readonly end: (signal: NodeJS.Signals) => void
  /** What it printed so far. */
  readonly output: () => string
}

/** Starts a bundled collector; `env` is all that it gets beside the path. `under` is a command that runs a command. */
export function beginLife(program: string, env: Readonly<Record<string, string>>, under: readonly string[] = []): Life {
  const [command = process.execPath, ...words] = [...under, process.execPath, program]
  const child = spawn(command, words, {
    env: { ...NATIVE_MEMORY, NODE_ENV: 'production', PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  const note = (chunk: Buffer): void => {
    output += chunk.toString()
  }
  child.stdout?.on('data', note)
  child.stderr?.on('data', note)
  const ended = new Promise<Awaited<Life['ended']>>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const ready = new Promise<string | null>((resolve) => {
    child.on('message', (news: CollectorMessage) => resolve(news.type === 'ready' ? news.url : null))
    void ended.then(() => resolve(null))
  })
  return { ready, ended, pid: child.pid ?? 0, end: (signal) => void child.kill(signal), output: () => output }
}
