import { stripVTControlCharacters } from 'node:util'

const KEPT = 200

/** What a child writes: held back while it starts, so that the start block stays calm, then passed on. */
export interface HeldLines {
  readonly take: (line: string) => void
  /** Forgets what was held and passes on what follows. */
  readonly passOn: () => void
  /** Shows what was held: of a child that did not come up it is the only account. */
  readonly show: () => void
}

/**
 * @param name is put before each line
 */
export function holdLines(name: string, write: (line: string) => void): HeldLines {
  const held: string[] = []
  let holds = true
  const pass = (line: string) => {
    // Next gives the cursor back when it ends, though nobody took it.
    if (line === '' || stripVTControlCharacters(line) !== '') write(`${name} | ${line}`)
  }
  return {
    take: (line) => {
      if (!holds) return pass(line)
      held.push(line)
      if (held.length > KEPT) held.shift()
    },
    passOn: () => {
      holds = false
      held.length = 0
    },
    show: () => {
      holds = false
      for (const line of held.splice(0)) pass(line)
    },
  }
}
