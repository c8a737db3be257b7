import { expect, it } from 'vitest'
import { pillOf } from '../../../../lib/protocol/trace/span-pill'

it.each<[Readonly<Record<string, unknown>>, string | null]>([
  [{ 'db.response.returned_rows': 1 }, '1 row'],
  [{ 'db.response.returned_rows': '1200' }, '1,200 rows'],
  [{ 'db.response.returned_rows': 'many', 'db.rows_affected': 0 }, '0 rows'],
  [{ 'gen_ai.usage.input_tokens': 1200, 'gen_ai.usage.output_tokens': 85 }, '1,285 tokens'],
  [{ 'gen_ai.usage.completion_tokens': 85 }, '85 tokens'],
  [{ 'gen_ai.usage.total_tokens': 9, 'gen_ai.usage.input_tokens': 4 }, '9 tokens'],
  [{ 'gen_ai.usage.total_tokens': -1 }, null],
  [{ 'db.response.returned_rows': 1.5 }, null],
  [{ 'db.system': 'postgresql' }, null],
])('the pill of %j is %s', (attributes, pill) => {
  expect(pillOf(attributes)).toBe(pill)
})
