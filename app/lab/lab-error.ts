/** Thrown on purpose. Its message is never the same twice, or the SDK would take the second for a duplicate. */
export class LabError extends Error {
  override readonly name = 'LabError'
}

export const newMarker = (): string => crypto.randomUUID().slice(0, 8)
