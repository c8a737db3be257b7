/** A report is read in CI logs and on terminals; wider lines are harder to read on both. */
const MOST_COLUMNS = 100

/** Colour and width of what is written there. */
export const terminalOf = (stream: NodeJS.WriteStream): { readonly colour: boolean; readonly width: number } => ({
  colour: stream.isTTY === true && !process.env.NO_COLOR,
  width: Math.min(MOST_COLUMNS, stream.columns ?? 80),
})
