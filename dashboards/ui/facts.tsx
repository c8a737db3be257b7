import { type ReactNode, useEffect, useState } from 'react'
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

/** Copies a text and says so for two seconds. Where the browser has no clipboard it says that instead. */
export function CopyButton({ text, label, quiet = false }: CopyButtonProps) {
  const [said, setSaid] = useState<'copied' | 'cannot copy here' | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = window.setTimeout(() => setSaid(null), 2000)
    return () => window.clearTimeout(timer)
  }, [said])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('copied')
    } catch {
      // Refused by the person, or no secure context: there is no other way that works everywhere.
      setSaid('cannot copy here')
    }
  }
  return (
    <button
      type="button"
      className={quiet ? styles.quiet : 'button'}
      aria-label={`Copy ${label}`}
      title={`Copy ${label}`}
      onClick={copy}
    >
      <svg className={styles.icon} aria-hidden="true" viewBox="0 0 12 12" width="12" height="12">
        {said === 'copied' ? <path d="M2 6.5 4.8 9.2 10 3.2" /> : <path d="M4 4V1.5h6.5V8H8M1.5 4H8v6.5H1.5z" />}
      </svg>
      {!quiet && <span>{said ?? 'Copy'}</span>}
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </button>
  )
}

interface CopyButtonProps {
  readonly text: string
  /** What is copied: `the DSN`. */
  readonly label: string
  /** The glyph alone, for the end of a line. */
  readonly quiet?: boolean
}
