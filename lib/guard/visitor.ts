import type { Visitor } from './may-look'
import { holdsToken } from './token'

/** Reads the facts that `refuseLook` judges from a request's headers. */
export function visitorOf(headers: Headers, token: string | undefined): Visitor {
  return {
    host: headers.get('host'),
    origin: headers.get('origin'),
    fetchSite: headers.get('sec-fetch-site'),
    fetchMode: headers.get('sec-fetch-mode'),
    holdsToken: holdsToken(headers, token),
  }
}
