import { type ReactNode, useEffect, useState } from 'react'
import styles from './facts.module.css'
import { Glyph } from './glyph'

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

interface FactProps {
  readonly name: string
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

/** Copies a text and reports the result for two seconds. */
export function CopyButton({ text, label, quiet = false, word = 'Copy' }: CopyButtonProps) {
  const [result, setResult] = useState<'copied' | 'cannot copy' | null>(null)
  useEffect(() => {
    if (result === null) return
    const timer = window.setTimeout(() => setResult(null), 2000)
    return () => window.clearTimeout(timer)
  }, [result])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setResult('copied')
    } catch {
      // Permission denied or no secure context; there is no other way that works in every browser.
      setResult('cannot copy')
    }
  }
  return (
    <button
      type="button"
      className={quiet ? styles.quiet : 'button'}
      aria-label={word === 'Copy' ? `Copy ${label}` : word}
      title={`Copy ${label}`}
      onClick={copy}
    >
      <Glyph name={result === 'copied' ? 'accepted' : 'copy_text'} />
      {!quiet && <span>{result ?? word}</span>}
      <span className="visually-hidden" role="status">
        {result}
      </span>
    </button>
  )
}

interface CopyButtonProps {
  readonly text: string
  readonly label: string
  readonly quiet?: boolean
  /** The text of the button. */
  readonly word?: string
}
