import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sizeOf } from '../../collector/spool/database'

/** What a process and its data folder look like from outside at one moment. */
export interface Figures {
  /** Seconds since the load began. */
  readonly at: number
  readonly residentBytes: number
  /** Open files that are no connections; 0 of both where the system does not tell. */
  readonly openFiles: number
  readonly connections: number
  readonly spoolLogBytes: number
  readonly rowsLogBytes: number
  readonly diskBytes: number
}

export function look(pid: number, folder: string, at: number): Figures {
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

function openFiles(pid: number): Pick<Figures, 'openFiles' | 'connections'> {
  const folder = `/proc/${pid}/fd`
  const targets = existsSync(folder) ? readdirSync(folder).map((number) => targetOf(join(folder, number))) : []
  const connections = targets.filter((target) => target.startsWith('socket:')).length
  return { openFiles: targets.length - connections, connections }
}

/** It may be closed by now. */
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

/** The value below which so much of all lies; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** How much a line through the points rises from the first to the last. */
export function rise(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = mean(points.map(([x]) => x))
  const level = mean(points.map(([, y]) => y))
  const spread = points.reduce((sum, [x]) => sum + (x - middle) ** 2, 0)
  if (spread === 0) return 0
  const slope = points.reduce((sum, [x, y]) => sum + (x - middle) * (y - level), 0) / spread
  return slope * ((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0))
}

/** CPU that a process used since it began, in all its threads, in µs: `ps` tells whole seconds, /proc hundredths. */
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
  const text = readFileSync(stat, 'utf8')
  // Behind the name, which may hold spaces and brackets itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS
}

/** Linux tells times of processes in hundredths of a second, whatever its own clock ticks by. */
const TICK_MICROS = 10_000

/** The most that was ever resident; what is resident now where the system does not tell. */
export function peakResidentBytes(pid: number): number {
  const status = `/proc/${pid}/status`
  const kib = existsSync(status) ? /^VmHWM:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined
  return kib === undefined ? residentBytes(pid) : Number(kib) * 1024
}
