import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './prepare.mjs'

const SKIPPED = new Set(['node_modules', 'dist', 'data'])

/** Files below the folders whose path matches, sorted. (On Node 20 `node --test` does not expand `**`.) */
export const globSync = (pattern, folders) =>
  folders
    .flatMap((folder) => list(folder))
    .filter((file) => pattern.test(file))
    .sort()

const list = (folder) =>
  existsSync(path.join(ROOT, folder))
    ? readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
        const file = `${folder}/${entry.name}`
        if (!entry.isDirectory()) return [file]
        return SKIPPED.has(entry.name) ? [] : list(file)
      })
    : []
