import { describe, expect, it } from 'vitest'
import {
  type Chosen,
  chooseShown,
  countChosen,
  heldLetters,
  isChosen,
  NONE_CHOSEN,
  ordersFor,
  TOGETHER,
  toggle,
} from '../../../dashboards/dead-letters/letter-selection'
import {
  bothDone,
  doneText,
  dropText,
  progressText,
  sentAgain,
  sentText,
} from '../../../dashboards/dead-letters/order-text'
import { createLettersReader, PAGE } from '../../../dashboards/dead-letters/use-dead-letters'
import type { DeadLetter } from '../../../lib/wire/delivery'

const letter = (seq: number): DeadLetter => ({
  seq,
  journal: seq,
  receivedAt: 0,
  at: 1,
  upstream: 'host/1',
  status: 413,
  answer: 'too large',
  attempts: 1,
  bytes: 10,
  items: [],
})
const letters = (...seqs: readonly number[]): readonly DeadLetter[] => seqs.map(letter)
const seqsOf = (shown: readonly DeadLetter[]): readonly number[] => shown.map(({ seq }) => seq)

describe('dead letters that are read again', () => {
  it('are shown as they are while nobody chooses', () => {
    const { letters: shown, waiting } = heldLetters(letters(5, 3), letters(9, 5, 4, 3), false)
    expect([seqsOf(shown), waiting]).toEqual([[9, 5, 4, 3], 0])
  })

  it('keep their places while somebody does: new ones wait, also between others, and older ones follow', () => {
    const { letters: shown, waiting } = heldLetters(letters(5, 3), letters(9, 5, 4, 3, 2), true)
    expect([seqsOf(shown), waiting]).toEqual([[5, 3, 2], 2])
  })

  it('go where they are none any more', () => {
    expect(seqsOf(heldLetters(letters(5, 3), letters(3), true).letters)).toEqual([3])
  })

  it('are all shown where none was', () => {
    expect(heldLetters([], letters(2, 1), true)).toEqual({ letters: letters(2, 1), waiting: 0 })
  })
})

describe('going back to older dead letters', () => {
  /** So many there are, the newest first; a cursor is where the next page begins. */
  const collector = (many: number) => {
    const limits: number[] = []
    const reader = createLettersReader({
      deadLetters: async ({ cursor = null, limit = 0 } = {}) => {
        limits.push(limit)
        const from = Number(cursor ?? 0)
        const deadLetters = Array.from({ length: Math.min(limit, many - from) }, (_, at) => letter(many - from - at))
        const to = from + deadLetters.length
        return { deadLetters, next: to < many ? String(to) : null, journal: 1 }
      },
    })
    const read = async () => {
      const { letters: found, more } = await reader.read(new AbortController().signal)
      return [found.length, found.at(-1)?.seq, more]
    }
    return { ...reader, read, limits }
  }

  it('shows a page more at the first ask, and what was shown before again', async () => {
    const { read, goOlder, limits } = collector(2 * PAGE + 5)
    expect(await read()).toEqual([PAGE, PAGE + 6, true])
    goOlder()
    expect(await read()).toEqual([2 * PAGE, 6, true])
    goOlder()
    expect(await read()).toEqual([2 * PAGE + 5, 1, false])
    expect(limits).toEqual(Array(6).fill(PAGE))
  })

  it('does not lengthen what is being read', async () => {
    const { read, goOlder } = collector(3 * PAGE)
    const reading = read()
    goOlder()
    expect(await reading).toEqual([PAGE, 2 * PAGE + 1, true])
  })
})

describe('who is chosen', () => {
  const shown = letters(5, 3, 2)

  it('is counted among those that are shown', () => {
    expect(countChosen(NONE_CHOSEN, shown)).toEqual({ count: 0, is: 'none' })
    expect(countChosen({ seqs: new Set([3, 77]) }, shown)).toEqual({ count: 1, is: 'some' })
    expect(countChosen(chooseShown(shown), shown)).toEqual({ count: 3, is: 'all' })
    expect(countChosen({ all: true }, shown)).toEqual({ count: 3, is: 'all' })
  })

  it('changes one by one, and all become the shown ones but one', () => {
    const one = toggle(NONE_CHOSEN, 3, shown)
    expect([isChosen(one, 3), isChosen(toggle(one, 3, shown), 3)]).toEqual([true, false])
    const rest: Chosen = toggle({ all: true }, 3, shown)
    expect(shown.filter(({ seq }) => isChosen(rest, seq)).map(({ seq }) => seq)).toEqual([5, 2])
  })

  it('is ordered a hundred at a time, without those that went, and all at once', () => {
    const many = Array.from({ length: TOGETHER + 1 }, (_, at) => letter(at + 1))
    expect(ordersFor(chooseShown(many), many).map((which) => which.length)).toEqual([TOGETHER, 1])
    expect(ordersFor({ seqs: new Set([3, 77]) }, shown)).toEqual([[3]])
    expect(ordersFor({ all: true }, shown)).toEqual(['all'])
    expect(ordersFor(NONE_CHOSEN, shown)).toEqual([])
  })
})

describe('an order', () => {
  it('says how far it is', () => {
    expect(progressText('send', 100, 240)).toBe('Sending again … 100 of 240')
    expect(progressText('drop', 0, null)).toBe('Dropping …')
  })

  it('says what came of it, and who was no dead letter any more', () => {
    const done = (many: number) => ({ done: many, limited: [] })
    expect(doneText('send', done(1), 1)).toBe(
      '1 envelope is pending again. What upstream refuses once more comes back here.',
    )
    expect(doneText('drop', done(3), 5)).toBe('3 envelopes dropped. 2 were left: no dead letter any more.')
    expect(doneText('send', done(0), 1)).toMatch(
      /1 was left: no dead letter any more, or what is pending has its share of/,
    )
    expect(doneText('drop', done(3), null)).toBe('3 envelopes dropped.')
  })

  it('to send says what is left, for it is limited just now, and until when', () => {
    const limited = [{ category: 'error', seconds: 31, many: 1 }]
    const left = '1 envelope is left here: error is limited for 31 s more; send it after that.'
    expect(doneText('send', { done: 0, limited }, 1)).toBe(left)
    expect(doneText('send', { done: 0, limited }, null)).toBe(left)
    expect(doneText('send', { done: 2, limited }, 3)).toBe(
      `2 envelopes are pending again. What upstream refuses once more comes back here. ${left}`,
    )
    expect(doneText('send', { done: 0, limited }, 2)).toMatch(/^0 envelopes are .* 1 was left: .* 1 envelope is left/)
    const both = bothDone({ done: 2, limited }, { done: 1, limited: [{ category: 'error', seconds: 30, many: 2 }] })
    expect(both.done).toBe(3)
    expect(doneText('send', both, null)).toContain(
      '3 envelopes are left here: error is limited for 30 s more; send them',
    )
  })

  it('to send names the envelopes, where they are few and all were sent', () => {
    expect(sentAgain('send', [[45], [46]], { done: 2 })).toEqual([45, 46])
    expect(sentAgain('send', [[45, 46]], { done: 1 })).toEqual([])
    expect(sentAgain('send', [[1, 2, 3, 4, 5, 6]], { done: 6 })).toEqual([])
    expect(sentAgain('send', ['all'], { done: 2 })).toEqual([])
    expect(sentAgain('drop', [[45]], { done: 1 })).toEqual([])
  })

  it('to send says when it is over', () => {
    expect(sentText([45], false)).toEqual({
      before: 'Envelope',
      after: 'is pending again. What upstream refuses once more comes back here.',
    })
    expect(sentText([45], true).after).toBe('was posted again: its page says what came of it.')
    expect(sentText([45, 46], true)).toMatchObject({ before: 'Envelopes', after: expect.stringMatching(/^were/) })
  })

  it('to drop says first what will never reach upstream', () => {
    expect(dropText(1).warning).toBe('1 dead letter will never reach upstream. It ends as dropped.')
    expect(dropText(null).warning).toBe('All dead letters will never reach upstream. They end as dropped.')
    expect(dropText(1)).toMatchObject({
      goes: 'The ledger of losses counts it as lost by a person.',
      stays: expect.stringMatching(/^Its record stays/),
      keep: 'Keep it',
    })
    expect(dropText(2)).toMatchObject({ goes: expect.stringContaining('counts them'), keep: 'Keep them' })
  })
})
