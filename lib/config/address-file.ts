import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { DEFAULT_NAME } from './folders'

const FILE = 'address.json'
const addressSchema = z.object({ url: z.url(), pid: z.int().positive() })
type Address = z.infer<typeof addressSchema>

/** Writes the address of a running collector into its data folder, so that programs of the project find it. */
export const writeAddress = (folder: string, address: Address): void =>
  writeFileSync(join(folder, FILE), `${JSON.stringify(address)}\n`, { mode: 0o600 })

/** Removes it, unless another collector has written its own since. */
export function removeAddress(folder: string, pid: number): void {
  if (readAddress(folder)?.pid === pid) rmSync(join(folder, FILE), { force: true })
}

/**
 * Finds the collector of the nearest `.waystation` folder, upwards from a folder. A file whose process has ended is stale:
 * the collector was killed. @returns `null` without a running one
 */
export function nearestAddress(from: string, isRunning: (pid: number) => boolean = isAlive): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const address = readAddress(join(folder, DEFAULT_NAME))
    if (address !== null && isRunning(address.pid)) return address.url
    if (folder === dirname(folder)) return null
  }
}

function readAddress(folder: string): Address | null {
  try {
    return addressSchema.parse(JSON.parse(readFileSync(join(folder, FILE), 'utf8')))
  } catch (cause) {
    // Missing, or cut off by a full disk: the default address is used instead.
    if (cause instanceof Error) return null
    throw cause
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    // A process of another user may not be signalled.
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
}
