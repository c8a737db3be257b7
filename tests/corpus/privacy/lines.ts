import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** One line of a log with the format that wrote it, and whether the privacy rule must flag it. */
export interface LogLine {
  /** `secret` and `personal` lines are harmful: they contain a credential, or data about a person. */
  readonly kind: 'harmless' | 'secret' | 'personal'
  /** The program or format, such as `nginx` or `pino`. */
  readonly format: string
  readonly text: string
}

/** Rules may be tuned with the first half. Nobody reads the misses of the frozen half while changing a rule. */
export interface Halves {
  readonly tuning: readonly LogLine[]
  readonly frozen: readonly LogLine[]
}

/**
 * Reads 200 lines and splits them by the SHA-256 of their text: the smaller hashes are for tuning. In the files `⏎` is a line break, and
 * `¦` is removed: it splits the prefix of an invented token, so that secret scanners do not report the file.
 */
export function readHalves(file: 'harmless' | 'harmful'): Halves {
  const lines = readFileSync(new URL(`${file}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => parseLine(file, line))
    .map((line) => ({ line, hash: createHash('sha256').update(line.text).digest('hex') }))
    .sort((one, other) => (one.hash < other.hash ? -1 : 1))
    .map(({ line }) => line)
  return { tuning: lines.slice(0, lines.length / 2), frozen: lines.slice(lines.length / 2) }
}

/** `secret | nginx | GET …` in the harmful file, `nginx | GET …` in the harmless one. */
function parseLine(file: 'harmless' | 'harmful', line: string): LogLine {
  const [kind = '', format = '', ...rest] = file === 'harmless' ? ['harmless', ...line.split(' | ')] : line.split(' | ')
  const text = rest.join(' | ').replaceAll('¦', '').replaceAll('⏎', '\n')
  if ((kind !== 'harmless' && kind !== 'secret' && kind !== 'personal') || format === '' || text === '')
    throw new Error(`${file}.txt: expected "kind | format | text", got ${JSON.stringify(line)}`)
  return { kind, format, text }
}
