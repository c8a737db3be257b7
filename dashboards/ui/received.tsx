import { printable } from './printable'

/** A received string on one line: text only, its direction kept to itself. */
export function Received({ text, className }: { readonly text: string; readonly className?: string | undefined }) {
  return <bdi className={className}>{printable(text)}</bdi>
}
