import { Fragment } from 'react'
import { printable } from './printable'

/** A received name that may be broken after a dot, a dash, a slash or an underscore, before it is broken inside a word. */
export function Breakable({ name }: { readonly name: string }) {
  const parts = printable(name).split(/(?<=[._/-])/)
  return (
    <bdi>
      {parts.map((part, at) => (
        // The parts of one name never change their places.
        <Fragment key={`${at} ${part}`}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  )
}
