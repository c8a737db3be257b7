import { type Dsn, formatDsn, sameProject } from '../protocol/dsn'
import { fail, type Result, succeed } from '../protocol/result'

/**
 * DSNs of which no two have the same key and project: an envelope says nothing else of where it belongs, so that it would
 * be relayed to both.
 * @param first goes before all others, and is none of them.
 * @returns the others, each once; or in words which two addresses one key and project have.
 */
export function dsnsApart(
  first: Pick<Dsn, 'publicKey' | 'projectId'> | null,
  others: readonly Dsn[],
): Result<readonly Dsn[], string> {
  const apart: Dsn[] = []
  for (const dsn of others) {
    const same = [...(first === null ? [] : [first]), ...apart].find((one) => sameProject(one, dsn))
    if (same === undefined) apart.push(dsn)
    else if (addressOf(same) !== addressOf(dsn))
      return fail(
        `one address for key ${dsn.publicKey} and project ${dsn.projectId}, for an envelope goes to the one DSN that has both; read were ${addressOf(same)} and ${addressOf(dsn)}`,
      )
  }
  return succeed(apart)
}

const addressOf = (dsn: Pick<Dsn, 'publicKey' | 'projectId'> | Dsn): string =>
  'host' in dsn ? formatDsn(dsn) : 'the stand-in'
