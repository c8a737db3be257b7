import * as z from 'zod'
import { plural } from '../format'
import { isMarkName, MARK_NAME_FORMAT, type Mark } from '../wire/marks'
import { type Answer, cursorInput, joined, type Line, line, own } from './answer'
import { AskError, type AskSources } from './sources'
import { defineVerb } from './verb'

/** `mark`: names this moment, so that later calls read what arrived after it. */
export const markVerb = defineVerb({
  name: 'mark',
  description:
    'Name this moment before you act; then pass its name as since, or to compare. Without a name: all marks.',
  isReadOnly: false,
  input: {
    name: z
      .string()
      .refine(isMarkName, `must have ${MARK_NAME_FORMAT}`)
      .optional()
      .describe('letters, digits, _ - . and a letter first; a used name moves to now'),
    delete: z.boolean().optional().describe('delete this mark'),
    cursor: cursorInput,
  },
  run: ({ client, signal }, { name, delete: deletes = false }) =>
    name === undefined ? listMarks({ client, signal }, deletes) : orderMark({ client, signal }, name, deletes),
})

async function listMarks({ client, signal }: Pick<AskSources, 'client' | 'signal'>, deletes: boolean): Promise<Answer> {
  if (deletes) throw new AskError('mark requires name with delete: the name of the mark to delete')
  const { marks, most } = await client.marks(signal)
  return {
    heading: own(marks.length === 0 ? 'No marks yet' : `${plural(marks.length, 'mark')} of at most ${most}`),
    sections: [{ heading: null, rows: marks.map((mark) => line`${own(mark.name)}: ${momentOf(mark)}`) }],
  }
}

async function orderMark(
  { client, signal }: Pick<AskSources, 'client' | 'signal'>,
  name: string,
  deletes: boolean,
): Promise<Answer> {
  const { mark, before } = await client.orderMark({ name, do: deletes ? 'delete' : 'set' }, signal)
  const former = before === null ? null : line`it was at ${momentOf(before)}`
  if (mark === null) return { heading: own(`Mark ${name} is deleted`), sections: [{ heading: null, rows: [former] }] }
  return {
    heading: own(`Mark ${name} is set`),
    sections: [
      { heading: null, rows: [line`now: ${momentOf(mark)}; what arrives from here on is after the mark`, former] },
    ],
    next: [
      { verb: 'check', args: { since: name } },
      { verb: 'compare', args: { from: name } },
    ],
  }
}

export const momentOf = ({ journal, at }: Mark): Line =>
  joined([own(`journal number ${journal}`), own(new Date(at).toISOString())], ', ')
