import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { JSON_TYPE } from './response-headers.ts'
import type { Routes } from './route.ts'
import { Bytes } from './wire-types.ts'

type Options = {
  /** Where the page is; the document is at `<path>/json`. */
  path: string
  /** The generated OpenAPI document. Read when someone asks for it. */
  documentFile: string | URL
  title: string
}

/** Only what comes from this server runs or loads; `data:` is for the icons inside the viewer's style sheet. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const ASSETS = { 'swagger-ui.css': 'text/css; charset=utf-8', 'swagger-ui-bundle.js': 'text/javascript; charset=utf-8' }
const AssetParams = z.object({ file: z.enum(['swagger-ui.css', 'swagger-ui-bundle.js']) })
const A_YEAR = 'public, max-age=31536000, immutable'

/** The viewer's package; only its static files are used, its plugin is never loaded. */
const VIEWER = import.meta.resolve('@fastify/swagger-ui/package.json')

const endpoint = endpoints({ tag: 'Documentation', auth: 'public' })

/** The OpenAPI document and a page to read it, without a byte from elsewhere. */
export const apiDocs =
  ({ path, documentFile, title }: Options): Routes =>
  async (app) => {
    const version = await viewerVersion()
    const page = pageOf(path, title, version)
    const script = `SwaggerUIBundle({ url: '${path}/json', dom_id: '#docs', deepLinking: true, filter: true, docExpansion: 'none', validatorUrl: null })\n`
    const text = { hidden: true, response: { 200: z.string() } } as const
    const bytes = { hidden: true, response: { 200: Bytes } } as const

    app.get(path, endpoint('getDocsPage', text), (_request, reply) => {
      reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CONTENT_SECURITY_POLICY })
      return page
    })
    app.get(`${path}/start.js`, endpoint('getDocsScript', text), (_request, reply) => {
      reply.header('content-type', 'text/javascript; charset=utf-8')
      return script
    })
    app.get(`${path}/json`, endpoint('getOpenApi', bytes), (_request, reply) => {
      reply.header('content-type', JSON_TYPE)
      return readFile(documentFile)
    })
    app.get(`${path}/assets/:file`, endpoint('getDocsAsset', { ...bytes, params: AssetParams }), (request, reply) => {
      const { file } = request.params
      reply.headers({ 'content-type': ASSETS[file], 'cache-control': A_YEAR })
      return readFile(new URL(`static/${file}`, VIEWER))
    })
  }

const viewerVersion = async () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(await readFile(new URL(VIEWER), 'utf8')))
  return version
}

const pageOf = (path: string, title: string, version: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${path}/assets/swagger-ui.css?v=${version}" />
  </head>
  <body>
    <main id="docs"></main>
    <script src="${path}/assets/swagger-ui-bundle.js?v=${version}"></script>
    <script src="${path}/start.js"></script>
  </body>
</html>
`
