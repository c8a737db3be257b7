import type { SignalKind } from '../../lib/protocol/items/signal'
import { Empty } from '../ui/board'
import { CopyButton } from '../ui/facts'
import styles from './no-signals.module.css'
import { howToSend, kindWords } from './signal-kinds'

/** An empty list teaches how to fill it. */
export function NoSignals({ kind }: { readonly kind: SignalKind }) {
  const { when, code } = howToSend(kind)
  const { noun } = kindWords(kind)
  return (
    <Empty title={`No ${noun} here`} what="list">
      <p>{when} The first one comes of this line:</p>
      <div className={styles.code}>
        <code>{code}</code>
        <CopyButton quiet text={code} label="this line" />
      </div>
      <p>
        The local DSN is on the <a href="/">home page</a>; <a href="/lab">the lab</a> causes some of them by a press.
      </p>
    </Empty>
  )
}
