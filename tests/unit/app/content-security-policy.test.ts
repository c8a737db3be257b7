import { describe, expect, it } from 'vitest'
import { contentSecurityPolicy } from '../../../app/content-security-policy'

const parse = (facts: Partial<Parameters<typeof contentSecurityPolicy>[0]> = {}): ReadonlyMap<string, string> =>
  new Map(
    contentSecurityPolicy({ nonce: 'n1', development: false, lab: false, ...facts })
      .split('; ')
      .map((directive) => [directive.replace(/ .*$/, ''), directive.replace(/^\S+ /, '')]),
  )

describe('the policy of a page', () => {
  it('runs scripts by nonce, and no string as code', () => {
    expect(parse().get('script-src')).toBe("'self' 'nonce-n1' 'strict-dynamic'")
  })

  it('has no inline style without the nonce', () => {
    expect(parse().get('style-src')).toBe("'self' 'nonce-n1'")
  })

  it('lets a page speak to its own origin only', () => {
    expect(parse().get('connect-src')).toBe("'self'")
  })

  it('lets the lab call other ports of this machine', () => {
    expect(parse({ lab: true }).get('connect-src')).toBe("'self' http://localhost:* http://127.0.0.1:*")
  })

  it('lets nobody frame it, and sends no form elsewhere', () => {
    const policy = parse()
    expect(policy.get('frame-ancestors')).toBe("'none'")
    expect(policy.get('form-action')).toBe("'self'")
    expect(policy.get('base-uri')).toBe("'none'")
    expect(policy.get('object-src')).toBe("'none'")
  })

  it('evaluates code in development only', () => {
    expect(parse({ development: true }).get('script-src')).toContain("'unsafe-eval'")
    expect(contentSecurityPolicy({ nonce: 'n', development: false, lab: true })).not.toContain('unsafe')
  })
})
