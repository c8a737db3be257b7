/**
 * The door of the record for programs that open its file while no collector uses it: saving, showing and merging runs, and salvage.
 */
export { hasUndelivered, lockFolder, whileIdle } from './disk/data-folder'
export { type MergedSpools, mergeSpools } from './offline/merge'
export { type SalvageReport, salvageFolder } from './offline/salvage'
export { type CheckedRow, checksumOf, deflateBody, readBody } from './record-body'
export { migrate } from './schema'
