import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { percentile } from './figures'

export interface Disk {
  readonly folder: string
  /** Memory that looks like a disk: syncs cost nothing there, and figures say nothing. */
  readonly isMemory: boolean
  /** Median of 50 times 4 KiB written and synced. */
  readonly syncMs: number
  readonly syncP99Ms: number
}

const TMPFS = 0x01021994
const RAMFS = 0x858458f6
const SYNCS = 50

/** How long a folder's disk takes to make a page durable. */
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

/** An empty folder, where a run before us left one too. */
export function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  return path
}
