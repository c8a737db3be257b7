import { describe, expect, it } from 'vitest'
import { createFeedbackLimiter, MOST_OF_ALL, MOST_OF_CLIENT } from '../../../app/feedback/feedback-limiter'

const MINUTE = 60_000

function limiterAt() {
  let at = 1000
  const limiter = createFeedbackLimiter(() => at)
  return { admit: limiter.admit, advance: (ms: number) => (at += ms) }
}

describe('the limiter of feedback', () => {
  it('admits 5 messages a minute of one client, and the next one when the first is a minute old', () => {
    const { admit, advance } = limiterAt()
    for (let sent = 0; sent < 5; sent += 1) {
      expect(admit('192.0.2.1')).toBe(0)
      advance(1000)
    }
    expect(MOST_OF_CLIENT).toBe(5)
    expect(admit('192.0.2.1')).toBe(MINUTE - 5000)
    expect(admit('192.0.2.2')).toBe(0)
    advance(MINUTE - 5001)
    expect(admit('192.0.2.1')).toBe(1)
    advance(1)
    expect(admit('192.0.2.1')).toBe(0)
    expect(admit('192.0.2.1')).toBe(1000)
  })

  it('admits 60 messages a minute of all clients', () => {
    const { admit, advance } = limiterAt()
    for (let sent = 0; sent < 60; sent += 1) expect(admit(`192.0.2.${sent}`)).toBe(0)
    expect(MOST_OF_ALL).toBe(60)
    advance(10_000)
    expect(admit('198.51.100.1')).toBe(MINUTE - 10_000)
    advance(MINUTE - 10_000)
    expect(admit('198.51.100.1')).toBe(0)
  })

  it('does not count refused messages', () => {
    const { admit, advance } = limiterAt()
    for (let sent = 0; sent < 50; sent += 1) admit('192.0.2.1')
    advance(MINUTE)
    for (let sent = 0; sent < 5; sent += 1) expect(admit('192.0.2.1')).toBe(0)
  })
})
