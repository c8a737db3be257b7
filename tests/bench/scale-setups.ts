import { join } from 'node:path'
import { type BenchedCollector, startBenched } from './processes'
import { emptyFolder } from './resources'

/** Collectors that are measured together. */
export interface Setup {
  readonly name: string
  readonly engine: 'SQLite' | 'PostgreSQL'
  /** The roles of each collector; `null` for all of them. */
  readonly roles: readonly (string | null)[]
}

export interface RunningSetup {
  readonly collectors: readonly BenchedCollector[]
  /** Those that take envelopes. */
  readonly takers: readonly BenchedCollector[]
  /** Those that have a record of their own or a mirror, and an index. */
  readonly answerers: readonly BenchedCollector[]
  /** @returns mismatches */
  readonly stop: () => Promise<readonly string[]>
}

/** SQLite first, then each number of collectors on PostgreSQL. */
export const setupsOf = (numbers: readonly number[], withRoles: boolean): readonly Setup[] => [
  { name: 'SQLite', engine: 'SQLite', roles: [null] },
  ...numbers.map(
    (number): Setup => ({
      name: `PostgreSQL, ${number} collector${number === 1 ? '' : 's'}`,
      engine: 'PostgreSQL',
      roles: Array.from({ length: number }, () => null),
    }),
  ),
  ...(withRoles
    ? [
        {
          name: 'PostgreSQL, 2 × intake,relay + 1 × query',
          engine: 'PostgreSQL',
          roles: ['intake,relay', 'intake,relay', 'query'],
        } as const,
      ]
    : []),
]

/** @param given.store address of an empty database; `null` for SQLite */
export async function startSetup(
  { roles }: Setup,
  given: {
    readonly own: string
    readonly upstream: number
    readonly store: string | null
    readonly profiles: string | undefined
  },
): Promise<RunningSetup> {
  const collectors: BenchedCollector[] = []
  const stop = async (): Promise<readonly string[]> => {
    const codes = await Promise.all(collectors.map((collector) => collector.stop()))
    return codes.flatMap((code, at) => (code === 0 ? [] : [`collector ${at + 1} exited with ${code}, expected 0`]))
  }
  try {
    for (const [at, role] of roles.entries())
      collectors.push(
        await startBenched({
          folder: emptyFolder(join(given.own, `data-${at}`)),
          upstream: given.upstream,
          profiles: given.profiles,
          env: {
            ...(given.store !== null && { WAYSTATION_STORE: given.store }),
            ...(role !== null && { WAYSTATION_ROLES: role }),
          },
        }),
      )
  } catch (error) {
    await stop()
    throw error
  }
  const having = (role: string): readonly BenchedCollector[] =>
    collectors.filter((_, at) => roles[at]?.split(',').includes(role) ?? true)
  return { collectors, takers: having('intake'), answerers: having('query'), stop }
}
