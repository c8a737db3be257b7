import type { ReactNode } from 'react'
import { CopyButton } from './copy-button'
import styles from './facts.module.css'

/** A list of names and what they are. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

interface FactProps {
  readonly name: string
  /** Offers this text to copy. */
  readonly copy?: string
  readonly children: ReactNode
}

export function Fact({ name, copy, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {copy !== undefined && <CopyButton quiet text={copy} label={name.toLowerCase()} />}
      </dd>
    </div>
  )
}
