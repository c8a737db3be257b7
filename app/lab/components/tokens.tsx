'use client'

import styles from './components.module.css'

const COLOURS = {
  'Surfaces and lines': [
    ...['paper', 'surface', 'sunken', 'raised', 'overlay', 'select', 'line', 'line-mid', 'line-strong'],
    ...['scrim', 'mark'],
  ],
  'Ink and accent': ['ink', 'ink-soft', 'ink-faint', 'value', 'path', 'accent', 'accent-ink', 'accent-wash'],
  Status: ['ok', 'ok-fill', 'ok-wash', 'warn', 'warn-fill', 'warn-wash', 'bad', 'bad-fill', 'bad-wash'],
  Services: ['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6', 'series-ink'],
} as const
const TEXTS = ['3xl', '2xl', 'xl', 'l', 'm', 's', 'xs'] as const
const SPACES = [1, 2, 3, 4, 5, 6, 7] as const

/** Sets a style by script: the CSP forbids those that a server renders. */
const styled =
  (property: string, value: string) =>
  (element: HTMLElement | null): void =>
    element?.style.setProperty(property, value)

/** Colours, sizes of text and distances, by the names of `tokens.css`. */
export function Tokens() {
  return (
    <>
      {Object.entries(COLOURS).map(([title, names]) => (
        <section key={title} className={styles.section} aria-label={title}>
          <h2>{title}</h2>
          <ul className={styles.swatches}>
            {names.map((name) => (
              <li key={name}>
                <span
                  className={styles.swatch}
                  data-token={name}
                  ref={styled('background-color', `var(--${name})`)}
                  aria-hidden="true"
                />
                {name}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <section className={styles.section} aria-label="Type">
        <h2>Type</h2>
        <div className={styles.type}>
          {TEXTS.map((size) => [
            <code key={`${size} name`} className="faint">
              {size}
            </code>,
            <span key={size} data-text={size} ref={styled('font-size', `var(--text-${size})`)}>
              Only 2 of item 4182 are left
            </span>,
          ])}
          <code className="faint">mono</code>
          <span className="mono">db.query 9b1f04ce app/route.ts:42</span>
        </div>
      </section>
      <section className={styles.section} aria-label="Space">
        <h2>Space</h2>
        <div className={styles.space}>
          {SPACES.map((step) => (
            <div key={step}>
              <span ref={styled('width', `var(--space-${step})`)}>&nbsp;</span>
              {step}
            </div>
          ))}
        </div>
      </section>
    </>
  )
}
