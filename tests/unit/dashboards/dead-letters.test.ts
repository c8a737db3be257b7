import { describe, expect, it } from 'vitest'
import {
  BATCH,
  countSelected,
  isSelected,
  NONE_SELECTED,
  orderBatches,
  type Selection,
  selectVisible,
  toggle,
  visibleLetters,
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

describe('dead letters after another read', () => {
  it('are all visible while nothing is selected', () => {
    const { letters: shown, waiting } = visibleLetters(letters(5, 3), letters(9, 5, 4, 3), false)
    expect([seqsOf(shown), waiting]).toEqual([[9, 5, 4, 3], 0])
  })

  it('do not move during a selection: new ones wait, older ones are added', () => {
    const { letters: shown, waiting } = visibleLetters(letters(5, 3), letters(9, 5, 4, 3, 2), true)
    expect([seqsOf(shown), waiting]).toEqual([[5, 3, 2], 2])
  })

  it('disappear when they are no longer dead letters', () => {
    expect(seqsOf(visibleLetters(letters(5, 3), letters(3), true).letters)).toEqual([3])
  })

  it('are all visible when none was before', () => {
    expect(visibleLetters([], letters(2, 1), true)).toEqual({ letters: letters(2, 1), waiting: 0 })
  })
})

describe('loading older dead letters', () => {
  /** A collector with `many` dead letters, newest first; a cursor is the index of the next page. */
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

  it('adds a page per request and reads the earlier ones again', async () => {
    const { read, requestOlder, limits } = collector(2 * PAGE + 5)
    expect(await read()).toEqual([PAGE, PAGE + 6, true])
    requestOlder()
    expect(await read()).toEqual([2 * PAGE, 6, true])
    requestOlder()
    expect(await read()).toEqual([2 * PAGE + 5, 1, false])
    expect(limits).toEqual(Array(6).fill(PAGE))
  })

  it('does not change a read in progress', async () => {
    const { read, requestOlder } = collector(3 * PAGE)
    const reading = read()
    requestOlder()
    expect(await reading).toEqual([PAGE, 2 * PAGE + 1, true])
  })
})

describe('the selection', () => {
  const shown = letters(5, 3, 2)

  it('counts only visible letters', () => {
    expect(countSelected(NONE_SELECTED, shown)).toEqual({ count: 0, is: 'none' })
    expect(countSelected({ seqs: new Set([3, 77]) }, shown)).toEqual({ count: 1, is: 'some' })
    expect(countSelected(selectVisible(shown), shown)).toEqual({ count: 3, is: 'all' })
    expect(countSelected({ all: true }, shown)).toEqual({ count: 3, is: 'all' })
  })

  it('toggles one letter, and all become the visible ones except one', () => {
    const one = toggle(NONE_SELECTED, 3, shown)
    expect([isSelected(one, 3), isSelected(toggle(one, 3, shown), 3)]).toEqual([true, false])
    const rest: Selection = toggle({ all: true }, 3, shown)
    expect(shown.filter(({ seq }) => isSelected(rest, seq)).map(({ seq }) => seq)).toEqual([5, 2])
  })

  it('is ordered in batches of a hundred, without letters that disappeared; all in one order', () => {
    const many = Array.from({ length: BATCH + 1 }, (_, at) => letter(at + 1))
    expect(orderBatches(selectVisible(many), many).map((which) => which.length)).toEqual([BATCH, 1])
    expect(orderBatches({ seqs: new Set([3, 77]) }, shown)).toEqual([[3]])
    expect(orderBatches({ all: true }, shown)).toEqual(['all'])
    expect(orderBatches(NONE_SELECTED, shown)).toEqual([])
  })
})

describe('an order', () => {
  it('shows its progress', () => {
    expect(progressText('send', 100, 240)).toBe('Sending again … 100 of 240')
    expect(progressText('drop', 0, null)).toBe('Dropping …')
  })

  it('shows its result, and letters that were skipped', () => {
    const done = (many: number) => ({ done: many, limited: [] })
    expect(doneText('send', done(1), 1)).toBe(
      '1 envelope became pending again. The attempts show the answers; those refused again return here.',
    )
    expect(doneText('drop', done(3), 5)).toBe('3 envelopes dropped. 2 skipped: no longer dead letters.')
    expect(doneText('send', done(0), 1)).toMatch(/1 skipped: no longer a dead letter, or the backlog is full\./)
    expect(doneText('drop', done(3), null)).toBe('3 envelopes dropped.')
  })

  it('an order to send lists the letters of limited categories, with the end of the limit', () => {
    const limited = [{ category: 'error', seconds: 31, many: 1 }]
    const left = '1 envelope is not sent: error is limited for 31 s more. Send it after that.'
    expect(doneText('send', { done: 0, limited }, 1)).toBe(left)
    expect(doneText('send', { done: 0, limited }, null)).toBe(left)
    expect(doneText('send', { done: 2, limited }, 3)).toBe(
      `2 envelopes became pending again. The attempts show the answers; those refused again return here. ${left}`,
    )
    expect(doneText('send', { done: 0, limited }, 2)).toMatch(
      /^0 envelopes became .* 1 skipped: .* 1 envelope is not sent/,
    )
    const both = bothDone({ done: 2, limited }, { done: 1, limited: [{ category: 'error', seconds: 30, many: 2 }] })
    expect(both.done).toBe(3)
    expect(doneText('send', both, null)).toContain(
      '3 envelopes are not sent: error is limited for 30 s more. Send them',
    )
  })

  it('an order to send lists the envelopes when they are few and all were sent', () => {
    expect(sentAgain('send', [[45], [46]], { done: 2 })).toEqual([45, 46])
    expect(sentAgain('send', [[45, 46]], { done: 1 })).toEqual([])
    expect(sentAgain('send', [[1, 2, 3, 4, 5, 6]], { done: 6 })).toEqual([])
    expect(sentAgain('send', ['all'], { done: 2 })).toEqual([])
    expect(sentAgain('drop', [[45]], { done: 1 })).toEqual([])
  })

  it('an order to send says when all were posted', () => {
    expect(sentText([45], false)).toEqual({
      before: 'Envelope',
      after: 'is pending again. If upstream refuses again, dead letters return here.',
    })
    expect(sentText([45], true).after).toBe('was posted again. Its page shows the answer.')
    expect(sentText([45, 46], true)).toMatchObject({ before: 'Envelopes', after: expect.stringMatching(/^were/) })
  })

  it('an order to drop warns which letters will never reach upstream', () => {
    expect(dropText(1).warning).toBe('1 dead letter will never reach upstream. It counts as dropped.')
    expect(dropText(null).warning).toBe('All dead letters will never reach upstream. They count as dropped.')
    expect(dropText(1)).toMatchObject({
      goes: 'The ledger counts it as dropped by a person.',
      stays: expect.stringMatching(/^Its record stays/),
      keep: 'Keep it',
    })
    expect(dropText(2)).toMatchObject({ goes: expect.stringContaining('counts them'), keep: 'Keep them' })
  })
})
