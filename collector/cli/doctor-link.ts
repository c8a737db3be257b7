import { plainText } from '../../lib/format'

/** One link of the chain from the SDK's option to upstream. */
export interface Link {
  readonly id: string
  readonly title: string
  readonly state: 'ok' | 'broken' | 'not looked at'
  readonly seen: string
  /** What mends it; `null` where nothing is to be done. */
  readonly mend: string | null
}

/** What was seen of a link, before it is named. */
export type Look = Omit<Link, 'id' | 'title'>

export const ok = (seen: string, mend: string | null = null): Look => ({ state: 'ok', seen, mend })
export const broken = (seen: string, mend: string): Look => ({ state: 'broken', seen, mend })
export const notLookedAt = (seen: string, mend: string | null = null): Look => ({ state: 'not looked at', seen, mend })

const GLYPHS = { ok: '✓', broken: '✗', 'not looked at': '?' } as const
const TITLE_WIDTH = 12

/** The chain as text: a line for each link, and below it what mends it. */
export function toldChain(links: readonly Link[]): string {
  const counted = (state: Link['state']): number => links.filter((link) => link.state === state).length
  const [broke, unseen] = [counted('broken'), counted('not looked at')]
  const sum =
    broke === 0
      ? `Nothing is broken${unseen === 0 ? '' : `; ${unseen} not looked at`}.`
      : `${broke === 1 ? 'One link is' : `${broke} links are`} broken${unseen === 0 ? '' : `, ${unseen} not looked at`}.`
  return [
    ...links.flatMap(({ title, state, seen, mend }) => [
      `${GLYPHS[state]} ${title.padEnd(TITLE_WIDTH)} ${plainText(seen)}`,
      ...(mend === null ? [] : [`${' '.repeat(TITLE_WIDTH + 3)}${plainText(mend)}`]),
    ]),
    '',
    sum,
  ].join('\n')
}

/** The chain as JSON: a string of somebody else's in it is as plain as it is in the text. */
export const chainJson = (links: readonly Link[]): string =>
  JSON.stringify({ links }, (_name, value: unknown) => (typeof value === 'string' ? plainText(value) : value), 2)
