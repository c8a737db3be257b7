import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../collector/launch/processes.js'
import { sizeOf } from '../../collector/runtime/database'
import { percentile } from './report'

/** Memory, open files and disk use of a collector at one time. */
export interface ResourceSample {
  /** Seconds since the load began. */
  readonly at: number
  readonly residentBytes: number
  /** Open files without connections. Both are 0 on systems without /proc. */
  readonly openFiles: number
  readonly connections: number
  readonly spoolLogBytes: number
  readonly rowsLogBytes: number
  readonly diskBytes: number
}

export interface Disk {
  readonly folder: string
  /** A file system in memory, where syncs cost nothing and the figures mean little. */
  readonly isMemory: boolean
  /** The median of 50 writes of 4 KiB, each with a sync. */
  readonly syncMs: number
  readonly syncP99Ms: number
}

const TMPFS = 0x01021994
const RAMFS = 0x858458f6
const SYNCS = 50

/** Linux reports process times in hundredths of a second, independent of its timer frequency. */
const TICK_MICROS = 10_000

export function sampleResources(pid: number, folder: string, at: number): ResourceSample {
  const size = (name: string): number => sizeOf(join(folder, name))
  return {
    at,
    residentBytes: residentBytes(pid),
    ...openFiles(pid),
    spoolLogBytes: size('spool.db-wal'),
    rowsLogBytes: size('telemetry.db-wal'),
    diskBytes: readdirSync(folder).reduce((sum, name) => sum + size(name), 0),
  }
}

function openFiles(pid: number): Pick<ResourceSample, 'openFiles' | 'connections'> {
  const folder = `/proc/${pid}/fd`
  const targets = existsSync(folder) ? readdirSync(folder).map((number) => targetOf(join(folder, number))) : []
  const connections = targets.filter((target) => target.startsWith('socket:')).length
  return { openFiles: targets.length - connections, connections }
}

/** The file may be closed by now. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor)
  } catch {
    return 'socket:[closed]'
  }
}

export function residentBytes(pid: number): number {
  const status = `/proc/${pid}/status`
  const kib = existsSync(status)
    ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  return Number(kib ?? 0) * 1024
}

/** CPU time of all threads of a process since its start, in µs: to 10 ms with /proc, to a second with `ps`. */
export function cpuMicros(pid: number): number {
  const stat = `/proc/${pid}/stat`
  if (!existsSync(stat)) {
    const [seconds = 0, minutes = 0, hours = 0] = execFileSync('ps', ['-o', 'cputime=', '-p', String(pid)], {
      encoding: 'utf8',
    })
      .trim()
      .split(':')
      .map(Number)
      .reverse()
    return (seconds + 60 * minutes + 3600 * hours) * 1e6
  }
  const fields = statFields(pid) ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS
}

/**
 * CPU time of a process, of the children that it has, and of those that have ended, in µs; `null` on systems without /proc.
 * PostgreSQL has one child for each connection.
 */
export function treeCpuMicros(pid: number): number | null {
  if (!existsSync(`/proc/${pid}/stat`)) return null
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = statFields(Number(name))
      return fields !== null && Number(fields[1]) === pid ? [fields] : []
    })
  const own = statFields(pid) ?? []
  const ticks = [own[11], own[12], own[13], own[14], ...children.flatMap((fields) => [fields[11], fields[12]])]
  return ticks.reduce((sum, value) => sum + Number(value ?? 0), 0) * TICK_MICROS
}

/** The fields of /proc/PID/stat after the name; `null` when the process has ended. */
function statFields(pid: number): readonly string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Skips the name, which may contain spaces and parentheses.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'ESRCH')) return null
    throw cause
  }
}

/** The cores on which a process may run, such as `0-1`; `null` on systems without /proc. */
export function coresOf(pid: number): string | null {
  const status = `/proc/${pid}/status`
  return existsSync(status) ? (/^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync(status, 'utf8'))?.[1] ?? null) : null
}

/** The peak resident memory, or the current one on systems without /proc. */
export function peakResidentBytes(pid: number): number {
  const status = `/proc/${pid}/status`
  const kib = existsSync(status) ? /^VmHWM:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined
  return kib === undefined ? residentBytes(pid) : Number(kib) * 1024
}

/** Makes Linux forget the peak so far. Elsewhere the peak includes the start. */
export function resetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Proportional set size, which counts shared pages in part; null on systems without /proc. */
export function proportionalBytes(pid: number): number | null {
  const path = `/proc/${pid}/smaps_rollup`
  if (!existsSync(path)) return null
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1]) * 1024
}

/** Measures how long a synced write takes in a folder. */
export function measureDisk(folder: string): Disk {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'sync-latency')
  const page = Buffer.alloc(4096, 'x')
  const file = openSync(path, 'w')
  const took = Array.from({ length: SYNCS }, () => {
    const began = performance.now()
    writeSync(file, page)
    fsyncSync(file)
    return performance.now() - began
  })
  closeSync(file)
  rmSync(path)
  const { type } = statfsSync(folder)
  return {
    folder,
    isMemory: type === TMPFS || type === RAMFS,
    syncMs: percentile(took, 0.5),
    syncP99Ms: percentile(took, 0.99),
  }
}

/** Creates an empty folder; removes the one of an earlier run. */
export function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  return path
}
