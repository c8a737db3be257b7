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
  /** The error messages without source lines and stack. */
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

/** Runs a test file with Playwright in another process, as a user of the kit does, and reads its report. */
export async function runNested({ file, workers, env }: NestedRun): Promise<readonly NestedResult[]> {
  const output = mkdtempSync(join(tmpdir(), 'kit-run-'))
  // Variables of the outer Playwright worker must not reach the nested run.
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
  // After a timeout Playwright ends this process, and the nested run must end with it.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  await new Promise((resolve) => child.on('close', resolve))
  process.off('exit', kill)
  rmSync(output, { recursive: true, force: true })
  const text = Buffer.concat(stdout).toString('utf8')
  if (!text.startsWith('{'))
    throw new Error(`the nested run wrote no report:\n${text}\n${Buffer.concat(stderr).toString('utf8')}`)
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
