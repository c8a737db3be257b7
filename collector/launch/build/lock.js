import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { hasCode, isRunning } from '../processes.js'

const RETRY_MS = 200

/**
 * Takes a lock: a file with the pid of its holder. Waits while that process runs. Exiting releases the lock.
 * @param {{ file: string, stop: AbortSignal, onWait: (holder: number) => void }} given calls `onWait` once
 * @returns {Promise<{ release: () => void } | null>} `null` when `stop` aborts first
 */
export async function takeLock({ file, stop, onWait }) {
  mkdirSync(dirname(file), { recursive: true })
  const release = () => rmSync(file, { force: true })
  const own = `${file}.${process.pid}`
  let waits = false
  while (!stop.aborted) {
    // Links a complete file, so that no process reads a lock without its holder.
    writeFileSync(own, String(process.pid))
    const taken = succeeds(() => linkSync(own, file), 'EEXIST')
    rmSync(own)
    if (taken) {
      process.once('exit', release)
      return { release: () => process.off('exit', release) && release() }
    }
    const holder = holderOf(file)
    if (holder === null) removeStale(file)
    else if (!waits) onWait(holder)
    waits ||= holder !== null
    await setTimeout(holder === null ? 0 : RETRY_MS)
  }
  return null
}

/** Moves the file away first: another process may have taken the lock since we read it. @param {string} file */
function removeStale(file) {
  const moved = `${file}.${process.pid}.stale`
  if (!succeeds(() => renameSync(file, moved), 'ENOENT')) return
  if (holderOf(moved) !== null) succeeds(() => linkSync(moved, file), 'EEXIST')
  rmSync(moved)
}

/** After the restart of a container our own pid may be the one of an earlier holder. @param {string} file */
function holderOf(file) {
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  return pid !== process.pid && isRunning(pid) ? pid : null
}

/** @param {() => unknown} act @param {string} code of the expected error */
function succeeds(act, code) {
  try {
    act()
    return true
  } catch (cause) {
    if (!hasCode(cause, code)) throw cause
    return false
  }
}
