/**
 * The door of the record for programs that open its file while no collector uses it: saving, showing and merging runs, and salvage.
 */
export { hasUndelivered, lockFolder, whileIdle } from './data-folder'
export { type MergedSpools, mergeSpools } from './merge'
export { type CheckedRow, checksumOf, deflateBody, readBody } from './record-body'
export { type SalvageReport, salvageFolder } from './salvage'
export { migrate } from './schema'
