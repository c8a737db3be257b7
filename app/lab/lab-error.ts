/** An error thrown on purpose. Put a marker in its message: the SDK drops a second error with the same message. */
export class LabError extends Error {
  override readonly name = 'LabError'
}

export const newMarker = (): string => crypto.randomUUID().slice(0, 8)
