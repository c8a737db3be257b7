import { renameSync } from 'node:fs'
import { faultPoint } from '../runtime/fault-point'
import { nextStorePath, removeLog, setAside, storePath } from './open'

/**
 * New rows get the name of the old ones. Both files are closed, and their logs folded into them.
 * @param damage of the old ones, which are then set aside. @returns the sentence that says so.
 */
export function exchangeStores(folder: string, damage: string | null): string | null {
  const [old, next] = [storePath(folder), nextStorePath(folder)]
  if (damage === null) removeLog(old)
  const aside = damage === null ? null : setAside(old, damage)
  faultPoint('rebuild_switch')
  renameSync(next, old)
  removeLog(next)
  return aside
}
