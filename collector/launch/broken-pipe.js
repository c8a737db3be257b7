/**
 * A closed terminal or pipe ends the printing, not the stopping that is under way.
 * @param {NodeJS.WriteStream} stream
 */
export function keepQuietWithoutReader(stream) {
  stream.on('error', (cause) => {
    if (!('code' in cause) || (cause.code !== 'EPIPE' && cause.code !== 'EIO')) throw cause
  })
}
