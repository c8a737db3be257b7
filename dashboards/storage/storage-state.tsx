import type { Storage } from '../../lib/wire/storage'
import { printable } from '../ui/printable'
import { asSentence, roomWords } from '../ui/room'
import styles from './storage-state.module.css'

/** What the state means, in a sentence; trouble beside it, for there may be both. */
export function StorageState({ storage }: { readonly storage: Storage }) {
  const { word, tone, means, remedy } = roomWords(storage.state)
  return (
    <div className={styles.state} role="status">
      <p data-storage-state={storage.state}>
        <strong className={`toned ${styles.word}`} data-tone={tone}>
          {word}
        </strong>{' '}
        {means} {remedy}
      </p>
      {storage.trouble !== null && (
        <p className="banner bad" data-trouble>
          <strong>Trouble:</strong> {printable(asSentence(storage.trouble))}
        </p>
      )}
    </div>
  )
}
