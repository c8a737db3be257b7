import { escapeMarkup } from '../format'

/** Text that is HTML already. Only `html` makes it. */
export class Html {
  constructor(readonly text: string) {}
}

export type HtmlValue = string | number | Html | readonly HtmlValue[] | null | false

function toText(value: HtmlValue): string {
  if (value === null || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string' || typeof value === 'number') return escapeMarkup(String(value))
  return value.map(toText).join('')
}

/** A template whose values are escaped, so that received text never becomes markup. `null` and false are left out. */
export const html = (parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  new Html(parts.map((part, at) => part + (at < values.length ? toText(values[at] ?? null) : '')).join(''))
