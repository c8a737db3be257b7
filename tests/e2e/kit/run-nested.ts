import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface NestedResult {
  readonly title: string
  readonly status: string
  /** ms */
  readonly duration: number
  /** Their messages, without the lines of source that follow. */
  readonly errors: readonly string[]
  readonly annotations: readonly { readonly type: string; readonly description?: string }[]
  readonly attachments: readonly { readonly name: string; readonly contentType: string; readonly body?: string }[]
}

export interface NestedRun {
  readonly file: string
  readonly workers: number
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Suite {
  readonly suites?: readonly Suite[]
  readonly specs?: readonly {
    readonly title: string
    readonly tests: readonly {
      readonly results: readonly {
        readonly status: string
        readonly duration: number
        readonly errors: readonly { readonly message?: string }[]
        readonly annotations: NestedResult['annotations']
        readonly attachments: NestedResult['attachments']
      }[]
    }[]
  }[]
}

/** Runs a file of tests in a process of its own, as somebody who uses the kit does, and reads its report. */
export async function runNested({ file, workers, env }: NestedRun): Promise<readonly NestedResult[]> {
  const output = mkdtempSync(join(tmpdir(), 'kit-run-'))
  // Playwright tells its own workers by variables that a run inside of one is not to find.
  const { TEST_WORKER_INDEX, TEST_PARALLEL_INDEX, WAYSTATION_COLLECTOR_URL, ...own } = process.env
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules/@playwright/test/cli.js'),
      'test',
      `--config=${join(root, 'tests/e2e/kit/playwright.config.ts')}`,
      `--workers=${workers}`,
      file,
    ],
    { cwd: root, env: { ...own, ...env, KIT_OUTPUT: output, FORCE_COLOR: '0' }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  // A test that takes too long ends with its process, and nobody waits for the run any more.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const message: Buffer[] = []
  const wrong: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => message.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => wrong.push(chunk))
  await new Promise((resolve) => child.on('close', resolve))
  process.off('exit', kill)
  rmSync(output, { recursive: true, force: true })
  const text = Buffer.concat(message).toString('utf8')
  if (!text.startsWith('{'))
    throw new Error(`the run left no report:\n${text}\n${Buffer.concat(wrong).toString('utf8')}`)
  const report: { readonly errors: readonly { readonly message?: string }[] } & Suite = JSON.parse(text)
  if (report.errors.length > 0) throw new Error(report.errors.map(({ message }) => message).join('\n'))
  return resultsOf(report)
}

const resultsOf = ({ suites = [], specs = [] }: Suite): readonly NestedResult[] => [
  ...specs.flatMap(({ title, tests }) =>
    tests.flatMap(({ results }) =>
      results.map(({ status, duration, errors, annotations, attachments }) => ({
        title,
        status,
        duration,
        errors: errors.map(({ message = '' }) => message.replace(/\n\n {2,}at [\s\S]*$/, '')),
        annotations,
        attachments,
      })),
    ),
  ),
  ...suites.flatMap(resultsOf),
]
