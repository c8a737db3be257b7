/** A report is read in CI logs and on terminals; wider lines are harder to read on both. */
const MOST_COLUMNS = 100
const COLUMNS = 80

/** Colour and width of what is written there. */
export const terminalOf = (stream: NodeJS.WriteStream): { readonly colour: boolean; readonly width: number } => ({
  colour: stream.isTTY === true && !process.env.NO_COLOR,
  // A terminal that was made by a program may say 0.
  width: Math.min(MOST_COLUMNS, stream.columns || COLUMNS),
})
