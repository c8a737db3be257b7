import { describe, expect, it } from 'vitest'
import { CleanTexts } from '../../../lib/scrub/clean-texts'
import { scrubText } from '../../../lib/scrub/scrub-text'

describe('texts that are known to be clean', () => {
  it('are known in the kind of field in which they were', () => {
    const texts = new CleanTexts()
    texts.add('route', '/home/garden')
    expect(texts.has('route', '/home/garden')).toBe(true)
    expect(texts.has('plain', '/home/garden')).toBe(false)
  })

  it('are forgotten when others came in their place, unless they came again', () => {
    const texts = new CleanTexts()
    const fill = (name: string): void => {
      for (let index = 0; index < 4000; index += 1) texts.add('plain', `${name} ${index}`)
    }
    texts.add('plain', 'once')
    texts.add('plain', 'again')
    fill('first')
    expect(texts.has('plain', 'again')).toBe(true)
    fill('second')
    expect(texts.has('plain', 'again')).toBe(true)
    expect(texts.has('plain', 'once')).toBe(false)
  })

  it('are no longer than 256 signs', () => {
    const texts = new CleanTexts()
    texts.add('plain', 'x'.repeat(257))
    expect(texts.has('plain', 'x'.repeat(257))).toBe(false)
  })

  it('keep whatever they hold apart from what they look like', () => {
    const texts = new CleanTexts()
    texts.add('plain', 'Grüße 🐝 \ud800')
    expect(texts.has('plain', 'Grüße 🐝 \ud800')).toBe(true)
  })
})

it('a text in which something is found is looked at each time', () => {
  const found: string[] = []
  for (let time = 0; time < 3; time += 1) scrubText('write to ada@example.org', 'plain', (rule) => found.push(rule))
  expect(found).toEqual(['email', 'email', 'email'])
})

it('a text is clean in one kind of field, and not for that in another', () => {
  const paths: string[] = []
  const scrubbed = (kind: 'route' | 'plain') =>
    scrubText('/home/ada/shop', kind, (rule) => paths.push(`${kind} ${rule}`))
  expect([scrubbed('route'), scrubbed('plain'), scrubbed('route')]).toEqual([
    '/home/ada/shop',
    '/home/[Filtered]/shop',
    '/home/ada/shop',
  ])
  expect(paths).toEqual(['plain user_path'])
})
