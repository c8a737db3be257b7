import { describe, expect, it } from 'vitest'
import { isMissingDocument } from '../../../lib/sdk/traced-pages'

const answering = (...statuses: readonly (number | undefined)[]) => ({
  getEntriesByType: (type: string) =>
    type === 'navigation' ? statuses.map((responseStatus) => ({ responseStatus }) as PerformanceNavigationTiming) : [],
})

describe('a missing document', () => {
  it('is one answered with 404', () => {
    expect(isMissingDocument(answering(404))).toBe(true)
  })

  it.each([
    ['another status', answering(200)],
    ['a browser that does not tell the status', answering(undefined)],
    ['a browser without this entry', answering()],
  ])('is not %s', (_, performance) => {
    expect(isMissingDocument(performance)).toBe(false)
  })
})
