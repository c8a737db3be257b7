/**
 * The places at which the fault suite may end the process. `checkpoint` is passed right before SQLite folds the log into
 * the file, `checkpointed` right after.
 */
export type FaultPoint =
  | 'before_commit'
  | 'after_commit'
  | 'checkpoint'
  | 'checkpointed'
  | 'digest'
  | 'relayed'
  | 'rebuild_switch'
  | 'evict'

/** Marks such a place. Here it does nothing: only the suite's own bundle puts another module in the place of this one. */
export function faultPoint(_point: FaultPoint): void {
  return
}
