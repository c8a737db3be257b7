import { describe, expect, it } from 'vitest'
import { contentSecurityPolicy } from '../../../app/content-security-policy'

const parse = (facts: Partial<Parameters<typeof contentSecurityPolicy>[0]> = {}): ReadonlyMap<string, string> =>
  new Map(
    contentSecurityPolicy({ nonce: 'n1', development: false, lab: false, ...facts })
      .split('; ')
      .map((directive) => [directive.replace(/ .*$/, ''), directive.replace(/^\S+ /, '')]),
  )

describe('the policy of a page', () => {
  it('runs scripts only with the nonce, and evaluates no strings', () => {
    expect(parse().get('script-src')).toBe("'self' 'nonce-n1' 'strict-dynamic'")
  })

  it('allows inline styles only with the nonce', () => {
    expect(parse().get('style-src')).toBe("'self' 'nonce-n1'")
  })

  it('runs only workers of its own files', () => {
    expect(parse().get('worker-src')).toBe("'self'")
  })

  it('lets a page connect only to its own origin', () => {
    expect(parse().get('connect-src')).toBe("'self'")
  })

  it('lets the lab call other ports of this machine', () => {
    expect(parse({ lab: true }).get('connect-src')).toBe("'self' http://localhost:* http://127.0.0.1:*")
  })

  it('forbids framing, and forms to other origins', () => {
    const policy = parse()
    expect(policy.get('frame-ancestors')).toBe("'none'")
    expect(policy.get('form-action')).toBe("'self'")
    expect(policy.get('base-uri')).toBe("'none'")
    expect(policy.get('object-src')).toBe("'none'")
  })

  it('evaluates strings only in development', () => {
    expect(parse({ development: true }).get('script-src')).toContain("'unsafe-eval'")
    expect(contentSecurityPolicy({ nonce: 'n', development: false, lab: true })).not.toContain('unsafe')
  })
})
