import { readFileSync } from 'node:fs'
import { hasCode } from './process-group.js'

/**
 * What tells a process from a later one with the same number: the time it started, where the system tells it.
 * @param {number} pid
 * @returns {string | null} `null` when there is no such process
 */
export function identifyProcess(pid) {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    if (hasCode(cause, 'ESRCH')) return null
    // EPERM: there is one, and it is somebody else's.
    if (!hasCode(cause, 'EPERM')) throw cause
  }
  if (process.platform !== 'linux') return 'alive'
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 22, counted behind the name, which may itself hold spaces and brackets; Z and X are dead already.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `started ${fields[19]}`
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'ESRCH')) return null
    throw cause
  }
}

/**
 * A line that names this process for others to look at later.
 * @returns {string}
 */
export const ownIdentity = () => `${process.pid} ${identifyProcess(process.pid)}`

/**
 * The process that a line of `ownIdentity` names, if it still lives.
 * @param {string} line
 * @returns {number | null} its pid
 */
export function livingProcess(line) {
  const [pid, ...identity] = line.trim().split(' ')
  return identifyProcess(Number(pid)) === identity.join(' ') ? Number(pid) : null
}
