import { type ChildProcess, spawn } from 'node:child_process'

/** A program with Sentry's Node SDK, which captures and flushes on request. */
export interface NodeSdkProgram {
  /** Captures a transaction with one child, or an error; resolves when the SDK has flushed. */
  readonly cause: (what: 'transaction' | 'error') => Promise<void>
  readonly end: () => void
}

const SOURCE = `
  import * as Sentry from '@sentry/node'
  Sentry.init({ dsn: process.argv[1], tracesSampleRate: 1, traceLifecycle: 'static', defaultIntegrations: false })
  const causes = {
    transaction: () => Sentry.startSpan({ name: 'work' }, () => Sentry.startSpan({ name: 'part' }, () => undefined)),
    error: () => Sentry.captureException(new Error('from node')),
  }
  process.on('message', async (what) => {
    causes[what]()
    process.send(await Sentry.flush(5000))
  })
  process.send(true)`

/** Starts the program with a DSN. */
export async function startNodeSdkProgram(dsn: string): Promise<NodeSdkProgram> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SOURCE, dsn], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await answerOf(child)
  return {
    cause: async (what) => {
      const flushed = answerOf(child)
      child.send(what)
      if (!(await flushed)) throw new Error(`the SDK could not flush its ${what} within 5 s`)
    },
    end: () => child.kill('SIGKILL'),
  }
}

const answerOf = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`the program ended with code ${code}`))
    child.once('exit', onExit)
    child.once('message', (answer) => {
      child.off('exit', onExit)
      resolve(answer)
    })
  })
