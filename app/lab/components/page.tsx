import type { Metadata } from 'next'
import styles from './components.module.css'
import { Controls, Delivery, Glyphs, Rows } from './parts'
import { LiveStates, StatusLines } from './states'
import { Tokens } from './tokens'

export const metadata: Metadata = { title: 'Components' }

/** The design system on one page: each component that boards share, as it is, in its states. */
export default function ComponentsPage() {
  return (
    <div className="page stack">
      <h1>Components</h1>
      <p className="soft">
        Tokens, glyphs, controls and states of the boards, with invented figures. <a href="/lab">Back to the lab</a>
      </p>
      <div className={styles.columns}>
        <Tokens />
        <Glyphs />
        <Controls />
        <Delivery />
        <Rows />
        <LiveStates />
      </div>
      <StatusLines />
    </div>
  )
}
