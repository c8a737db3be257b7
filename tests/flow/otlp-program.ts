import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The set-ups in `tests/fixtures/otlp-programs`. */
export type SetUp =
  | 'sentry'
  | 'opentelemetry-and-sentry'
  | 'opentelemetry'
  | 'opentelemetry-baggage'
  | 'opentelemetry-cookie'

export interface OtlpProgram {
  readonly url: string
  /** Sends SIGTERM; resolves when the program has exported everything and ended. */
  readonly end: () => Promise<void>
}

const folder = fileURLToPath(new URL('../fixtures/otlp-programs', import.meta.url))
const running = new Set<ChildProcess>()

export function endPrograms(): void {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
}

/** Starts the server of the fixture with a set-up. @param env besides the variables of the documentation */
export async function startOtlpProgram(setUp: SetUp, env: Readonly<Record<string, string>>): Promise<OtlpProgram> {
  const child = spawn(process.execPath, ['--import', `./${setUp}.cjs`, 'shop.cjs'], {
    cwd: folder,
    env: { NODE_ENV: 'production', PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const exited = once(child, 'exit').finally(() => running.delete(child))
  const failed = exited.then(([code]) => {
    throw new Error(`${setUp} ended with code ${code}: ${output}`)
  })
  const [port] = await Promise.race([once(child, 'message'), failed])
  failed.catch(() => undefined)
  return {
    url: `http://127.0.0.1:${port}`,
    end: async () => {
      child.kill('SIGTERM')
      const [code] = await exited
      if (code !== 0 || output !== '') throw new Error(`${setUp} ended with code ${code}: ${output}`)
    },
  }
}
