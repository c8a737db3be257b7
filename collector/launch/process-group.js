/**
 * Node's flags for a child that goes when we go, however we go. The child must be spawned `detached`, which makes it
 * lead a process group, and with a stdio channel of kind `ipc`.
 *
 * The address is right beside the sources and beside the bundles alike: both folders hold `follow-parent.js`.
 * @param {number} graceMs how long it may take to stop by itself; 0 kills its group at once
 * @returns {string[]}
 */
export const followParent = (graceMs) => [
  '--import',
  new URL(`./follow-parent.js?parent=${process.pid}&grace=${graceMs}`, import.meta.url).href,
]

/**
 * Kills a process group whole; a group that is gone already is what was wanted.
 * @param {number | undefined} leader
 */
export function killGroup(leader) {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (cause) {
    // EPERM is what macOS says of a group that has only zombies left.
    if (!hasCode(cause, 'ESRCH', 'EPERM')) throw cause
  }
}

/**
 * Is this the system's error of that code?
 * @param {unknown} cause
 * @param {...string} codes
 */
export const hasCode = (cause, ...codes) =>
  cause instanceof Error && 'code' in cause && codes.includes(String(cause.code))
