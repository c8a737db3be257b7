import { describe, expect, it } from 'vitest'
import { holdErrors } from '../../../lib/sdk/browser'

const failing = (page: EventTarget, count: number): readonly Event[] => {
  const events = Array.from(
    { length: count },
    (_, index) => new Event(index % 2 === 0 ? 'error' : 'unhandledrejection'),
  )
  for (const event of events) page.dispatchEvent(event)
  return events
}

describe('errors before the SDK runs', () => {
  it('are held in their order, at most 30', () => {
    const page = new EventTarget() as Window
    const held = holdErrors(page)
    const events = failing(page, 31)
    expect(held.release()).toEqual(events.slice(0, 30))
  })

  it('are released once, and later ones are left to the SDK', () => {
    const page = new EventTarget() as Window
    const held = holdErrors(page)
    failing(page, 2)
    held.release()
    failing(page, 2)
    expect(held.release()).toEqual([])
  })
})
