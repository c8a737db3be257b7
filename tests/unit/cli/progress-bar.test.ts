import { describe, expect, it } from 'vitest'
import { progressBar } from '../../../collector/cli/terminal'

function drawn(isTTY: boolean) {
  let text = ''
  let at = 0
  const bar = progressBar({
    doing: 'Digesting again',
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

describe('a progress bar', () => {
  it('is redrawn in one line of a terminal', () => {
    const { bar, text } = drawn(true)
    bar.show(1, 4)
    bar.show(4, 4)
    bar.end('Digested.')
    expect(text()).toBe(
      `\r\u001b[KDigesting again ${'█'.repeat(6)}${'░'.repeat(18)} 25 % · 1 of 4` +
        `\r\u001b[KDigesting again ${'█'.repeat(24)} 100 % · 4 of 4` +
        '\r\u001b[KDigested.\n',
    )
  })

  it('is a plain line every five seconds elsewhere', () => {
    const { bar, text, wait } = drawn(false)
    bar.show(0, 3)
    wait(4999)
    bar.show(1, 3)
    wait(1)
    bar.show(2, 3)
    bar.end('Digested.')
    expect(text()).toBe('Digesting again: 0 % · 0 of 3\nDigesting again: 66 % · 2 of 3\nDigested.\n')
  })

  it('is full where there is nothing to do', () => {
    const { bar, text } = drawn(false)
    bar.show(0, 0)
    expect(text()).toBe('Digesting again: 100 % · 0 of 0\n')
  })
})
