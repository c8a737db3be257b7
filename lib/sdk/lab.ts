/** Tag of events and attribute of spans, logs and metrics that the lab caused. */
export const LAB_TAG = 'waystation.lab'
/** Tells the tunnel that an envelope holds what the lab caused; it leaves this machine only by a switch. */
export const LAB_HEADER = 'x-waystation-lab'

const IN_JSON = `"${LAB_TAG}":`

/**
 * Does this serialized envelope hold something the lab caused? One tagged item is enough: spans of a trace and logs of a
 * few seconds share an envelope, and what the lab caused must not leave by being in company.
 */
export function isLabEnvelope(body: string | Uint8Array): boolean {
  return typeof body === 'string' ? body.includes(IN_JSON) : Buffer.from(body).includes(IN_JSON)
}
