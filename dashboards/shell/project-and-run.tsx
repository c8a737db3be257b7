'use client'

import { lazy, Suspense } from 'react'
import { changeSearch, useSearchParam } from '../ui/page-address'
import { printable } from '../ui/printable'
import styles from './project-and-run.module.css'

/** Only few pages have several projects, and a list that filters by them. */
const FacetButton = lazy(() => import('../ui/facets').then((module) => ({ default: module.FacetButton })))

/** Pages whose list filters by project. */
const FILTERED: ReadonlySet<string> = new Set(['/traces', '/events', '/logs', '/vitals', '/envelopes'])
const FACET = { key: 'project', label: 'Project' }

interface ProjectAndRunProps {
  readonly pathname: string | null
  /** Projects with records; `null` before the first answer. */
  readonly projects: readonly string[] | null
  /** The name of a saved run that is shown. */
  readonly run: string | null
}

/** The project, which a menu chooses where the page's list has several, and the run. */
export function ProjectAndRun({ pathname, projects, run }: ProjectAndRunProps) {
  const [query] = useSearchParam('q')
  if (pathname === null || projects === null) return null
  const [only, ...others] = projects
  const isOfAll = pathname.split('/').length === 2
  return (
    <>
      {others.length > 0 && FILTERED.has(pathname) ? (
        <span className={styles.menu}>
          <Suspense fallback={null}>
            <FacetButton
              facet={FACET}
              noun="envelopes"
              list="envelopes"
              kind={undefined}
              query={query ?? ''}
              onChange={(q) => changeSearch({ q }, 'step')}
            />
          </Suspense>
        </span>
      ) : (
        only !== undefined &&
        (others.length === 0 || isOfAll) && (
          <span className={styles.fact} data-scope="project">
            Project <bdi>{others.length === 0 ? printable(only) : 'all'}</bdi>
          </span>
        )
      )}
      <span className={styles.fact} data-scope="run">
        Run <bdi title={run === null ? undefined : printable(run)}>{run === null ? 'present' : printable(run)}</bdi>
      </span>
    </>
  )
}
