/*
 * `node watch.js ROOT FOLDER`: bundles the collector into FOLDER again whenever its sources change, and reports `built`.
 * A process of its own, because a process of esbuild never ends when its parent is killed while a message to it is
 * unanswered: only a kill of the process group ends both.
 */
import { once } from 'node:events'
import { build, context, formatMessages } from 'esbuild'
import { bundleOptions, splitBundles } from './bundle.js'

const [root = '', folder = ''] = process.argv.slice(2)
const options = bundleOptions(root, folder)

/** @param {readonly import('esbuild').Message[]} errors */
async function print(errors) {
  for (const text of await formatMessages([...errors], { kind: 'error' })) console.error(text)
}

// Watches all sources in one context, which writes nothing: the bundles have to be those that `npm run dev` began with.
const watching = await context({
  ...options,
  write: false,
  plugins: [
    ...(options.plugins ?? []),
    {
      name: 'report',
      setup: (bundling) =>
        bundling.onEnd(async ({ errors }) => {
          if (errors.length > 0) return print(errors)
          try {
            await Promise.all(splitBundles(options).map((part) => build(part)))
          } catch (cause) {
            // A source changed meanwhile: it is bundled again.
            return console.error(String(cause))
          }
          process.send?.({ type: 'built' })
          // The bundles must not change while the collector loads them.
          await once(process, 'message')
        }),
    },
  ],
})
await watching.watch()
