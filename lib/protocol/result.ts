/** The result of a function that may fail as expected: check `ok` before you read `value`. Bugs are thrown instead. */
export type Result<Value, Problem> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Problem }

export const succeed = <Value>(value: Value): { readonly ok: true; readonly value: Value } => ({ ok: true, value })
export const fail = <Problem>(error: Problem): { readonly ok: false; readonly error: Problem } => ({ ok: false, error })
