import { printable } from '../ui/printable'
import { patternParts } from './group-text'
import styles from './pattern.module.css'

/** A message whose replaced parameters have a colour of their own. */
export const Pattern = ({ text }: { readonly text: string }) => (
  <bdi>
    {patternParts(text).map((part, at) => (
      <span key={`${at} ${part.text}`} className={part.isValue ? styles.value : undefined}>
        {printable(part.text)}
      </span>
    ))}
  </bdi>
)
