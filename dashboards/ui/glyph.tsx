import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import styles from './glyph.module.css'

/** Drawn in 12 × 12. Statuses, then signals on an axis, then actions. */
const GLYPHS = {
  pending: 'M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M6 3.5V6l1.8 1.2',
  accepted: 'M2 6.5 4.8 9.2 10 3.2',
  kept: 'M2.5 2.5h7v7h-7zM4.5 2.5v2.5h3V2.5',
  filtered: 'M1.5 2.5h9L7 6.5v3L5 10.5v-4z',
  rate_limited: 'M4.2 2.5v7M7.8 2.5v7',
  invalid: 'M3 3l6 6M9 3l-6 6',
  overflow: 'M1.5 6v4h9V6M6 7.5v-6M3.8 3.5 6 1.5l2.2 2',
  expired: 'M3 1.5h6M3 10.5h6M3.5 1.5c0 4 5 5 5 9M8.5 1.5c0 4-5 5-5 9',
  dropped: 'M1.5 6h9',
  copy: 'M1.5 1.5h6v6h-6zM4.5 7.5v3h6v-6h-3',
  dead_letter: 'M1.5 2.5h9v7h-9zM4.5 4.5l3 3M7.5 4.5l-3 3',
  lost: 'M.8 6h2.9M8.3 6h2.9M4.6 9.2 7.4 2.8',
  error: 'M6 1.2a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6M4.2 4.2l3.6 3.6M7.8 4.2 4.2 7.8',
  warning: 'M6 1.5 11 10.3H1zM6 4.8v2.6M6 8.9v.01',
  breadcrumb: 'M6 3.6a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8',
  log: 'M1.8 3h8.4M1.8 6h8.4M1.8 9h5',
  flag: 'M3 11V1.5M3 2h6.5L7.8 4.5 9.5 7H3',
  envelope: 'M1.5 3h9v6.5h-9zM1.5 3.5 6 7l4.5-3.5',
  group: 'M1.5 2h6v3h-6zM4.5 7h6v3h-6z',
  page: 'M1.5 2h9v8h-9zM1.5 4.5h9',
  server: 'M1.5 1.8h9v3.4h-9zM1.5 6.8h9v3.4h-9zM3.2 3.5h.01M3.2 8.5h.01',
  find: 'M5.2 1.6a3.6 3.6 0 1 1 0 7.2 3.6 3.6 0 0 1 0-7.2M8 8l2.6 2.6',
  only: 'M6 2v8M2 6h8',
  without: 'M2 6h8',
  compare: 'M1.5 4h8M7 1.5 9.5 4 7 6.5M10.5 8.5h-8M5 6 2.5 8.5 5 11',
  copy_text: 'M4 4h6.2v6.2H4zM7.6 4V1.8H1.8v5.8H4',
  editor: 'M4 3 1 6l3 3M8 3l3 3-3 3',
  assertion: 'M2 6.5 4.8 9.2 10 3.2',
  mute: 'M1.5 4.5h2L6.5 2v8L3.5 7.5h-2zM8.5 4.5l2.5 3M11 4.5l-2.5 3',
  note: 'M2 1.5h8v6L7 10.5H2zM7 10.5v-3h3',
  cause: 'M3 1.5v6a2 2 0 0 0 2 2h4.5M7.5 7.5l2 2-2 2',
  play: 'M3.5 2v8l6-4z',
  pause: 'M4.2 2.5v7M7.8 2.5v7',
  close: 'M3 3l6 6M9 3l-6 6',
  newer: 'M2.8 7.6 6 4.4l3.2 3.2',
  older: 'M2.8 4.4 6 7.6l3.2-3.2',
  previous: 'M7.6 2.8 4.4 6l3.2 3.2',
  next: 'M4.4 2.8 7.6 6 4.4 9.2',
  theme:
    'M6 3.6a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8M6 .8v1M6 10.2v1M.8 6h1M10.2 6h1M2.3 2.3l.7.7M9 9l.7.7M9.7 2.3 9 3M3 9l-.7.7',
  more: 'M2.5 6h.01M6 6h.01M9.5 6h.01',
  delete: 'M2 3h8M4.5 3V1.8h3V3M3 3l.6 7.2h4.8L9 3',
} as const

/** Drawn in 16 × 16: one for each entry of the navigation. */
const ICONS = {
  live: 'M1.5 8.5h3L6.5 3l3 10 2-4.5h3',
  traces: 'M2 3.5h7M4.5 8h8M8 12.5h6',
  errors: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8M8 4.8V8.6M8 11.1v.01',
  logs: 'M2.5 3.5h11M2.5 8h11M2.5 12.5h6.5',
  metrics: 'M2 2v12h12M4.5 10.5l3-4 2.5 2 3.5-5',
  envelopes: 'M1.8 3.5h12.4v9H1.8zM2 4l6 4.8L14 4',
  deliveries: 'M1.5 8h9M7.5 4.8 10.7 8l-3.2 3.2M13.8 2.5v11',
  losses: 'M1.2 8h4M10.8 8h4M6.2 12.5l3.6-9',
  limits: 'M5.5 3v10M10.5 3v10',
  storage: 'M3 4c0-2.6 10-2.6 10 0v8c0 2.6-10 2.6-10 0zM3 4c0 2.6 10 2.6 10 0M3 8c0 2.6 10 2.6 10 0',
  contract: 'M3.5 1.8h9v12.4h-9zM5.8 8l1.7 1.7L10.5 6.3',
  runs: 'M4.5 2.5 12.5 8l-8 5.5z',
  lab: 'M6 1.8h4M6.8 1.8v4.4L2.9 12.6c-.6 1 0 1.6 1 1.6h8.2c1 0 1.6-.6 1-1.6L9.2 6.2V1.8M4.8 10h6.4',
  standIn: 'M2.5 4.5h11v7h-11zM5 8h.01M8 8h.01M11 8h.01',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
} as const

export type GlyphName = keyof typeof GLYPHS
export type IconName = keyof typeof ICONS
/** Every glyph, for the page that shows the components. */
export const GLYPH_NAMES = Object.keys(GLYPHS) as readonly GlyphName[]

/** The glyph of a delivery status. A dead letter is pending, but has its own. */
export const statusGlyph = ({ name, reason }: DeliveryStatus): GlyphName =>
  name === 'pending' && reason === 'dead_letter' ? 'dead_letter' : name

/** A shape of one colour, which takes that of the text. A word stands beside it, or the parent has a label. */
export const Glyph = ({ name }: { readonly name: GlyphName }) => (
  <svg className={styles.glyph} aria-hidden="true" viewBox="0 0 12 12" width="12" height="12">
    <path d={GLYPHS[name]} />
  </svg>
)

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className={styles.glyph} aria-hidden="true" viewBox="0 0 16 16" width="16" height="16">
    <path d={ICONS[name]} />
  </svg>
)
