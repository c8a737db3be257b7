import { describe, expect, it } from 'vitest'
import { DSN, type Files, planned } from './init-project'

const manifestOf = (dependencies: object, scripts: object = { start: 'node index.js' }): string =>
  `${JSON.stringify({ scripts, dependencies }, null, 2)}\n`

/** The first example of Express. */
const HELLO = `const express = require('express')
const app = express()
const port = 3000

app.get('/', (req, res) => {
  res.send('Hello World!')
})

app.listen(port, () => {
  console.log('listening')
})
`
/** The file of express-generator, shortened. */
const GENERATED = `var express = require('express');
var path = require('path');

var app = express();

app.use(express.json());
app.use('/', indexRouter);

// error handler
app.use(function(err, req, res, next) {
  res.render('error');
});

module.exports = app;
`
/** The file of create-hono, template nodejs. */
const HONO = `import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()

app.get('/', (c) => {
  return c.text('Hello Hono!')
})
`
const expressApp = (text: string, more: Files = {}): Files => ({
  'package.json': manifestOf({ express: '^5.3.0' }),
  'index.js': text,
  ...more,
})

describe('an Express server', () => {
  it('gets the tunnel before everything, the error handler after its routes, and its start', () => {
    const { changes, packages, steps, after } = planned(expressApp(HELLO))
    expect(packages).toEqual(['@sentry/node@11'])
    expect(Object.keys(changes)).toEqual(['waystation-tunnel.mjs', 'instrument.mjs', 'index.js', 'package.json'])
    expect(changes['index.js']).toBe(
      HELLO.replace(
        "const express = require('express')\nconst app = express()\n",
        `const Sentry = require('@sentry/node')
const express = require('express')
const { resolve } = require('node:path')
const { nodeTunnel } = require('./waystation-tunnel.mjs')
const app = express()
// Before body parsers: the tunnel forwards the bytes as they come.
app.post('/tunnel', nodeTunnel({ lifeboatFolder: resolve('.lifeboat') }))
`,
      ).replace('app.listen', 'Sentry.setupExpressErrorHandler(app)\n\napp.listen'),
    )
    expect(changes['package.json']).toBe(
      manifestOf({ express: '^5.3.0' }, { start: 'node --import ./instrument.mjs index.js' }),
    )
    expect(steps).toEqual([])
    expect(planned(after)).toMatchObject({ changes: {}, steps: [] })
  })

  it('of express-generator keeps its own error handler last', () => {
    const scripts = { start: 'node ./bin/www', build: 'node build.js' }
    const files = { 'package.json': manifestOf({ express: '~4.16.1' }, scripts), 'app.js': GENERATED }
    const { changes, steps } = planned(files)
    expect(changes['app.js']).toContain("const { resolve } = require('node:path');\nconst { nodeTunnel }")
    expect(changes['app.js']).toContain(
      'Sentry.setupExpressErrorHandler(app);\n\n// error handler\napp.use(function(err',
    )
    expect(changes['package.json']).toContain(
      '"start": "node --import ./instrument.mjs ./bin/www",\n    "build": "node build.js"',
    )
    expect(steps).toEqual([])
  })

  it('of ES modules in src/ with double quotes is edited in its style', () => {
    const text =
      'import express from "express";\nimport { join, resolve } from "path";\n\nexport const server = express();\nserver.listen(1);\n'
    const { changes } = planned({
      'package.json': manifestOf({ express: '5' }, { dev: 'tsx watch src/server.ts' }),
      'src/server.ts': text,
    })
    expect(changes['src/server.ts']).toBe(`import * as Sentry from "@sentry/node";
import express from "express";
import { nodeTunnel } from "../waystation-tunnel.mjs";
import { join, resolve } from "path";

export const server = express();
// Before body parsers: the tunnel forwards the bytes as they come.
server.post("/tunnel", nodeTunnel({ lifeboatFolder: resolve(".lifeboat") }));
Sentry.setupExpressErrorHandler(server);

server.listen(1);
`)
    expect(changes['waystation-tunnel.d.mts']).toContain('export declare function nodeTunnel(')
    expect(changes['package.json']).toContain('"dev": "tsx watch --import ./instrument.mjs src/server.ts"')
  })

  it.each([
    ['names of its own', `const { resolve } = require('./urls')\n${HELLO}`],
    ['an SDK of its own', `const Sentry = require('@sentry/node')\n${HELLO}`],
    ['another import', HELLO.replace("require('express')", "load('express')")],
  ])('with %s is not edited', (_title, text) => {
    const { changes, steps } = planned(expressApp(text))
    expect(changes['index.js']).toBeUndefined()
    expect(steps).toEqual([
      {
        title: expect.stringMatching(/^index\.js has a shape that init does not edit/),
        paste: expect.stringContaining("app.post('/tunnel', nodeTunnel({ lifeboatFolder: resolve('.lifeboat') }))"),
      },
    ])
  })

  it('without an end of its routes gets the error handler to paste', () => {
    const { steps } = planned(expressApp("const express = require('express')\nconst app = express()\n"))
    expect(steps).toEqual([
      {
        title: expect.stringMatching(/^index\.js: add this after all routes/),
        paste: "const Sentry = require('@sentry/node')\n\nSentry.setupExpressErrorHandler(app)\n",
      },
    ])
  })

  it('without a recognised start gets the option of Node to paste, and is found in no built folder', () => {
    const scripts = { start: 'tsc && node dist/index.js', dev: 'nodemon index.js' }
    const { changes, steps } = planned({
      'package.json': manifestOf({ express: '5' }, scripts),
      'dist/index.js': HELLO,
    })
    expect(Object.keys(changes)).toEqual(['waystation-tunnel.mjs', 'instrument.mjs'])
    expect(steps.map(({ paste }) => paste)).toEqual([
      expect.stringContaining("import { nodeTunnel } from './waystation-tunnel.mjs'"),
      'node --import ./instrument.mjs server.js\n',
    ])
  })
})

describe('a Hono server', () => {
  const files = {
    'package.json': manifestOf(
      { hono: '4', '@hono/node-server': '2' },
      { dev: 'tsx watch src/index.ts', start: 'node dist/index.js' },
    ),
    'src/index.ts': HONO,
  }

  it('gets the tunnel', () => {
    const { changes, steps, after } = planned(files)
    expect(changes['src/index.ts']).toBe(
      HONO.replace(
        "from 'hono'\n",
        `from 'hono'\nimport { resolve } from 'node:path'\nimport { localTunnel } from '../waystation-tunnel.mjs'\n`,
      ).replace(
        'new Hono()\n',
        `new Hono()\nconst tunnel = localTunnel({ lifeboatFolder: resolve('.lifeboat') })\napp.post('/tunnel', (c) => tunnel.handle(c.req.raw))\n`,
      ),
    )
    expect(changes['package.json']).toContain('"start": "node --import ./instrument.mjs dist/index.js"')
    expect(steps).toEqual([])
    expect(planned(after)).toMatchObject({ changes: {}, steps: [] })
  })

  it('gets a DSN that is not the default one, and another one later', () => {
    const dsn = 'http://local@127.0.0.1:9000/1'
    const { changes, after } = planned(files, { dsn })
    expect(changes['src/index.ts']).toContain(
      `localTunnel({ dsn: process.env.WAYSTATION_DSN ?? '${dsn}', lifeboatFolder`,
    )
    const moved = planned(after, { dsn: DSN, replacesDsn: true })
    expect(moved.changes['src/index.ts']).toContain(`?? '${DSN}', lifeboatFolder`)
    const unnamed = planned(planned(files).after, { dsn, replacesDsn: true })
    expect(unnamed.steps).toEqual([{ title: 'src/index.ts: give the tunnel this option:', paste: `dsn: '${dsn}',\n` }])
  })

  it('with SDK 10 sends no option of SDK 11, and with SDK 7 gets the DSN to paste', () => {
    const withSdk = (range: string): Files => ({
      ...files,
      'package.json': manifestOf({ hono: '4', '@sentry/node': range }),
    })
    expect(planned(withSdk('^10')).changes['instrument.mjs']).not.toContain('dataCollection')
    expect(planned(files).changes['instrument.mjs']).toContain('dataCollection')
    const old = planned(withSdk('^7.2'))
    expect(old.changes).toEqual({})
    expect(old.steps).toEqual([
      { title: expect.stringContaining('@sentry/node 8 or newer; yours is 7'), paste: `dsn: '${DSN}',\n` },
    ])
  })
})
