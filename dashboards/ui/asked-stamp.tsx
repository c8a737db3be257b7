import type { ReactNode } from 'react'
import { printable } from './printable'

/** Nothing came with a stamp: which was asked for, and how one comes to be. */
export function AskedStamp({ stamp, children }: { readonly stamp: string; readonly children?: ReactNode }) {
  return (
    <p>
      Asked for is <code>{printable(stamp)}</code>. A stamp ties what a test or a build sends together: it comes by the
      header <code>X-Waystation-Stamp</code>, or by the cookie <code>waystation-stamp</code> of a page.{children}
    </p>
  )
}
