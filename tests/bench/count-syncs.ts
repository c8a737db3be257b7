import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRun } from '../faults/test-folder'
import { INTAKE_PATH } from './collector-under-bench'
import { emptyFolder } from './disk'
import type { Sent } from './messages'
import type { HiredProcess } from './process-under-bench'

export interface Syncs {
  readonly envelopes: number
  /** Each per envelope. */
  readonly record: number
  readonly rows: number
  readonly others: number
}

/**
 * Syncs of a collector under a load, in a pass of its own under strace, which makes it slower: only the count is worth
 * anything, and a slower collector gathers more into one sync.
 * @returns `null` where there is no strace.
 */
export async function countSyncs(given: {
  readonly sender: HiredProcess
  readonly upstream: number
  readonly folder: string
  readonly perSecond: number | null
  readonly seconds: number
}): Promise<Syncs | null> {
  if (spawnSync('strace', ['-V']).status !== 0) return null
  const data = emptyFolder(given.folder)
  const trace = join(data, '..', 'syncs.trace')
  // With -D the collector is the child and strace its companion, so that a signal reaches the collector.
  const strace = ['strace', '-D', '-f', '-y', '--seccomp-bpf', '-e', 'trace=fsync,fdatasync', '-o', trace]
  const life = startRun(
    fileURLToPath(new URL('./main.js', import.meta.url)),
    {
      WAYSTATION_PORT: '0',
      WAYSTATION_DATA: data,
      WAYSTATION_MAX_DISK: '32GiB',
      WAYSTATION_UPSTREAM: `http://bench@127.0.0.1:${given.upstream}/1`,
    },
    strace,
  )
  const url = await life.ready
  if (url === null) throw new Error(`the collector did not start under strace: ${life.output()}`)
  const begun = linesOf(trace).length
  const sent = (await given.sender.ask({
    via: 'socket',
    url,
    path: INTAKE_PATH,
    connections: 64,
    seconds: given.seconds,
    perSecond: given.perSecond,
    windows: [],
  })) as Sent
  const lines = linesOf(trace).slice(begun)
  life.end('SIGTERM')
  await life.ended
  rmSync(trace)
  const count = (file: RegExp): number => lines.filter((line) => file.test(line)).length
  const envelopes = Math.max(1, sent.whole.answered)
  const record = count(/\/spool\.db/)
  const rows = count(/\/telemetry\.db/)
  return {
    envelopes,
    record: record / envelopes,
    rows: rows / envelopes,
    others: (lines.length - record - rows) / envelopes,
  }
}

const linesOf = (trace: string): readonly string[] =>
  readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /^\d+ +\w+sync\(/.test(line))
