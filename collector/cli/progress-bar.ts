const WIDTH = 24
const PLAIN_EVERY_MS = 5000

/**
 * Shows how far something is whose end is known: a bar on a terminal, elsewhere a line now and then.
 * @param now ms that only ever grow
 */
export function progressBar(given: {
  readonly doing: string
  readonly out: { readonly isTTY?: boolean; readonly write: (text: string) => unknown }
  readonly now: () => number
}): { readonly show: (done: number, of: number) => void; readonly end: (line: string) => void } {
  const { doing, out, now } = given
  const isTerminal = out.isTTY === true
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    show: (done, of) => {
      if (!isTerminal && now() - toldAt < PLAIN_EVERY_MS) return
      toldAt = now()
      const share = of === 0 ? 1 : Math.min(1, done / of)
      const full = Math.floor(share * WIDTH)
      const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}`
      const count = `${Math.floor(share * 100)} % · ${done} of ${of}`
      out.write(isTerminal ? `\r\u001b[K${doing} ${bar} ${count}` : `${doing}: ${count}\n`)
    },
    end: (line) => {
      out.write(isTerminal ? `\r\u001b[K${line}\n` : `${line}\n`)
    },
  }
}
