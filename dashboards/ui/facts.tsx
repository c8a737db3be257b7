import { type ReactNode, useEffect, useState } from 'react'
import styles from './facts.module.css'
import { Glyph, type GlyphName } from './glyph'

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

interface FactProps {
  readonly name: string
  readonly copy?: string
  /** Shown on hover and focus. */
  readonly tools?: ReactNode
  readonly children: ReactNode
}

export function Fact({ name, copy, tools, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {copy !== undefined && <CopyButton quiet text={copy} label={name.toLowerCase()} />}
        {tools !== undefined && <HoverTools>{tools}</HoverTools>}
      </dd>
    </div>
  )
}

/** Buttons that show while their row has the pointer or the focus, or one of them is pressed. */
export const HoverTools = ({ children }: { readonly children: ReactNode }) => (
  <span className={styles.tools}>{children}</span>
)

interface IconButtonProps {
  readonly glyph: GlyphName
  readonly label: string
  readonly isPressed?: boolean
  /** False for a button that a key replaces, in each row of a long list. */
  readonly isTabStop?: boolean
  readonly onPress: () => void
}

export const IconButton = ({ glyph, label, isPressed, isTabStop = true, onPress }: IconButtonProps) => (
  <button
    type="button"
    className={styles.quiet}
    tabIndex={isTabStop ? undefined : -1}
    aria-label={label}
    title={label}
    aria-pressed={isPressed}
    onClick={onPress}
  >
    <Glyph name={glyph} />
  </button>
)

type CopyResult = 'copied' | 'cannot copy'

export async function copyText(text: string): Promise<CopyResult> {
  try {
    await navigator.clipboard.writeText(text)
    return 'copied'
  } catch {
    // Permission denied or no secure context; there is no other way that works in every browser.
    return 'cannot copy'
  }
}

/** Copies a text and reports the result for two seconds. */
export function CopyButton({ text, label, quiet = false, word = 'Copy' }: CopyButtonProps) {
  const [result, setResult] = useState<CopyResult | null>(null)
  useEffect(() => {
    if (result === null) return
    const timer = window.setTimeout(() => setResult(null), 2000)
    return () => window.clearTimeout(timer)
  }, [result])
  return (
    <button
      type="button"
      className={quiet ? styles.quiet : 'button'}
      aria-label={word === 'Copy' ? `Copy ${label}` : word}
      title={`Copy ${label}`}
      onClick={async () => setResult(await copyText(text))}
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
