import type { ReactNode } from 'react'
import styles from './section.module.css'

interface SectionProps {
  readonly id: string
  readonly title: string
  /** Next to the title. */
  readonly link?: { readonly href: string; readonly name: string }
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** A part of a page below its own title. */
export const Section = ({ id, title, link, className = '', children }: SectionProps) => (
  <section className={`${styles.section} ${className}`} aria-labelledby={id}>
    <div className={styles.heading}>
      <h2 id={id}>{title}</h2>
      {link !== undefined && (
        <a className="soft" href={link.href}>
          {link.name}
        </a>
      )}
    </div>
    {children}
  </section>
)
