import { meantBy } from '../../lib/config/nearest'

interface Route {
  readonly method: string
  readonly path: string
}

/** What is asked for by hand; the other routes are asked by SDKs, which mistype nothing. */
const BY_HAND = /^\/(query|control|health)\/[^:*]+$/

/** What is probably meant by an address at which there is nothing, to be put behind that; empty where nothing is near. */
export function routeHint(routes: readonly Route[], path: string): string {
  const known = routes.filter((route) => BY_HAND.test(route.path))
  const methods = new Set(known.filter((route) => route.path === path).map(({ method }) => method))
  if (methods.size > 0) return `: ${[...methods].join(' and ')} can be asked of it`
  const meant = meantBy(
    path,
    known.map((route) => route.path),
  )
  return meant === null ? '' : `: did you mean ${meant}?`
}
