import path from 'node:path'
import { z } from 'zod'
import { parseCidr } from './lib/cidr.ts'
import { OperatorError } from './lib/operator-error.ts'
import { isPublicKey } from './modules/licenses/license.ts'

/** The configuration is wrong: a line for each value, none of which repeats a secret. */
export class ConfigError extends OperatorError {}

const LICENSE_KEYS_MAX = 20

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)

const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
)

const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    )

const isOrigin = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const origins = list.refine(
  (parts) => parts.every(isOrigin),
  'must be a comma-separated list of origins such as https://example.com',
)

const cidrs = list.refine(
  (parts) => parts.every((part) => parseCidr(part) !== undefined),
  'must be a comma-separated list of addresses or CIDR ranges such as 10.0.0.0/8',
)

const publicKeys = list.refine(
  (parts) => parts.length <= LICENSE_KEYS_MAX && parts.every(isPublicKey),
  `must be a comma-separated list of at most ${LICENSE_KEYS_MAX} keys as \`holdfast license keygen\` prints them`,
)

const RATE_CLASSES = ['read', 'write', 'secrets', 'auth', 'identity-creation', 'project-creation', 'invite'] as const
const RATE_LIMIT = new RegExp(`^(${RATE_CLASSES.join('|')})=([1-9]\\d{0,6})$`)

const rateLimits = list
  .refine(
    (parts) => parts.every((part) => RATE_LIMIT.test(part)),
    `must be a list like read=600,write=200 of ${RATE_CLASSES.join(', ')}`,
  )
  .transform((parts) => {
    const limits: Partial<Record<(typeof RATE_CLASSES)[number], number>> = {}
    for (const rateClass of RATE_CLASSES) {
      const part = parts.find((text) => text.startsWith(`${rateClass}=`))
      if (part) limits[rateClass] = Number(part.slice(rateClass.length + 1))
    }
    return limits
  })

/** Every option: its form, its default as people read it, and what it is for. `docs/configuration.md` is made from here. */
const options = z.object({
  PORT: integer(0, 65_535).default(8080).describe('Port of the HTTP server.'),
  HOST: z
    .string()
    .optional()
    .describe('Address it listens on. Default: `127.0.0.1`; `0.0.0.0` when `DATABASE_URL` is set.'),
  SITE_URL: url('http:', 'https:')
    .optional()
    .describe(
      'Address people and clients use, for links, cookies and CORS. Default: `http://localhost:` and the port.',
    ),
  CORS_ALLOWED_ORIGINS: origins
    .optional()
    .describe('Further origins, comma-separated, whose pages may call the API with credentials.'),
  HOLDFAST_DATA_DIR: z
    .string()
    .default('./data')
    .describe('Folder of the embedded PostgreSQL and of the generated root key.'),
  DATABASE_URL: url('postgres:', 'postgresql:')
    .optional()
    .describe('PostgreSQL 14 or later to use. Unset: Holdfast starts its own under the data directory.'),
  DATABASE_DIRECT_URL: url('postgres:', 'postgresql:')
    .optional()
    .describe('The same database around a transaction pooler such as PgBouncer. Default: `DATABASE_URL`.'),
  DATABASE_POOL_SIZE: integer(2, 500).default(10).describe('Connections to the database that requests share.'),
  DATABASE_QUEUE_MAX: integer(1, 100_000)
    .default(1_000)
    .describe('Requests that may wait for a connection; further ones are answered 503.'),
  DATABASE_WAIT_MS: integer(10, 120_000)
    .default(5_000)
    .describe('How long one may wait for a connection, in milliseconds; then it is answered 503.'),
  DATABASE_STATEMENT_TIMEOUT_MS: integer(100, 600_000)
    .default(15_000)
    .describe('Longest time one SQL statement may take, in milliseconds.'),
  DATABASE_PREPARED_STATEMENTS: flag
    .default(true)
    .describe('Set to `false` behind a pooler that cannot keep prepared statements.'),
  HOLDFAST_ROOT_KEY: z
    .string()
    .optional()
    .describe(
      'Root key: 32 random bytes in base64 (`openssl rand -base64 32`). Needed with `DATABASE_URL`; otherwise generated into the data directory.',
    ),
  HOLDFAST_ROOT_KEY_FILE: z.string().optional().describe('File that holds the root key instead.'),
  HOLDFAST_ROOT_KEY_PREVIOUS: z
    .string()
    .optional()
    .describe('The former root key, while `holdfast rotate-root-key` has not finished.'),
  HOLDFAST_LICENSE: z
    .string()
    .max(8_192, 'must have at most 8192 characters')
    .optional()
    .describe('Licence for event subscriptions, as `holdfast license issue` prints it.'),
  HOLDFAST_LICENSE_FILE: z.string().optional().describe('File that holds the licence instead.'),
  HOLDFAST_LICENSE_PUBLIC_KEYS: publicKeys
    .default([])
    .describe('Keys, comma-separated, whose licences are trusted; `holdfast license keygen` makes one. Unset: none.'),
  TRUSTED_PROXY_CIDRS: cidrs
    .default([])
    .describe('Proxies whose `X-Forwarded-For` is believed. Unset: none, the address of the socket counts.'),
  OUTBOUND_ALLOWED_CIDRS: cidrs
    .default([])
    .describe(
      'Private networks that an identity provider may live in. Unset: none, Holdfast connects to public addresses only.',
    ),
  RATE_LIMITS: rateLimits
    .default({})
    .describe(
      `Requests per minute and client address, by class, such as \`read=600,write=200\`. Classes: ${RATE_CLASSES.join(', ')}. Unset: no limits.`,
    ),
  MAX_MACHINE_IDENTITY_TOKEN_AGE_SECONDS: integer(60, 315_360_000)
    .default(7_776_000)
    .describe('Longest life of one access token, in seconds, whatever its configuration says.'),
  HOLDFAST_MAX_STREAMS_PER_PROJECT: integer(1, 100_000)
    .default(100)
    .describe('Event streams that one project may have at once, in all processes together.'),
  AUDIT_LOG_RETENTION_DAYS: integer(1, 36_500).default(365).describe('Days after which audit rows are removed.'),
  METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe(
      'Serves Prometheus metrics at `/metrics` to whoever sends this bearer token. Unset: no metrics are served.',
    ),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be fatal, error, warn, info, debug, trace or silent',
    )
    .default('info')
    .describe('Least severe kind of log line that is written.'),
  HOLDFAST_TOKEN: z.string().optional().describe('For `holdfast events tail`: the access token it comes with.'),
  HOLDFAST_CLIENT_ID: z
    .string()
    .optional()
    .describe('For `holdfast events tail`: the client id it logs in with where there is no token.'),
  HOLDFAST_CLIENT_SECRET: z.string().optional().describe('For `holdfast events tail`: the secret of that client id.'),
  NO_COLOR: z.string().optional().describe('Any value: commands print without colours.'),
})

/** The only reader of the environment. Throws ConfigError with a line for each wrong value. */
export const readConfig = (environment: Record<string, string | undefined> = process.env): Config => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = options.safeParse(given)
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map(({ path: [name], message }) => `${String(name)} ${message}`).join('\n'),
    )
  }
  const value = parsed.data
  if (value.DATABASE_DIRECT_URL && !value.DATABASE_URL) {
    throw new ConfigError('DATABASE_DIRECT_URL is set but DATABASE_URL is not: set both')
  }
  if (value.HOLDFAST_ROOT_KEY && value.HOLDFAST_ROOT_KEY_FILE) {
    throw new ConfigError('HOLDFAST_ROOT_KEY and HOLDFAST_ROOT_KEY_FILE are both set: remove one')
  }
  if (value.HOLDFAST_LICENSE && value.HOLDFAST_LICENSE_FILE) {
    throw new ConfigError('HOLDFAST_LICENSE and HOLDFAST_LICENSE_FILE are both set: remove one')
  }
  return configOf(value)
}

const configOf = (value: z.infer<typeof options>) => ({
  port: value.PORT,
  host: value.HOST ?? (value.DATABASE_URL ? '0.0.0.0' : '127.0.0.1'),
  siteUrl: (value.SITE_URL ?? `http://localhost:${value.PORT}`).replace(/\/+$/, ''),
  corsAllowedOrigins: value.CORS_ALLOWED_ORIGINS ?? [],
  dataDir: path.resolve(value.HOLDFAST_DATA_DIR),
  database: {
    url: value.DATABASE_URL,
    directUrl: value.DATABASE_DIRECT_URL ?? value.DATABASE_URL,
    connectionsMax: value.DATABASE_POOL_SIZE,
    waitersMax: value.DATABASE_QUEUE_MAX,
    waitMsMax: value.DATABASE_WAIT_MS,
    statementTimeoutMs: value.DATABASE_STATEMENT_TIMEOUT_MS,
    preparedStatements: value.DATABASE_PREPARED_STATEMENTS,
  },
  rootKey: {
    value: value.HOLDFAST_ROOT_KEY,
    file: value.HOLDFAST_ROOT_KEY_FILE,
    previous: value.HOLDFAST_ROOT_KEY_PREVIOUS,
  },
  license: {
    token: value.HOLDFAST_LICENSE,
    file: value.HOLDFAST_LICENSE_FILE,
    publicKeys: value.HOLDFAST_LICENSE_PUBLIC_KEYS,
  },
  trustedProxyCidrs: value.TRUSTED_PROXY_CIDRS,
  outboundAllowedCidrs: value.OUTBOUND_ALLOWED_CIDRS,
  rateLimits: value.RATE_LIMITS,
  tokenAgeSecondsMax: value.MAX_MACHINE_IDENTITY_TOKEN_AGE_SECONDS,
  streamsPerProjectMax: value.HOLDFAST_MAX_STREAMS_PER_PROJECT,
  auditRetentionDays: value.AUDIT_LOG_RETENTION_DAYS,
  metricsToken: value.METRICS_TOKEN,
  logLevel: value.LOG_LEVEL,
  client: {
    token: value.HOLDFAST_TOKEN,
    clientId: value.HOLDFAST_CLIENT_ID,
    clientSecret: value.HOLDFAST_CLIENT_SECRET,
  },
  isPlain: value.NO_COLOR !== undefined,
})

export type Config = ReturnType<typeof configOf>

/** The options as a Markdown page. */
export const configurationPage = (): string => {
  const rows = Object.entries(options.shape).map(([name, schema]) => {
    const byDefault = schema instanceof z.ZodDefault ? JSON.stringify(schema.def.defaultValue) : ''
    return `| \`${name}\` | ${['[]', '{}', ''].includes(byDefault) ? '' : `\`${byDefault.replaceAll('"', '')}\``} | ${schema.description ?? ''} |`
  })
  return [
    '# Configuration',
    '',
    'Holdfast is configured by environment variables and by nothing else. A wrong value is one line on standard error and exit code 1. This page is made from `server/src/config.ts` by `npm run gen`.',
    '',
    '| variable | default | what it is for |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
