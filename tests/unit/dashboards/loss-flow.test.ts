import { describe, expect, it } from 'vitest'
import { endText, flowOf, flowText, shareText } from '../../../dashboards/losses/flow'
import { bandWidths, LEAST_BAND, shapeOf } from '../../../dashboards/losses/flow-shape'
import type { LedgerRow } from '../../../lib/wire/losses'
import { type LossesSample, ledgerRowOf, lossesOf } from '../verdict/expectations/sample-losses'

const flow = (row: Partial<LedgerRow>, losses: Omit<LossesSample, 'stamp'> = {}) =>
  flowOf(ledgerRowOf({ category: 'span', ...row }), lossesOf(losses))

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)

const SPANS = flow(
  {
    ...{ made: 12_480, notSent: 1352, discarded: 224, received: 10_904, accepted: 9290 },
    ...{ rate_limited: 1180, invalid: 22, pending: 412, lost: 1426 },
  },
  {
    losses: [
      { by: 'upstream', reason: 'upstream_429', category: 'span', quantity: 1100 },
      { by: 'sdk', reason: 'queue_overflow', category: 'span', quantity: 206 },
      { by: 'waystation', reason: 'limited', category: 'span', quantity: 80 },
      { by: 'upstream', reason: 'upstream_400', category: 'span', quantity: 22 },
      { by: 'sdk', reason: 'network_error', category: 'span', quantity: 18 },
      { by: 'sdk', reason: 'queue_overflow', category: 'error', quantity: 7 },
    ],
    notSent: [{ reason: 'sample_rate', category: 'span', quantity: 1352 }],
    deadLetters: [{ category: 'span', status: 413, quantity: 12 }],
  },
)

describe('the flow of a category', () => {
  it('names each exit with its kind and its own reasons', () => {
    expect(SPANS.before.map(({ name, kind, quantity, reasons }) => [name, kind, quantity, reasons.length])).toEqual([
      ['not sent by choice', 'choice', 1352, 1],
      ['lost in the SDK', 'lost', 224, 2],
    ])
    expect(
      SPANS.after.map(({ name, kind, reasons }) => [name, kind, reasons.map((one) => `${one.quantity} ${one.reason}`)]),
    ).toEqual([
      ['rate limited', 'lost', ['1100 upstream_429', '80 limited']],
      ['invalid', 'refused', ['22 upstream_400']],
      ['pending, not lost', 'pending', ['12 dead letter, 413']],
    ])
  })

  it('accounts for everything that was made, also of what is unexplained', () => {
    const wrong = flow({ made: 9, received: 9, accepted: 5, kept: 1, dropped: 1, lost: 1, unexplained: 2 })
    for (const { made, accepted, kept, before, after } of [SPANS, wrong])
      expect(sum([...before, ...after].map(({ quantity }) => quantity)) + accepted + kept).toBe(made)
    expect(wrong.after.map(({ name }) => name)).toEqual(['dropped', 'unexplained'])
  })

  it('ends well for what is accepted and what is kept', () => {
    expect(endText(SPANS)).toBe('accepted upstream, 85 % of what was sent')
    expect(endText(flow({ received: 4, kept: 4 }))).toBe('kept here, 100 % of what was sent')
    expect(endText(flow({ received: 4, accepted: 2, kept: 1 }))).toBe(
      '2 accepted and 1 kept here, 75 % of what was sent',
    )
    expect(endText(flow({ made: 3, notSent: 3 }))).toBe('accepted upstream')
  })

  it('is one sentence for who does not see it', () => {
    expect(flowText(SPANS)).toBe(
      'Flow of span: 12,480 made; 1,352 not sent by choice; 224 lost in the SDK; 10,904 sent and stored; 1,180 rate limited; 22 invalid; 412 pending, not lost; 9,290 at the end: accepted upstream, 85 % of what was sent',
    )
  })

  it('rounds no part to nothing or to everything', () => {
    expect([shareText(0, 5), shareText(1, 9999), shareText(9998, 9999), shareText(5, 5), shareText(0, 0)]).toEqual([
      ...['0 %', '1 %', '99 %', '100 %', '0 %'],
    ])
  })
})

describe('the widths of bands', () => {
  it('are in proportion and add up', () => {
    expect(bandWidths([3, 0, 1], 100)).toEqual([75, 0, 25])
    expect(bandWidths([0, 0], 100)).toEqual([0, 0])
  })

  it('are never below the least one, and the wide ones make room', () => {
    for (const quantities of [
      [1, 1_000_000],
      [1, 2, 40, 1_000_000],
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1e9],
    ]) {
      const widths = bandWidths(quantities, 116)
      expect(Math.min(...widths)).toBeGreaterThanOrEqual(LEAST_BAND)
      expect(sum(widths)).toBeCloseTo(116)
    }
    // 3 of 100 alone would be thick enough, but not once the others are raised.
    expect(Math.min(...bandWidths([25, 1, 1, 973], 100))).toBe(LEAST_BAND)
  })
})

describe('the drawing', () => {
  const numbersIn = (path: string): readonly number[] => (path.match(/-?[\d.]+/g) ?? []).map(Number)

  it.each([
    ['across', 1176],
    ['down', 366],
  ] as const)('goes %s in %i px, and stays within', (direction, available) => {
    const shape = shapeOf(SPANS, available)
    expect(shape.direction).toBe(direction)
    expect(shape.exits).toHaveLength(5)
    expect(shape.width).toBeLessThanOrEqual(available)
    for (const { path } of shape.exits)
      for (const [index, value] of numbersIn(path).entries()) {
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(index % 2 === 0 ? shape.width : shape.height)
      }
  })

  it.each([1176, 366])('gives each label room at %i px, in the order of the text', (available) => {
    const { direction, exits, nodes, refusedAt } = shapeOf(SPANS, available)
    const at = [...exits.slice(0, 2).map((exit) => exit.at), refusedAt, ...exits.slice(2).map((exit) => exit.at)]
    const room = direction === 'across' ? 124 : 62
    for (const [index, one] of at.slice(1).entries()) expect(one - (at[index] ?? 0)).toBeGreaterThanOrEqual(room)
    expect(nodes.map((node) => node.at)).toEqual(nodes.map((node) => node.at).sort((one, other) => one - other))
  })

  it('narrows at each node by what leaves there', () => {
    const { nodes } = shapeOf(SPANS, 1176)
    const [made, sent, stored, end] = nodes.map(({ height }) => height)
    const [chosen, lost, limited, invalid, pending, accepted] = bandWidths([1352, 224, 1180, 22, 412, 9290], 104)
    expect(made).toBe(104)
    expect(sent).toBeCloseTo(104 - (chosen ?? 0) - (lost ?? 0))
    expect(stored).toBe(sent)
    expect(end).toBeCloseTo((stored ?? 0) - (limited ?? 0) - (invalid ?? 0) - (pending ?? 0))
    expect(end).toBe(accepted)
  })

  it('has no exits where everything arrived', () => {
    const shape = shapeOf(flow({ made: 3, received: 3, accepted: 3 }), 1176)
    expect([shape.exits, ...shape.nodes.map(({ height }) => height)]).toEqual([[], 104, 104, 104, 104])
  })
})
