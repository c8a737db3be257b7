import { type Dsn, keyMark } from '../../lib/protocol/dsn'

/** Host and project, never the whole key: what a person calls an upstream by. */
export const labelOf = ({ host, path, projectId }: Dsn): string => `${host}${path}/${projectId}`

/** The labels of several, where two that differ by their key alone begin with as much of it as tells them apart. */
export function labelsOf(dsns: readonly Dsn[]): readonly string[] {
  return dsns.map((dsn) => {
    const label = labelOf(dsn)
    const others = dsns.filter((other) => other !== dsn && labelOf(other) === label)
    if (others.length === 0) return label
    const marks = others.map(({ publicKey }) => keyMark(publicKey))
    const mark = keyMark(dsn.publicKey)
    return `${marks.includes(mark) ? dsn.publicKey : mark}@${label}`
  })
}
