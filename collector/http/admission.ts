import { Hono } from 'hono'
import { acceptsProject, type Environment } from '../../lib/config/environment'
import { isPublicKey } from '../../lib/protocol/dsn'
import type { Admission } from '../../lib/wire/overview'
import { wrong } from './query-answers'
import { onlyKnown } from './query-parameters'

/** What the endpoint would say to a key and a project, without an envelope. */
export function admissionRoutes({ environment }: { readonly environment: Environment }): Hono {
  const routes = new Hono()
  routes.get('/admission', (c) => {
    const known = onlyKnown(c, ['key', 'project'])
    if (!known.ok) return wrong(c, known.error)
    const publicKey = c.req.query('key') ?? ''
    const projectId = c.req.query('project') ?? ''
    if (!isPublicKey(publicKey))
      return wrong(c, `key=${publicKey.slice(0, 40)}: meant is the public key of a DSN, which stands before its @`)
    if (!/^\d{1,20}$/.test(projectId))
      return wrong(c, `project=${projectId.slice(0, 40)}: meant is the numeric project id at the end of a DSN`)
    const answer: Admission = {
      admitted: acceptsProject(environment, { publicKey, projectId }),
      localOnly: environment.upstream === null && environment.furtherUpstreams.length === 0,
    }
    return c.json(answer)
  })
  return routes
}
