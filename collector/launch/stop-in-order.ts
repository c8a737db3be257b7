import { setTimeout } from 'node:timers/promises'
import type { Child } from './child-process'

export interface StopStage {
  readonly child: Child
  readonly stop: () => void
  readonly withinMs: number
}

/**
 * Stops one child after the other, each within its time, else by force.
 * @param force ends all of them at once
 * @returns false when one had to be killed
 */
export async function stopInOrder(stages: readonly StopStage[], force: AbortSignal): Promise<boolean> {
  let clean = true
  const killAll = () => {
    clean = false
    for (const { child } of stages) child.kill()
  }
  if (force.aborted) killAll()
  force.addEventListener('abort', killAll, { once: true })
  for (const { child, stop, withinMs } of stages) {
    stop()
    const waited = new AbortController()
    const late = setTimeout(withinMs, 'late' as const, { signal: waited.signal }).catch(() => 'late' as const)
    const first = await Promise.race([child.exited, late])
    waited.abort()
    if (first === 'late') {
      clean = false
      child.kill()
      await child.exited
    }
  }
  force.removeEventListener('abort', killAll)
  return clean
}
