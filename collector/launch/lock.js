import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { hasCode } from './process-group.js'
import { livingProcess, ownIdentity } from './process-identity.js'

const LOOK_AGAIN_MS = 200

/**
 * Takes a lock that dies with its holder: a file that names a living process. Waits for its turn.
 * @param {{ file: string, stop: AbortSignal, onWait: (holder: number) => void }} given `onWait` is told once
 * @returns {Promise<{ release: () => void } | null>} `null` when asked to stop first
 */
export async function takeLock({ file, stop, onWait }) {
  mkdirSync(dirname(file), { recursive: true })
  const own = `${file}.${process.pid}`
  let told = false
  while (!stop.aborted) {
    // Linked from a finished file, so that nobody ever reads a lock without its holder.
    writeFileSync(own, ownIdentity())
    const taken = tryLink(own, file)
    rmSync(own)
    if (taken) return holdLock(file)
    const holder = breakIfStale(file)
    if (holder === null) continue
    if (!told) onWait(holder)
    told = true
    await setTimeout(LOOK_AGAIN_MS, undefined, { signal: stop }).catch((cause) => {
      if (!stop.aborted) throw cause
    })
  }
  return null
}

/** @param {string} file */
function holdLock(file) {
  const release = () => rmSync(file, { force: true })
  process.once('exit', release)
  return {
    release: () => {
      process.off('exit', release)
      release()
    },
  }
}

/**
 * Puts a dead holder's lock away. Two may find it dead at once, and the slower one would put away the faster one's new
 * lock; so it is moved first, looked at, and put back when it turns out to be alive.
 * @param {string} file
 * @returns {number | null} the living holder
 */
function breakIfStale(file) {
  const holder = readHolder(file)
  if (holder !== null) return holder
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return null
    throw cause
  }
  const moved = readHolder(aside)
  if (moved !== null) tryLink(aside, file)
  rmSync(aside)
  return moved
}

/** @param {string} file */
function readHolder(file) {
  try {
    return livingProcess(readFileSync(file, 'utf8'))
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return null
    throw cause
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function tryLink(from, to) {
  try {
    linkSync(from, to)
    return true
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) return false
    throw cause
  }
}
