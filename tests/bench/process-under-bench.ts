import { fileURLToPath } from 'node:url'
import { describeExit, startChild } from '../../collector/launch/child-process'
import { NATIVE_MEMORY } from '../../collector/launch/start-collector'

/** A process of the bench's own: it does what a message says, and says with one message what came of it. */
export interface HiredProcess {
  readonly pid: number
  /** What it said first. */
  readonly hello: unknown
  /** One question at a time. */
  readonly ask: (question: object) => Promise<unknown>
  /** Says something that needs no answer of its own. */
  readonly tell: (word: object) => void
  readonly end: () => Promise<void>
}

/** Starts a program that was bundled beside this one. @param greets does it say something before it is asked? */
export async function hire(program: string, greets: boolean): Promise<HiredProcess> {
  let said: (answer: unknown) => void = () => undefined
  let broke: (error: Error) => void = () => undefined
  const lines: string[] = []
  const next = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      said = resolve
      broke = reject
    })
  const greeting = next()
  const child = startChild({
    nodeFlags: ['--enable-source-maps'],
    script: fileURLToPath(new URL(`./${program}.js`, import.meta.url)),
    args: [],
    cwd: process.cwd(),
    env: { ...process.env, ...NATIVE_MEMORY, NODE_ENV: 'production' },
    graceMs: 0,
    onLine: (line) => lines.push(line),
    onMessage: (message) => said(message),
  })
  void child.exited.then((exit) => broke(new Error(`${program} ended (${describeExit(exit)}): ${lines.join('\n')}`)))
  const hello = greets ? await greeting : undefined
  return {
    pid: child.pid,
    hello,
    ask: (question) => {
      const answer = next()
      child.send({ ...question })
      return answer
    },
    tell: (word) => child.send({ ...word }),
    end: async () => {
      broke = () => undefined
      child.kill()
      await child.exited
    },
  }
}
