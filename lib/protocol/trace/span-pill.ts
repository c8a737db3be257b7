import { formatCount, plural } from '../../format'
import { number, text } from '../json-value'

type Attributes = Readonly<Record<string, unknown>>

/** Present names first, then older ones. */
const ROWS = ['db.response.returned_rows', 'db.response.rows', 'db.rows_affected']
const TOTAL_TOKENS = ['gen_ai.usage.total_tokens']
const INPUT_TOKENS = ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens']
const OUTPUT_TOKENS = ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens']

/** The size of a result in a few characters, such as `12 rows` of a query or `1,285 tokens` of a call to a model. */
export function pillOf(attributes: Attributes): string | null {
  const rows = countOf(attributes, ROWS)
  if (rows !== null) return plural(rows, 'row')
  const tokens = countOf(attributes, TOTAL_TOKENS)
  const { input, output } = tokensOf(attributes)
  if (tokens === null && input === null && output === null) return null
  return `${formatCount(tokens ?? (input ?? 0) + (output ?? 0))} tokens`
}

/** Tokens of a call to a language model, by the `gen_ai` conventions of Sentry and OpenTelemetry and their older names. */
export const tokensOf = (attributes: Attributes) => ({
  input: countOf(attributes, INPUT_TOKENS),
  output: countOf(attributes, OUTPUT_TOKENS),
})

/** Numbers arrive as text from some SDKs. */
function countOf(attributes: Attributes, names: readonly string[]): number | null {
  for (const name of names) {
    const value = attributes[name]
    if (value === undefined) continue
    const count = number(value) ?? Number(text(value) ?? Number.NaN)
    if (Number.isSafeInteger(count) && count >= 0) return count
  }
  return null
}
