import { type BodyBudget, createBodyBudget } from '../lib/tunnel/body-budget'
import { type TunnelAnswer, toResponse } from '../lib/tunnel/post'
import { openBody } from '../lib/tunnel/read-body'

const KEY = Symbol.for('waystation.bodies')

/** The memory for all request bodies of this process. On `globalThis`, because Next bundles each route separately. */
export function appBodies(): BodyBudget {
  const shared = globalThis as typeof globalThis & { [KEY]?: BodyBudget }
  shared[KEY] ??= createBodyBudget()
  return shared[KEY]
}

/**
 * Reads a small body, counted while it arrives, and passes it on. The memory counts until `work` ends.
 * @param onFailure makes the answer for a body that cannot be read; default: JSON
 * @returns the answer of `work`; 413, 408, 400 or 503 for a body that is too large, slow, broken, or without memory
 */
export async function withSmallBody(
  request: Pick<Request, 'headers' | 'body'>,
  maxBytes: number,
  work: (bytes: Buffer<ArrayBuffer>) => Promise<Response>,
  {
    budget = appBodies(),
    onFailure = toResponse,
  }: { readonly budget?: BodyBudget; readonly onFailure?: (answer: TunnelAnswer) => Response } = {},
): Promise<Response> {
  const body = openBody(request, { maxBytes, budget, mayBeEmpty: true })
  if (!body.ok) return onFailure(body.error)
  try {
    const read = await body.value.read()
    return read.ok ? await work(Buffer.concat(read.value.blocks)) : onFailure(read.error)
  } finally {
    body.value.close()
  }
}
