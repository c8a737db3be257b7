import { formatCount } from '../../lib/format'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { conversationOf } from './gen-ai'
import styles from './gen-ai-view.module.css'

/** A longer text is folded. */
const FOLDED_LINES = 20

/** The conversation of a span that called a language model, as text; nothing for other spans. */
export function GenAi({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }) {
  const conversation = conversationOf(attributes)
  if (conversation === null) return null
  const { messages, tools } = conversation
  return (
    <section className={styles.conversation} aria-labelledby="conversation">
      <h3 id="conversation">Conversation</h3>
      {messages.map(({ role, tool, text, isCut }, at) => (
        // Messages have a fixed order.
        <div key={`${at} ${role}`} className={styles.message} data-role={role}>
          <p className={styles.role}>
            <Received text={role} />
            {tool !== null && (
              <>
                {role === 'tool' ? ', result of ' : ' calls '}
                <Received className="mono" text={tool} />
              </>
            )}
            {isCut && <span className={styles.cut}> cut by the SDK</span>}
          </p>
          <Body text={text} />
        </div>
      ))}
      {tools.length > 0 && (
        <p className="small soft">
          {formatCount(tools.length)} {tools.length === 1 ? 'tool' : 'tools'} offered:{' '}
          {tools.map((tool) => printable(tool)).join(', ')}
        </p>
      )}
    </section>
  )
}

function Body({ text }: { readonly text: string }) {
  const lines = text.split('\n')
  const body = <pre className={styles.text}>{lines.map((line) => printable(line)).join('\n')}</pre>
  if (lines.length <= FOLDED_LINES) return body
  return (
    <details>
      <summary>{formatCount(lines.length)} lines</summary>
      {body}
    </details>
  )
}
