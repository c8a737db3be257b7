import { plainText } from '../../lib/format'

/** Longer lines are hard to read, in a CI log and on a terminal. */
const MOST_COLUMNS = 100
const DEFAULT_COLUMNS = 80

export const terminalOf = (stream: NodeJS.WriteStream): { readonly colour: boolean; readonly width: number } => ({
  colour: stream.isTTY === true && !process.env.NO_COLOR,
  // Some pseudo terminals report a width of 0.
  width: Math.min(MOST_COLUMNS, stream.columns || DEFAULT_COLUMNS),
})

const BAR_WIDTH = 24
const PLAIN_EVERY_MS = 5000

/** For a time it searches the journal in about twenty requests. */
export function progressBar(given: {
  readonly doing: string
  readonly out: { readonly isTTY?: boolean; readonly write: (text: string) => unknown }
  readonly now: () => number
}): { readonly show: (done: number, of: number) => void; readonly end: (line: string) => void } {
  const { doing, out, now } = given
  const isTerminal = out.isTTY === true
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show: (done, of) => {
      if (!isTerminal && now() - shownAt < PLAIN_EVERY_MS) return
      shownAt = now()
      const share = of === 0 ? 1 : Math.min(1, done / of)
      const full = Math.floor(share * BAR_WIDTH)
      const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}`
      const count = `${Math.floor(share * 100)} % · ${done} of ${of}`
      out.write(isTerminal ? `\r\u001b[K${doing} ${bar} ${count}` : `${doing}: ${count}\n`)
    },
    end: (line) => {
      out.write(isTerminal ? `\r\u001b[K${line}\n` : `${line}\n`)
    },
  }
}

/** One line on a terminal that says what a command waits for. Prints nothing where stderr is no terminal. */
export function waitingLine(): { readonly show: (what: string) => void; readonly clear: () => void } {
  const { stderr } = process
  if (stderr.isTTY !== true) return { show: () => undefined, clear: () => undefined }
  return {
    show: (what) => stderr.write(`\r\u001b[KWaiting ${plainText(what)} …`),
    clear: () => stderr.write('\r\u001b[K'),
  }
}
