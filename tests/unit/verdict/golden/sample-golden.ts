import type { Trace } from '../../../../lib/verdict/expectations/trace'
import { traceOf } from '../../../../lib/verdict/expectations/trace'
import { type Golden, parseGolden } from '../../../../lib/verdict/golden/golden-file'
import { goldenOf } from '../../../../lib/verdict/golden/golden-trace'
import { type Came, evidenceOf, TRACE } from '../rules/sample-evidence'

/** The trace of some envelopes. */
export function traceFrom(...came: readonly Came[]): Trace {
  const trace = traceOf(evidenceOf(...came), TRACE)
  if (trace === null) throw new TypeError('these envelopes have no trace')
  return trace
}

/** A file with these lines, indented by two spaces or more. */
export function file(lines: string, lifecycle = 'static'): Golden {
  const rows = lines.split('\n').filter((line) => line.trim() !== '')
  const indent = rows[0]?.search(/\S/) ?? 0
  const read = parseGolden([`lifecycle: ${lifecycle}`, ...rows.map((line) => line.slice(indent))].join('\n'))
  if (!read.ok) throw new TypeError(read.error)
  return read.value
}

/** A trace in the form of a file. */
export function goldenFrom(...came: readonly Came[]): Golden {
  const made = goldenOf(traceFrom(...came), [])
  if (!made.ok) throw new TypeError(made.error)
  return made.value
}
