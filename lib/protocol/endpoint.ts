/**
 * How a submission came in, which is also what kind of body it is. `envelope` an SDK posted it, `tunnel` a tunnel
 * forwarded it, `stream` it is a second copy, `store` an old SDK posted a bare event, `security` a browser reported a
 * breach of a policy.
 */
export const ENDPOINTS = ['envelope', 'tunnel', 'stream', 'store', 'security'] as const
export type Endpoint = (typeof ENDPOINTS)[number]
