import type { Result } from '../../lib/protocol/result'

/** The value of a result, for a test in which anything else is a mistake. */
export function valueIn<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`there is no value: ${JSON.stringify(result.error)}`)
  return result.value
}
