import { expect, it } from 'vitest'
import { progressBar } from '../../../collector/cli/terminal'

function drawn(isTTY: boolean) {
  let text = ''
  let at = 0
  const bar = progressBar({
    doing: 'Reading',
    out: {
      isTTY,
      write: (more) => {
        text += more
      },
    },
    now: () => at,
  })
  return {
    bar,
    text: () => text,
    wait: (ms: number) => {
      at += ms
    },
  }
}

it('a progress bar is redrawn in one line of a terminal', () => {
  const { bar, text } = drawn(true)
  bar.show(1, 4)
  bar.show(4, 4)
  bar.end('Done.')
  expect(text()).toBe(
    `\r\u001b[KReading ${'█'.repeat(6)}${'░'.repeat(18)} 25 % · 1 of 4` +
      `\r\u001b[KReading ${'█'.repeat(24)} 100 % · 4 of 4` +
      '\r\u001b[KDone.\n',
  )
})

it('a progress bar is a line every five seconds in a log', () => {
  const { bar, text, wait } = drawn(false)
  bar.show(0, 3)
  wait(4999)
  bar.show(1, 3)
  wait(1)
  bar.show(2, 3)
  bar.end('Done.')
  expect(text()).toBe('Reading: 0 % · 0 of 3\nReading: 66 % · 2 of 3\nDone.\n')
})

it('a progress bar is full when there is nothing to do', () => {
  const { bar, text } = drawn(false)
  bar.show(0, 0)
  expect(text()).toBe('Reading: 100 % · 0 of 0\n')
})
