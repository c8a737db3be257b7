import { expect, it } from 'vitest'
import { type FrameLike, isEmbedded } from '../../../../lib/kit/playwright/watch-browser'

/** The innermost of nested frames with these addresses; the page comes first. */
function frameOf(...urls: readonly string[]): FrameLike {
  let frame: FrameLike | null = null
  for (const url of urls) {
    const parent: FrameLike | null = frame
    frame = { url: () => url, parentFrame: () => parent }
  }
  if (frame === null) throw new TypeError('a frame has an address')
  return frame
}
const PAGE = 'http://localhost:3000/checkout'
const PAY = 'https://pay.example/frame'

it.each([
  ['the page', [PAGE]],
  ['a frame of its own origin', [PAGE, 'http://localhost:3000/frame']],
  ['a frame without an address', [PAGE, 'about:blank']],
  ['a frame that has none yet', [PAGE, '']],
  ['a frame that the page wrote', [PAGE, 'about:srcdoc']],
  ['a frame of what the page made', [PAGE, 'blob:http://localhost:3000/1f']],
])('a request belongs to the app if it is made by %s', (_, urls) => {
  expect(isEmbedded(frameOf(...urls), false)).toBe(false)
})

it.each([
  ['a frame of another origin', [PAGE, PAY]],
  ['a frame without an address in that', [PAGE, PAY, 'about:blank']],
  ['a frame of another port', [PAGE, 'http://localhost:4000/']],
])('a request is embedded if it is made by %s', (_, urls) => {
  expect(isEmbedded(frameOf(...urls), false)).toBe(true)
})

it('the request that loads a frame belongs to the parent page', () => {
  expect(isEmbedded(frameOf(PAGE, PAY), true)).toBe(false)
  expect(isEmbedded(frameOf(PAGE, PAY, 'https://bank.example/'), true)).toBe(true)
  expect(isEmbedded(frameOf(PAGE), true)).toBe(false)
})
