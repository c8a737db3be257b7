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

/** Reads the uptime of this machine. */
export function createUptime(boot: string = bootMark(), seconds: () => number = uptime): ReadUptime {
  return () => ({ boot, uptimeMs: Math.round(seconds() * 1000) })
}
