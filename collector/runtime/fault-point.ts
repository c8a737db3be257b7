/** For the fault suite. `checkpoint` is right before SQLite copies the write-ahead log, `checkpointed` right after. */
export type FaultPoint =
  | 'before_commit'
  | 'after_commit'
  | 'checkpoint'
  | 'checkpointed'
  | 'digest'
  | 'relayed'
  | 'rebuild_switch'
  | 'evict'

/** Does nothing. The fault suite's own bundle replaces this module by one that ends the process here. */
export function faultPoint(_point: FaultPoint): void {
  return
}
