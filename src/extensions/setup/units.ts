/** Units of a server: `templates/systemd` with its user, folders and times. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Answers } from './answers.ts'
import { timesFrom } from './workflows.ts'

const templates = fileURLToPath(new URL('../../../templates/systemd', import.meta.url))

/** Units, drop-ins and the script for failures. @param folders that the nights write to */
export async function makeUnits({ root, user, at, port, bucket }: Answers, folders: readonly string[]) {
  const { move } = await timesFrom(at)
  const names = await readdir(templates, { recursive: true })
  const paths = names.filter((name) => /\.(service|socket|timer|conf|sh)$/.test(name))
  const derive = (text: string) =>
    text
      .replace('User=fundpress', `User=${user}`)
      .replace(/(?<=^ReadWritePaths=).*/m, folders.map((folder) => `-${folder}`).join(' '))
      .replaceAll(/(?<![\w/])\/(?=(?:opt|etc)\/fundpress)/g, `${root}/`)
      .replaceAll(/(?<=\*-\*-\* )\d\d:\d\d/g, move)
      .replace(/(?<=^ListenStream=127\.0\.0\.1:)\d+$/m, port)
      .replace(/(?<= --bucket )\S+$/m, () => bucket)
  const made = paths.sort().map(async (path) => ({
    path: `systemd/${path}`,
    text: derive(await readFile(join(templates, path), 'utf8')),
  }))
  return Promise.all(made)
}

/** The last value of PrivateNetwork counts, with drop-ins in the order of their names. */
export function hasNetwork(folder: string, unit: string): boolean {
  const dropIns = ['fundpress-.service.d', `${unit}.d`].flatMap((name) =>
    existsSync(join(folder, name)) ? readdirSync(join(folder, name)).map((file) => ({ file, name })) : [],
  )
  const order = dropIns.sort((a, b) => (a.file < b.file ? -1 : 1)).map(({ file, name }) => join(name, file))
  const texts = [unit, ...order].map((file) => readFileSync(join(folder, file), 'utf8'))
  const values = texts.join('\n').matchAll(/^PrivateNetwork=(.*)$/gm)
  return [...values].at(-1)?.[1] !== 'yes'
}
