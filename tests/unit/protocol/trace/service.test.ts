import { describe, expect, it } from 'vitest'
import { fromBrowser, serviceOf } from '../../../../lib/protocol/trace/segment'

describe('who spoke', () => {
  it.each([
    ['a platform of node', { platform: 'node', sdk: 'sentry.javascript.nextjs' }, 'server'],
    ['a platform of javascript', { platform: 'javascript', sdk: 'sentry.javascript.nextjs' }, 'browser'],
    ['the edge runtime, whatever the platform', { platform: 'javascript', runtime: 'vercel-edge' }, 'edge'],
    ['the runtime edge', { runtime: 'edge' }, 'edge'],
    ['another platform, by its name', { platform: 'python' }, 'python'],
    ['an SDK without a platform, by its family', { sdk: 'sentry.go' }, 'go'],
    ['an SDK of JavaScript without a platform', { sdk: 'sentry.javascript.node' }, 'server'],
    ['an SDK of JavaScript in a browser', { sdk: 'sentry.javascript.react', inBrowser: true }, 'browser'],
    ['an empty platform, by its SDK', { platform: '', sdk: 'sentry.php' }, 'php'],
    ['nothing', {}, 'unknown'],
    ['an SDK of somebody else', { sdk: 'custom' }, 'unknown'],
  ])('by %s', (_name, sender, service) => {
    expect(serviceOf(sender)).toBe(service)
  })
})

describe('a container', () => {
  const agent = (value: unknown) => ({ attributes: { 'user_agent.original': value } })

  it.each([
    ['every span has a browser of its own', [agent('Mozilla/5.0 (X11)'), agent('Mozilla/5.0 (X11)')], true],
    ['one span has none', [agent('Mozilla/5.0'), { attributes: {} }], false],
    ['the user agent is a program', [agent('node')], false],
    ['the user agent is a program that names browsers', [agent('curl (like Mozilla/5.0)')], false],
    ['the user agent is no text', [agent(7)], false],
  ])('where %s: %s', (_name, spans, expected) => {
    expect(fromBrowser(spans)).toBe(expected)
  })
})
