'use client'

import { useState } from 'react'
import { printable } from '../ui/printable'
import { clampMessage } from './clamp-message'
import styles from './error-stack.module.css'

/** A received message over several lines; a long one is cut until the reader wants all of it. */
export function LongMessage({ text }: { readonly text: string }) {
  const [all, setAll] = useState(false)
  const short = clampMessage(text)
  return (
    <>
      <bdi className={styles.value}>
        {printable(all || short === null ? text : short, 'lines')}
        {!all && short !== null && '…'}
      </bdi>
      {short !== null && (
        <>
          {' '}
          <button type="button" className={styles.more} aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'show less' : 'show all'}
          </button>
        </>
      )}
    </>
  )
}
