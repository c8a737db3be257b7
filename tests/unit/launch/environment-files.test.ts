import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadEnvironmentFiles } from '../../../collector/launch/environment-files'
import { folderOfEachTest } from '../folder-of-each-test'

const root = folderOfEachTest()

const loaded = (isDev: boolean, env: NodeJS.ProcessEnv = { NODE_ENV: 'test' }): NodeJS.ProcessEnv => {
  loadEnvironmentFiles(root.path, isDev, env)
  return env
}
const write = (name: string, text: string): void => writeFileSync(join(root.path, name), text)

it('takes each variable from the environment, else from the first file that sets it', () => {
  const files = ['.env.production.local', '.env.local', '.env.production', '.env']
  files.forEach((name, index) => {
    write(name, Array.from({ length: index + 2 }, (_, at) => `V${at}=${name}`).join('\n'))
  })
  write('.env.development', 'V4=development')
  expect(loaded(false, { NODE_ENV: 'test', V0: 'shell' })).toMatchObject({
    V0: 'shell',
    V1: '.env.production.local',
    V2: '.env.local',
    V3: '.env.production',
    V4: '.env',
  })
  expect(loaded(true)).toMatchObject({ V0: '.env.local', V3: '.env', V4: 'development' })
})

it('reads quotes, comments and lines over several lines, and leaves $NAME as it is', () => {
  write('.env', '# comment\nA="two words" # note\nexport B=\'x\'\nC="line\nline"\nD=$A/$B\n')
  expect(loaded(false)).toMatchObject({ A: 'two words', B: 'x', C: 'line\nline', D: '$A/$B' })
})

it('needs no file, and takes a folder of that name for none', () => {
  mkdirSync(join(root.path, '.env'))
  expect(loaded(false)).toEqual({ NODE_ENV: 'test', __NEXT_PROCESSED_ENV: 'true' })
})
