import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeLogin } from './login-verdict.ts'

const NOW = Date.UTC(2026, 0, 1)
const SECRET = { endsAt: null, usesLeft: null }
const CANDIDATE: Candidate = {
  clientSecretTrustedIps: [{ type: 'ipv4', prefix: 8, ipAddress: '10.0.0.0' }],
  lockoutEnabled: true,
  isLocked: false,
  secret: SECRET,
}

type Candidate = NonNullable<Parameters<typeof judgeLogin>[0]>
type Changes = Partial<Candidate>

const judge = (candidate: Candidate | undefined, ip = '10.0.0.1') => {
  const verdict = judgeLogin(candidate, { ip, nowMs: NOW })
  return 'refusal' in verdict ? verdict : 'admitted'
}
const refused = (refusal: string, isCounted = false) => ({ refusal, isCounted })

describe('a login', () => {
  const cases: [name: string, changes: Changes, expected: object | string, ip?: string][] = [
    ['with the right secret is admitted', {}, 'admitted'],
    ['with a wrong secret is refused and counted', { secret: null }, refused('invalid_client_secret', true)],
    [
      'with a wrong secret is not counted where lockout is off',
      { secret: null, lockoutEnabled: false },
      refused('invalid_client_secret'),
    ],
    ['is refused while locked, also with the right secret', { isLocked: true }, refused('temporarily_locked')],
    ['is refused while locked with a wrong secret', { isLocked: true, secret: null }, refused('temporarily_locked')],
    ['is admitted when lockout is switched off while locked', { isLocked: true, lockoutEnabled: false }, 'admitted'],
    ['from elsewhere with the right secret is told so', {}, refused('ip_not_trusted'), '11.0.0.1'],
    ['from elsewhere is told so also while locked', { isLocked: true }, refused('ip_not_trusted'), '11.0.0.1'],
    [
      'from elsewhere with a wrong secret is refused like any and not counted',
      { secret: null },
      refused('invalid_client_secret'),
      '11.0.0.1',
    ],
    ['from what is no address is refused', {}, refused('ip_not_trusted'), 'unix:'],
    [
      'is admitted until the last moment of the secret',
      { secret: { ...SECRET, endsAt: new Date(NOW + 1) } },
      'admitted',
    ],
    [
      'is refused from the end of the secret on',
      { secret: { ...SECRET, endsAt: new Date(NOW) } },
      refused('client_secret_expired'),
    ],
    ['is admitted while uses are left', { secret: { ...SECRET, usesLeft: 1 } }, 'admitted'],
    [
      'is refused when no use is left',
      { secret: { ...SECRET, usesLeft: 0 } },
      refused('client_secret_usage_limit_reached'),
    ],
  ]
  for (const [name, changes, expected, ip] of cases) {
    test(name, () => assert.deepEqual(judge({ ...CANDIDATE, ...changes }, ip), expected))
  }

  test('with an unknown client id is refused', () => {
    assert.deepEqual(judge(undefined), refused('client_id_not_found'))
  })
})
