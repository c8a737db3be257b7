import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { printablePayload } from '../ui/printable'

export type Payload =
  | { readonly kind: 'text'; readonly text: string; readonly lines: number; readonly truncated: boolean }
  | { readonly kind: 'binary' }
  | { readonly kind: 'empty' }

/** Higher payloads are folded at first: the next item must be in reach. */
export const OPEN_LINES = 40

/** An item's payload, fit to be shown: indented when it is JSON, text otherwise, never anything else. */
export function payloadOf(item: EnvelopeDetail['items'][number]): Payload {
  if (item.bytes === 0) return { kind: 'empty' }
  if (item.text === null) return { kind: 'binary' }
  const text = printablePayload(item.text)
  return { kind: 'text', text, lines: text.split('\n').length, truncated: item.truncated }
}
