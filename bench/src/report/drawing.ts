/** The look of all pictures, light and dark. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 18px; font-weight: 600 }
  .quiet { fill: #59636e; font-size: 12px }
  .sheet { fill: #ffffff; stroke: #d1d9e0 }
  .ceiling { fill: #eaeef2 }
  .bar { fill: #2f6f4f }
  .line { stroke: #59636e; stroke-dasharray: 2 3 }
  .curve { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .sheet { fill: #0d1117; stroke: #3d444d }
    .ceiling { fill: #262c36 }
    .bar { fill: #4fa277 }
    .line { stroke: #9198a1 }
  }`

type Sheet = { title: string; width: number; height: number }

export const sheet = ({ title, width, height }: Sheet, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escape(title)}</title>
<style>${STYLE}
</style>
<rect class="sheet" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${content}
</svg>
`

export type Place = { x: number; y: number; kind?: 'title' | 'quiet'; anchor?: 'middle' | 'end' }

export const text = ({ x, y, kind, anchor }: Place, content: string): string =>
  `<text x="${x}" y="${y}"${kind ? ` class="${kind}"` : ''}${anchor ? ` text-anchor="${anchor}"` : ''}>${escape(content)}</text>`

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escape = (content: string): string => content.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
