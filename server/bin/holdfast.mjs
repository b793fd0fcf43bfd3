#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/bundle/main.js', import.meta.url)
if (existsSync(main)) await (await import(main.href)).main(process.argv.slice(2))
else {
  console.error('holdfast: not built yet. Run `npm start` or `npm run build` once.')
  process.exitCode = 1
}
