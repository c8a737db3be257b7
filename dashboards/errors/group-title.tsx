import type { ErrorGroup } from '../../lib/wire/error-groups'
import { Glyph } from '../ui/glyph'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { messageOf, patternParts } from './group-text'
import styles from './group-title.module.css'

/** The type of a group's errors and their message. */
export function GroupTitle({ group }: { readonly group: Pick<ErrorGroup, 'title' | 'type'> }) {
  const { type } = group
  const message = messageOf(group)
  return (
    <>
      {type !== null && (
        <strong>
          <Received text={type} />
          {message !== '' && ': '}
        </strong>
      )}
      <Pattern text={message} />
    </>
  )
}

/** Red when an error of the group was not handled. */
export const GroupMark = ({ level, unhandled }: Pick<ErrorGroup, 'level' | 'unhandled'>) => (
  <span className={`toned ${styles.mark}`} data-tone={unhandled > 0 ? 'bad' : undefined}>
    <Glyph name={level === 'warning' ? 'warning' : 'error'} />
  </span>
)

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
