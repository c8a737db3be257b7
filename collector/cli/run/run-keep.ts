import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { formatBytes, plainText } from '../../../lib/format'
import { scrubText } from '../../../lib/scrub/scrub-text'
import type { Report } from '../../../lib/verdict/expectations/report'
import { newManifest, type RunManifest } from '../../runs/manifest'
import type { RunFolder } from '../../runs/run-folder'
import { saveRun, writeRunFacts } from '../../runs/save-run'
import { runVerdict, type SuiteReports } from '../../runs/suite-reports'
import type { RunArguments } from './run-arguments'

interface KeptRun {
  readonly given: Pick<RunArguments, 'program' | 'args' | 'name' | 'save' | 'scrub' | 'judging'>
  readonly recording: Pick<RunFolder, 'folder'>
  /** Of the collector. */
  readonly url: string
  /** `null` when nothing was judged. */
  readonly report: Report | null
  readonly observed: SuiteReports & { readonly endedAt: number }
  /** In ms since the epoch. */
  readonly startedAt: number
  readonly program: RunManifest['exit']
}

/**
 * Writes what the run was into its folder, and with --save all of it into one file.
 * @returns false when a file could not be written; the reason is printed
 */
export async function keepRun(run: KeptRun): Promise<boolean> {
  const { given, report, observed } = run
  const manifest = newManifest({
    command: maskSecrets([given.program, ...given.args].join(' ')),
    name: given.name,
    url: run.url,
    commit: commitOf(process.cwd()),
    startedAt: run.startedAt,
    endedAt: observed.endedAt,
    exit: { code: run.program.code, signal: run.program.signal },
    verdict: report?.verdict ?? null,
  })
  const verdict = report && runVerdict(report, observed)
  const { folder } = run.recording
  try {
    // A person may have deleted the folder, or the program did.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return given.save === null
    writeRunFacts(folder, manifest, verdict)
    if (given.save === null) return true
    const saved = await saveRun(folder, given.save, { manifest, verdict, scrub: given.scrub })
    const scrubbed = saved.scrubbed === null ? '' : ` Secrets were removed from ${saved.scrubbed} records.`
    const file = relative(process.cwd(), given.save)
    if (given.judging?.quiet !== true)
      console.error(plainText(`The run is saved in ${file} (${formatBytes(saved.bytes)}).${scrubbed}`))
    return true
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    console.error(plainText(`The run could not be saved in ${given.save ?? folder}: ${why}.`))
    return false
  }
}

/** Command lines contain tokens and addresses with passwords. */
const maskSecrets = (command: string): string => scrubText(command, 'plain', () => undefined)

/** The commit that is checked out; `null` outside of a repository, or without git. */
function commitOf(folder: string): string | null {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' })
  const commit = stdout?.trim() ?? ''
  return status === 0 && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null
}
