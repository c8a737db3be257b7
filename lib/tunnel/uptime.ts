import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import type { Uptime } from '../protocol/waited'

export type ReadUptime = () => Uptime

/** Linux names each start of the machine. Elsewhere only moments of the same process are known to be of the same start. */
function bootMark(): string {
  const id = process.platform === 'linux' ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') : randomUUID()
  return id.slice(0, 8)
}

/** Reading it takes 40 microseconds, which each envelope would pay. */
const FRESH_MS = 100

/** Reads the uptime of this machine, at most every 100 ms. */
export function createUptime(
  boot: string = bootMark(),
  seconds: () => number = uptime,
  monotonic: () => number = () => performance.now(),
): ReadUptime {
  let read = { boot, uptimeMs: 0 }
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = monotonic()
    if (now - readAt >= FRESH_MS) {
      read = { boot, uptimeMs: Math.round(seconds() * 1000) }
      readAt = now
    }
    return read
  }
}
